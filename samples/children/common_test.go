package children

import (
	"bytes"
	"encoding/gob"
	"testing"

	"gpureplay/samples/samplestest"
	"gpureplay/trace"
)

// request is a launch request of a recording with where it came from.
type request struct {
	parent uint32
	trace.Launch
}

// requests lists all launch requests after checking each one. The child has a CTA for every block of items, a later
// id, and as many warps at work as the items need. At one step lanes ascend.
func requests(t testing.TB, r *samplestest.Recording) (list []request) {
	t.Helper()
	r.Check(t)
	for id := range r.Kernels {
		for _, c := range r.CTAs[id] {
			for _, w := range c.Warps {
				for i, l := range w.Launches {
					if i > 0 && (w.Launches[i-1].At > l.At || w.Launches[i-1].At == l.At && w.Launches[i-1].Lane >= l.Lane) {
						t.Fatalf("kernel %d: requests out of order: %+v", id, w.Launches)
					}
					child := &r.Kernels[l.Child]
					block := uint32(child.Block.Count())
					if l.Workload == 0 || child.Grid != (trace.Dim3{(l.Workload + block - 1) / block, 1, 1}) {
						t.Fatalf("kernel %d: child %d has grid %v of %d for %d items", id, l.Child, child.Grid, block, l.Workload)
					}
					list = append(list, request{uint32(id), l})
				}
			}
		}
	}
	return list
}

// sums adds the items of all requests, and of those marked.
func sums(list []request) (all, marked int) {
	for _, l := range list {
		all += int(l.Workload)
		if l.Marked {
			marked += int(l.Workload)
		}
	}
	return all, marked
}

// digest is all bytes of a recording.
func digest(t testing.TB, r *samplestest.Recording) []byte {
	t.Helper()
	var b bytes.Buffer
	e := gob.NewEncoder(&b)
	for _, v := range []any{r.Arrays, r.Functions, r.Ops, r.Kernels, r.CTAs} {
		if err := e.Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// threadsOf counts, over all threads of the children, those that get past the
// bound check of their kernel: those with an item.
func threadsOf(r *samplestest.Recording, function string) (n int) {
	for id := range r.Kernels {
		f := &r.Functions[r.Kernels[id].Function]
		if f.Name != function {
			continue
		}
		last := len(f.Insts) - 1 // the exit; behind it is the flat form's own code
		for f.Insts[last].Opcode != "EXIT" {
			last--
		}
		for _, c := range r.CTAs[id] {
			for _, w := range c.Warps {
				mask, run := uint32(0), 0
				for at, i := range w.Path {
					if run < len(w.Masks) && int(w.Masks[run].At) == at {
						mask = w.Masks[run].Mask
						run++
					}
					if int(i) == last {
						for ; mask != 0; mask &= mask - 1 {
							n++
						}
					}
				}
			}
		}
	}
	return n
}
