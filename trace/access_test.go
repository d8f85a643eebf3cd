package trace

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
)

// A path of four steps executes three instructions with accesses: a load by a descending stride, an atomic without
// lanes, and a store by a list, whose addresses are the second and third of the warp's.
func TestAccesses(t *testing.T) {
	insts := []Inst{{Opcode: "IADD"}, {Opcode: "LDG", Width: 4, Space: SpaceGlobal, Flags: InstLoad},
		{Opcode: "STS", Width: 4, Space: SpaceShared, Flags: InstStore},
		{Opcode: "ATOM", Width: 4, Space: SpaceTexture, Flags: InstLoad | InstStore | InstAtomic}}
	w := Warp{Path: []uint32{1, 0, 3, 2}, Lists: []uint64{5, 6, 7},
		Mem: []Access{{Base: 100, Stride: -8, Count: 3}, {}, {List: 2, Count: 2}}}
	var got []string
	for in, a := range w.Accesses(insts) {
		all := slices.Collect(a.Addresses(w.Lists))
		got = append(got, fmt.Sprintf("%s %v %v %v", in.Opcode, in.Global(), in.Mode(), all))
	}
	want := []string{"LDG true read [100 92 84]", "ATOM true readwrite []", "STS false write [6 7]"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for in, a := range w.Accesses(insts) { // both end early
		for addr := range a.Addresses(nil) {
			if in.Opcode != "LDG" || addr != 100 {
				t.Errorf("%s of %d", in.Opcode, addr)
			}
			break
		}
		break
	}
}

// Steps share a run of masks while the mask stays; a further warp of a CTA takes the memory of one before it.
func TestSteps(t *testing.T) {
	c := CTA{}
	w := c.AddWarp(3)
	for _, s := range [][2]uint32{{4, 1}, {5, 1}, {4, 3}} {
		w.Step(s[0], s[1])
	}
	if w.ID != 3 || !slices.Equal(w.Path, []uint32{4, 5, 4}) || !slices.Equal(w.Masks, []MaskRun{{0, 1}, {2, 3}}) {
		t.Errorf("%+v", w)
	}
	memory := &w.Path[0]
	c.Warps = c.Warps[:0]
	w = c.AddWarp(1)
	if w.ID != 1 || len(w.Path)+len(w.Masks) > 0 || &w.Path[:1][0] != memory {
		t.Errorf("the second is %+v", w)
	}
	if w = c.AddWarp(2); len(c.Warps) != 2 || cap(w.Path) > 0 {
		t.Errorf("%d warps, the last with the memory of another", len(c.Warps))
	}
}

// few is a source whose kernels have the CTAs of a list, and an error behind them.
type few struct {
	Source
	ids []uint32
	end error
}

func (f *few) CTAs(kernel, _ uint32) (Cursor[CTA], error) {
	if kernel > 0 {
		return nil, errors.New("no such kernel")
	}
	return f, nil
}

func (f *few) Next(c *CTA) error {
	if len(f.ids) == 0 {
		return f.end
	}
	c.ID, f.ids = f.ids[0], f.ids[1:]
	return nil
}

// A loop over a cursor sees its records and then the error that ended it; the end itself is none.
func TestEach(t *testing.T) {
	for _, c := range []struct {
		kernel uint32
		end    error
		want   string
	}{{0, io.EOF, "7 9 "}, {0, errors.New("torn"), "7 9 torn "}, {1, io.EOF, "no such kernel "}} {
		got := ""
		for cta, err := range EachCTA(&few{ids: []uint32{7, 9}, end: c.end}, c.kernel) {
			if err != nil {
				got += err.Error() + " "
			} else {
				got += fmt.Sprint(cta.ID, " ")
			}
		}
		if got != c.want {
			t.Errorf("kernel %d: %q, want %q", c.kernel, got, c.want)
		}
	}
	s := &few{ids: []uint32{7, 9}, end: io.EOF}
	for range Each[CTA](s) {
		break
	}
	if len(s.ids) != 1 {
		t.Errorf("a loop that stops reads on: %v are left", s.ids)
	}
}
