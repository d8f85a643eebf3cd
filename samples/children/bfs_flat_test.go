package children

import (
	"slices"
	"testing"

	"gpureplay/samples/graph"
	"gpureplay/samples/samplestest"
	"gpureplay/trace"
)

// addresses lists the elements that an instruction accesses in an array, as indices of 4 bytes, over the warps of a
// kernel.
func addresses(r *samplestest.Recording, kernel int, opcode string, array trace.Array) (all []int) {
	f := &r.Functions[r.Kernels[kernel].Function]
	for _, c := range r.CTAs[kernel] {
		for _, w := range c.Warps {
			for in, a := range w.Accesses(f.Insts) {
				for addr := range a.Addresses(w.Lists) {
					if in.Opcode == opcode && addr >= array.Base && addr < array.Base+array.Bytes {
						all = append(all, int(addr-array.Base)/4)
					}
				}
			}
		}
	}
	slices.Sort(all)
	return all
}

// The flat search finds the levels of the nested one without a request. Whatever the degrees, each level loads
// every edge of its vertices once and writes as many neighbours side by side.
func TestFlatBFS(t *testing.T) {
	graphs := smallGraphs(t)
	graphs["hub"] = graph.Kronecker(9, 48, 2) // degrees beyond a CTA's 128 threads
	for name, g := range graphs {
		rec := &samplestest.Recording{}
		labels, err := runBFS(rec, g, 240, []uint32{uint32(g.Hub())}, dragonli(shape{128, 128}), true)
		if err != nil {
			t.Fatal(err)
		}
		want := g.Levels(g.Hub())
		if !slices.Equal(labels, want) {
			t.Errorf("%s: levels differ", name)
		}
		if n := len(requests(t, rec)); n > 0 {
			t.Errorf("%s: the flat program asks for %d children", name, n)
		}
		level := int32(0)
		for id := range rec.Kernels {
			if rec.Functions[rec.Kernels[id].Function].Name != "expand_flat" {
				continue
			}
			var edges, places []int
			for v, l := range want {
				for i := g.Row[v]; l == level && i < g.Row[v+1]; i++ {
					edges, places = append(edges, int(i)), append(places, len(places))
				}
			}
			if got := addresses(rec, id, "LDG.E", array(t, rec, "col")); !slices.Equal(got, edges) {
				t.Errorf("%s, level %d: %d edges are loaded, want each of %d once", name, level, len(got), len(edges))
			}
			if got := addresses(rec, id, "STG.E", array(t, rec, "expanded")); !slices.Equal(got, places) {
				t.Errorf("%s, level %d: %d places are written, want each of %d once", name, level, len(got), len(places))
			}
			level++
		}
	}
}

// array returns the array of a name.
func array(t *testing.T, r *samplestest.Recording, name string) trace.Array {
	t.Helper()
	for _, a := range r.Arrays {
		if a.Name == name {
			return a
		}
	}
	t.Fatalf("no array %s", name)
	return trace.Array{}
}
