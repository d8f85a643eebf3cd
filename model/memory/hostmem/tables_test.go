package hostmem

import (
	"reflect"
	"runtime"
	"testing"
	"unsafe"
)

// Tables are zero, lie apart, begin a line of the host's caches, and are there for as long as
// something of them is requested.
func TestTablesLieApart(t *testing.T) {
	at := new(Tables)
	var all [][]uint64
	for _, n := range []int{1, 7, 8, 9, 1000, 1 << 16, leastBlock / 8, 3 * mostBlock / 8, 1, 0, 5} {
		all = append(all, NewTable[uint64](at, n))
	}
	at = nil
	for i, of := range all {
		if len(of) > 0 && uintptr(unsafe.Pointer(&of[0]))%tableAlign != 0 {
			t.Errorf("table %d does not begin a line of the host's caches", i)
		}
		for j := range of {
			if of[j] != 0 {
				t.Fatalf("entry %d of table %d is %d", j, i, of[j])
			}
			of[j] = uint64(i + 1)
		}
	}
	runtime.GC()
	for range 64 {
		other := make([]byte, 1<<20) // a freed block would be given again
		other[0], other[len(other)-1] = 255, 255
	}
	for i, of := range all {
		for j, x := range of {
			if x != uint64(i+1) {
				t.Fatalf("entry %d of table %d is %d", j, i, x)
			}
		}
	}
}

// The garbage collector looks for pointers in a table of entries that have some.
func TestEntriesWithPointersLieApart(t *testing.T) {
	for _, x := range []struct {
		of   any
		want bool
	}{{uint64(0), false}, {[3]struct{ a, b int32 }{}, false}, {struct{ p *int }{}, true}, {[1][]int{}, true}, {"", true}} {
		if got := hasPointers(reflect.TypeOf(x.of)); got != x.want {
			t.Errorf("%T has pointers: %v", x.of, got)
		}
	}
	at := new(Tables)
	NewTable[*int](at, 10)
	if at.size != 0 {
		t.Error("a table of pointers lies in a block")
	}
}

// Each block is twice as large as the one before it, up to a size.
func TestBlocksGrow(t *testing.T) {
	at := new(Tables)
	var sizes []int
	for range 5 {
		at.grow(1)
		sizes = append(sizes, at.size)
	}
	if want := []int{leastBlock, 2 * leastBlock, 4 * leastBlock, mostBlock, mostBlock}; !reflect.DeepEqual(sizes, want) {
		t.Errorf("blocks of %d bytes, want %d", sizes, want)
	}
	if at.grow(mostBlock + 1); at.size != mostBlock+1 {
		t.Errorf("a block of %d bytes for a table that is larger than any", at.size)
	}
}

// The values that the pointers name lie side by side, in order.
func TestPlacesLieSideBySide(t *testing.T) {
	at := Places[[3]int64](5)
	for i, p := range at {
		*p = [3]int64{int64(i)}
		if i > 0 && uintptr(unsafe.Pointer(p))-uintptr(unsafe.Pointer(at[i-1])) != unsafe.Sizeof(*p) {
			t.Errorf("value %d does not lie behind the one before it", i)
		}
	}
	for i, p := range at {
		if p[0] != int64(i) {
			t.Errorf("value %d is %d", i, p[0])
		}
	}
}
