package pagoda

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func paperBuddy(t testing.TB) *Buddy {
	t.Helper()
	b, err := NewBuddy(32<<10, 512)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// marked lists the marked nodes in ascending order.
func marked(b *Buddy) []Node {
	var out []Node
	for n := range b.Nodes() {
		if b.marks[n] {
			out = append(out, Node(n))
		}
	}
	return out
}

// span lists the nodes from lo to hi.
func span(lo, hi Node) []Node {
	var out []Node
	for n := lo; n <= hi; n++ {
		out = append(out, n)
	}
	return out
}

// Figure 3: an 8K request on a free tree marks the first 8K node, its ancestors
// of 16K and 32K, and its descendants of 4K, 2K, 1K and 512 bytes.
func TestFigure3AllocateEightKilobytes(t *testing.T) {
	b := paperBuddy(t)
	if b.Nodes() != 128 {
		t.Fatalf("the tree has %d nodes, the paper's has 128", b.Nodes())
	}
	n, ok := b.Alloc(8 << 10)
	if !ok || n != 4 || b.Offset(n) != 0 || b.Size(n) != 8<<10 {
		t.Fatalf("Alloc(8K) = node %d, %v at %d with %d bytes", n, ok, b.Offset(n), b.Size(n))
	}
	want := slices.Concat(span(1, 2), span(4, 4), span(8, 9), span(16, 19), span(32, 39), span(64, 79))
	if got := marked(b); !slices.Equal(got, want) {
		t.Errorf("marked nodes %v\nwant %v", got, want)
	}
	// 16K must now come from the second half, another 8K from beside the first.
	if n, _ := b.Alloc(16 << 10); n != 3 {
		t.Errorf("16K went to node %d, want 3", n)
	}
	if n, _ := b.Alloc(8 << 10); n != 5 {
		t.Errorf("8K went to node %d, want 5", n)
	}
	if _, ok := b.Alloc(512); ok {
		t.Error("a full pool gave 512 bytes")
	}
}

// Figure 4: freeing a 4K block whose sibling is allocated leaves the ancestors
// marked; freeing the sibling too unmarks them up to the first marked sibling.
func TestFigure4FreeFourKilobytes(t *testing.T) {
	b := paperBuddy(t)
	left, _ := b.Alloc(4 << 10)
	right, _ := b.Alloc(4 << 10)
	other, _ := b.Alloc(8 << 10)
	if left != 8 || right != 9 || other != 5 {
		t.Fatalf("blocks at nodes %d, %d, %d; want 8, 9, 5", left, right, other)
	}
	b.Mark(left)
	if b.Pending() != 1 || !b.Marked(left) {
		t.Fatal("marking for deallocation must not free")
	}
	if looked, _ := b.FreeOne(); looked != 1 {
		t.Errorf("looked at %d ancestors, want 1: the sibling is allocated", looked)
	}
	for _, n := range span(1, 5) {
		if n != 3 && !b.Marked(n) {
			t.Errorf("ancestor %d was freed although a block below it is allocated", n)
		}
	}
	if b.Marked(8) || b.Marked(16) || b.Marked(64) {
		t.Error("the freed block or its descendants are still marked")
	}
	b.Mark(right)
	if looked, _ := b.FreeOne(); looked != 2 {
		t.Errorf("looked at %d ancestors, want 2: node 5 is allocated", looked)
	}
	want := slices.Concat(span(1, 2), span(5, 5), span(10, 11), span(20, 23), span(40, 47), span(80, 95))
	if got := marked(b); !slices.Equal(got, want) {
		t.Errorf("marked nodes %v\nwant %v", got, want)
	}
}

func TestBuddyRefusesImpossibleSizes(t *testing.T) {
	for _, c := range [][2]int{{0, 512}, {3000, 512}, {32768, 500}, {256, 512}, {1 << 30, 1}} {
		if _, err := NewBuddy(c[0], c[1]); err == nil {
			t.Errorf("NewBuddy(%d, %d) was accepted", c[0], c[1])
		}
	}
	b := paperBuddy(t)
	for _, bytes := range []int{0, -1, 32<<10 + 1} {
		if _, ok := b.Alloc(bytes); ok || b.Fits(bytes) {
			t.Errorf("a request of %d bytes was granted", bytes)
		}
	}
}

// reference keeps the allocated spans and knows nothing of trees.
type reference map[Node][2]int

func (r reference) covers(lo, hi int) bool {
	for _, s := range r {
		if lo < s[1] && s[0] < hi {
			return true
		}
	}
	return false
}

func TestBuddyAgainstSpans(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := paperBuddy(t)
		ref := reference{}
		var live []Node
		rt.Repeat(map[string]func(*rapid.T){
			"alloc": func(rt *rapid.T) {
				bytes := rapid.IntRange(1, 32<<10).Draw(rt, "bytes")
				if rapid.Bool().Draw(rt, "small") {
					bytes = 1 + bytes%2048
				}
				n, ok := b.Alloc(bytes)
				size := max(512, ceilPow2(bytes))
				free := false
				for lo := 0; lo < 32<<10; lo += size {
					free = free || !ref.covers(lo, lo+size)
				}
				if ok != free {
					rt.Fatalf("Alloc(%d) = %v, an aligned free span exists: %v", bytes, ok, free)
				}
				if !ok {
					return
				}
				lo, hi := b.Offset(n), b.Offset(n)+b.Size(n)
				if hi-lo < bytes || lo%size != 0 || hi > 32<<10 || ref.covers(lo, hi) {
					rt.Fatalf("Alloc(%d) gave [%d,%d) which is small, unaligned or taken", bytes, lo, hi)
				}
				ref[n] = [2]int{lo, hi}
				live = append(live, n)
			},
			"free": func(rt *rapid.T) {
				if len(live) == 0 {
					rt.Skip("nothing to free")
				}
				i := rapid.IntRange(0, len(live)-1).Draw(rt, "which")
				b.Mark(live[i])
				b.FreeOne()
				delete(ref, live[i])
				live = slices.Delete(live, i, i+1)
			},
			"": func(rt *rapid.T) {
				for n := Node(1); int(n) < b.Nodes(); n++ {
					lo := b.Offset(n)
					if b.Marked(n) != ref.covers(lo, lo+b.Size(n)) {
						rt.Fatalf("node %d: marked %v, but its span is used: %v", n, b.Marked(n), !b.Marked(n))
					}
					if n > 1 && b.Marked(n) && !b.Marked(n/2) {
						rt.Fatalf("node %d is marked and its parent is not", n)
					}
				}
			},
		})
		for _, n := range live {
			b.Mark(n)
		}
		for b.Pending() > 0 {
			b.FreeOne()
		}
		if m := marked(b); len(m) != 0 {
			rt.Fatalf("after freeing everything nodes %v are marked", m)
		}
	})
}
