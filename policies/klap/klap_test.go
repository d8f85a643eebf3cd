package klap

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/trace"
)

// opcodes lists the instructions of a warp's code, with the lanes where they change.
func opcodes(c *model.AddedCode) string {
	var list []string
	masks := c.Warp.Masks
	for i, step := range c.Warp.Path {
		for len(masks) > 0 && int(masks[0].At) == i {
			list = append(list, fmt.Sprintf("[%x]", masks[0].Mask))
			masks = masks[1:]
		}
		list = append(list, c.Function.Insts[step].Opcode)
	}
	return strings.Join(list, " ")
}

// checkAccesses requires one access for each memory instruction, of as many addresses as
// lanes execute it.
func checkAccesses(t *testing.T, c *model.AddedCode) {
	t.Helper()
	next, mask, masks := 0, uint32(0), c.Warp.Masks
	for i, step := range c.Warp.Path {
		for len(masks) > 0 && int(masks[0].At) == i {
			mask, masks = masks[0].Mask, masks[1:]
		}
		if mask == 0 {
			t.Fatalf("instruction %d: no lane executes it", i)
		}
		if !c.Function.Insts[step].Mem() {
			continue
		}
		lanes := 0
		for m := mask; m != 0; m &= m - 1 {
			lanes++
		}
		if next >= len(c.Warp.Mem) || int(c.Warp.Mem[next].Count) != lanes {
			t.Fatalf("instruction %d: %d lanes, accesses %+v", i, lanes, c.Warp.Mem)
		}
		next++
	}
	if next != len(c.Warp.Mem) {
		t.Fatalf("%d memory instructions, %d accesses", next, len(c.Warp.Mem))
	}
}

// Section II.A, by hand: 20 threads, one word of arguments. Slots of 64 threads: the
// words at 4096, the sums behind them at 4096 + 4*64.
func TestWarpByHand(t *testing.T) {
	var c Code
	s := Slots{Base: 4096, Threads: 64, Words: 1}
	if s.Bytes() != 64*16 {
		t.Errorf("slots take %d bytes, want a word and 12 bytes for each of 64 threads", s.Bytes())
	}
	got := c.Warp(s, 20)
	checkAccesses(t, got)
	want := "[fffff] ISETP SEL [1] ATOM.ADD.64 [fffff] SHFL IADD3" + strings.Repeat(" SHFL IADD3", 5) +
		" STG STG SHFL ISETP BRA LAUNCH"
	if opcodes(got) != want {
		t.Errorf("got  %s\nwant %s", opcodes(got), want)
	}
	mem := []trace.Access{{Base: Counter, Count: 1}, {Base: 4096, Stride: 4, Count: 20},
		{Base: 4096 + 256, Stride: 4, Count: 20}}
	for i, want := range mem {
		if a := got.Warp.Mem[i]; a.Base != want.Base || a.Stride != want.Stride || a.Count != want.Count {
			t.Errorf("access %d: %+v, want %+v", i, a, want)
		}
	}
}

// Of a block, the first warp alone takes room in the pool and sums up the warps; every
// warp comes to three barriers. Of recorded launches only the asking lanes store.
func TestBlockAndRecord(t *testing.T) {
	var c Code
	s := Slots{Threads: 64, Words: 2}
	for warp := range uint32(2) {
		got := c.Block(s, warp, 32)
		checkAccesses(t, got)
		code := opcodes(got)
		if n := strings.Count(code, "BAR"); n != 3 {
			t.Errorf("warp %d: %d barriers, want 3: %s", warp, n, code)
		}
		if first := strings.Contains(code, "ATOM"); first != (warp == 0) {
			t.Errorf("warp %d takes room in the pool: %v", warp, first)
		}
	}
	got := c.Record(s, 7, 0b1010, 32)
	checkAccesses(t, got)
	if code := opcodes(got); code != "[ffffffff] ISETP BRA [a] ATOM.ADD.64 IADD3 IADD3 IADD3 STG STG STG LAUNCH" {
		t.Errorf("record: %s", code)
	}
	if a := got.Warp.Mem[1]; a.Base != 4*7 || a.Count != 2 {
		t.Errorf("the first word goes to %+v, want index 7 for two lanes", a)
	}
}

// Each CTA finds the parent whose grid holds it, and a right guess is that parent. The code
// of each kind of search is sound for every CTA.
func TestEveryCTAFindsItsParent(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var c Code
	for _, kind := range []Kind{EachThread, WarpSearch, Binary} {
		for range 20 {
			p := Parents{Kind: kind, Slots: Slots{Threads: 256, Words: 1}}
			var owners []int // parent of each CTA
			for parent := range 1 + r.IntN(100) {
				for range 1 + r.IntN(4) {
					owners = append(owners, parent)
				}
				p.Scan = append(p.Scan, uint32(len(owners)))
			}
			for b, owner := range owners {
				if got := p.Find(uint32(b)); got != owner {
					t.Fatalf("sums %v: CTA %d finds parent %d, want %d", p.Scan, b, got, owner)
				}
				if guess, right := p.Guess(uint32(b)); right != (guess == owner) {
					t.Fatalf("sums %v: CTA %d guesses parent %d, right: %v, want %d", p.Scan, b, guess, right, owner)
				}
				checkAccesses(t, c.Search(&p, uint32(b), 0, 128))
			}
		}
	}
	if got := (&Parents{Scan: []uint32{2, 5}}).Find(5); got != -1 {
		t.Errorf("a CTA beyond the last grid finds parent %d", got)
	}
}
