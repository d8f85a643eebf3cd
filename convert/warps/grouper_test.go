package warps

import (
	"errors"
	"math/bits"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"gpureplay/trace"
)

// Whatever the order of arrival and the memory, each warp's path, masks and
// addresses come out as they went in.
func TestGroups(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	type key struct{ cta, warp uint32 }
	want := map[key][]Inst{}
	g := New(t.TempDir(), 1)
	defer g.Close()
	for range 3000 {
		in := Inst{CTA: rng.Uint32N(7), Warp: rng.Uint32N(3), SM: 5, Inst: rng.Uint32N(10), Mask: 1<<(1+rng.Uint32N(32)) - 1}
		if in.Inst%2 == 0 {
			in.Memory = true
			for lane := range bits.OnesCount32(in.Mask) {
				a := uint64(0x7f0000000000) + uint64(lane)*4
				if in.Inst == 4 {
					a = rng.Uint64()
				}
				in.Addrs = append(in.Addrs, a)
			}
		}
		want[key{in.CTA, in.Warp}] = append(want[key{in.CTA, in.Warp}], in)
		if err := g.Add(&in); err != nil {
			t.Fatal(err)
		}
	}
	var ids []uint32
	err := g.Each(func(c *trace.CTA) error {
		ids = append(ids, c.ID)
		if c.SM != 5 || !slices.IsSortedFunc(c.Warps, func(a, b trace.Warp) int { return int(a.ID) - int(b.ID) }) {
			t.Errorf("CTA %d: SM %d, or warps out of order", c.ID, c.SM)
		}
		for i := range c.Warps {
			w := &c.Warps[i]
			k := key{c.ID, w.ID}
			if got := replayed(c.ID, w); !reflect.DeepEqual(got, want[k]) {
				t.Errorf("warp %v differs", k)
			}
			delete(want, k)
		}
		return nil
	})
	if err != nil || len(want) != 0 || !slices.Equal(ids, []uint32{0, 1, 2, 3, 4, 5, 6}) {
		t.Errorf("%v, %d warps missing, CTAs %v", err, len(want), ids)
	}
}

// replayed reads a warp back the way the trace defines it.
func replayed(cta uint32, w *trace.Warp) []Inst {
	var out []Inst
	run, mem := -1, 0
	for i, inst := range w.Path {
		if run+1 < len(w.Masks) && w.Masks[run+1].At == uint32(i) {
			run++
		}
		in := Inst{CTA: cta, Warp: w.ID, SM: 5, Inst: inst, Mask: w.Masks[run].Mask, Memory: inst%2 == 0}
		if in.Memory {
			a := w.Mem[mem]
			mem++
			in.Addrs = slices.AppendSeq(in.Addrs, a.Addresses(w.Lists))
		}
		out = append(out, in)
	}
	return out
}

func TestCode(t *testing.T) {
	var insts []trace.Inst
	c := NewCode(func(in trace.Inst) uint32 { insts = append(insts, in); return uint32(len(insts) - 1) })
	a := trace.Inst{PC: 16, Opcode: "FADD", Dst: []trace.Reg{1}, Src: []trace.Reg{2}}
	b := a
	b.Dst, b.Src = nil, []trace.Reg{1, 2}
	for i, want := range []uint32{0, 1, 0, 1} {
		in := []*trace.Inst{&a, &b}[i%2]
		if got, err := c.Index(in); got != want || err != nil {
			t.Errorf("%d: index %d, want %d", i, got, want)
		}
	}
}

// With a byte of memory the 17th instruction needs a file; the default memory holds more than that.
func TestMemoryOfAGrouper(t *testing.T) {
	for memory, refused := range map[int]bool{0: false, 1: true} {
		g := New(filepath.Join(t.TempDir(), "missing"), memory)
		var err error
		for range 17 {
			err = errors.Join(err, g.Add(&Inst{}))
		}
		if (err != nil) != refused {
			t.Errorf("memory %d without a folder for files: %v", memory, err)
		}
		g.Close()
	}
}
