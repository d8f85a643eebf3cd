package trace

import (
	"fmt"
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
