package converttest

import (
	"strings"
	"testing"

	"gpureplay/trace"
)

func (r *Recording) KernelStreams() int {
	streams := map[uint64]bool{}
	for i := range r.Kernels {
		streams[r.Kernels[i].Stream] = true
	}
	return len(streams)
}

// Check looks for faults that no trace may have.
func (r *Recording) Check(t testing.TB) {
	t.Helper()
	recorded := map[uint64]bool{}
	launched := map[uint32]bool{}
	began := map[uint64]int64{} // by stream
	for i, op := range r.Ops {
		if op.Recorded != nil && op.Recorded.StartNs >= 0 {
			if op.Recorded.StartNs < began[op.Stream] {
				t.Fatalf("op %d began at %d on stream %d, one before it at %d", i, op.Recorded.StartNs, op.Stream, began[op.Stream])
			}
			began[op.Stream] = op.Recorded.StartNs
		}
		switch op.Kind {
		case trace.OpLaunch:
			if int(op.Kernel) >= len(r.Kernels) || launched[op.Kernel] {
				t.Fatalf("op %d launches kernel %d", i, op.Kernel)
			}
			launched[op.Kernel] = true
		case trace.OpEventRecord:
			recorded[op.Event] = true
		case trace.OpStreamWait, trace.OpSyncEvent:
			if !recorded[op.Event] {
				t.Fatalf("op %d waits for event %d, which is not recorded", i, op.Event)
			}
		case trace.OpHostWork:
			if op.Ns <= 0 {
				t.Fatalf("op %d works for %d ns", i, op.Ns)
			}
		}
	}
	for i := range r.Kernels {
		k := &r.Kernels[i]
		if sized := k.Grid.Count() > 0 && k.Block.Count() > 0; sized != (k.Fidelity > trace.FidelityNone) {
			t.Fatalf("kernel %d: grid %v, block %v, fidelity %d", i, k.Grid, k.Block, k.Fidelity)
		}
		if k.Recorded != nil && k.Recorded.DurationNs < -1 {
			t.Fatalf("kernel %d: %+v", i, *k.Recorded)
		}
		r.CheckCTAs(t, i)
	}
	for _, d := range r.Diags {
		if d.Help == "" || d.Count == 0 || strings.ToLower(d.Name) != d.Name {
			t.Fatalf("diagnostic %+v", d)
		}
	}
}

func (r *Recording) CheckCTAs(t testing.TB, kernel int) {
	t.Helper()
	k := &r.Kernels[kernel]
	last := int64(-1)
	for _, c := range r.CTAs[kernel] {
		if int64(c.ID) <= last || uint64(c.ID) >= k.Grid.Count() {
			t.Fatalf("kernel %d: CTA %d after %d", kernel, c.ID, last)
		}
		last = int64(c.ID)
		code := r.Functions[k.Function].Insts
		for _, w := range c.Warps {
			accesses := 0
			for _, step := range w.Path {
				if int(step) >= len(code) {
					t.Fatalf("kernel %d: instruction %d of %d", kernel, step, len(code))
				}
				if code[step].Mem() {
					accesses++
				}
			}
			if accesses != len(w.Mem) || len(w.Path) > 0 && (len(w.Masks) == 0 || w.Masks[0].At != 0) {
				t.Fatalf("kernel %d, CTA %d, warp %d: %d accesses, %d recorded, masks %v", kernel, c.ID, w.ID, accesses,
					len(w.Mem), w.Masks)
			}
			for _, l := range w.Launches {
				if int(l.Child) <= kernel || int(l.Child) >= len(r.Kernels) || int(l.At) >= len(w.Path) {
					t.Fatalf("kernel %d launches %+v", kernel, l)
				}
			}
		}
	}
}
