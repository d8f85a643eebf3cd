package samplestest_test

import (
	"strings"
	"testing"

	_ "gpureplay/samples/pipelines"
	"gpureplay/samples/samplestest"
	"gpureplay/trace"
)

// TestProblemFindsEveryBreach breaks one thing of a sound recording at a time.
func TestProblemFindsEveryBreach(t *testing.T) {
	warp := func(r *samplestest.Recording) *trace.Warp { return &r.CTAs[0][0].Warps[0] }
	inst := func(r *samplestest.Recording, space trace.Space) (access int) {
		for _, i := range warp(r).Path {
			if in := r.Functions[0].Insts[i]; in.Space == space {
				return access
			} else if in.Mem() {
				access++
			}
		}
		t.Fatal("no such access")
		return 0
	}
	for _, c := range []struct {
		what, want string
		change     func(r *samplestest.Recording)
	}{
		{"missing CTA", "CTAs of grid", func(r *samplestest.Recording) { r.CTAs[0] = r.CTAs[0][1:] }},
		{"CTA out of place", "is at place", func(r *samplestest.Recording) { r.CTAs[0][0].ID = 1 }},
		{"lane beyond the block", "of live", func(r *samplestest.Recording) { r.Kernels[0].Block = trace.Dim3{31, 1, 1} }},
		{"no exit", "never exit", func(r *samplestest.Recording) { w := warp(r); w.Path = w.Path[:len(w.Path)-1] }},
		{"access too few", "no address for each lane", func(r *samplestest.Recording) {
			w := warp(r)
			w.Mem = w.Mem[:len(w.Mem)-1]
		}},
		{"access too many", "accesses", func(r *samplestest.Recording) {
			w := warp(r)
			w.Mem = append(w.Mem, trace.Access{})
		}},
		{"lane without an address", "no address for each lane", func(r *samplestest.Recording) { warp(r).Mem[0].Count-- }},
		{"address outside", "in no array", func(r *samplestest.Recording) {
			warp(r).Mem[inst(r, trace.SpaceGlobal)].Base = 64
		}},
		{"shared address outside", "shared bytes", func(r *samplestest.Recording) {
			warp(r).Mem[inst(r, trace.SpaceShared)].Base = 3 << 20
		}},
		{"range too short", "outside the stated ranges", func(r *samplestest.Recording) { r.CTAs[0][0].Ranges[0].Hi = 4 }},
		{"range of the other direction", "outside the stated ranges", func(r *samplestest.Recording) {
			r.CTAs[0][0].Ranges[0].Mode = trace.Write
		}},
		{"range beyond the array", "range", func(r *samplestest.Recording) { r.CTAs[0][0].Ranges[0].Hi = 1 << 40 }},
		{"array twice", "range", func(r *samplestest.Recording) { g := r.CTAs[0][0].Ranges; g[1].Array = g[0].Array }},
		{"mask that no step has", "masks", func(r *samplestest.Recording) {
			w := warp(r)
			w.Masks = append(w.Masks, trace.MaskRun{At: 1 << 20})
		}},
		{"kernel launched twice", "starts kernel", func(r *samplestest.Recording) {
			r.Ops = append(r.Ops, trace.HostOp{Kind: trace.OpLaunch})
		}},
		{"kernel not launched", "never starts", func(r *samplestest.Recording) { r.Ops = nil }},
		{"copy too long", "moves", func(r *samplestest.Recording) { r.Ops[0].Bytes = 1 << 40 }},
		{"child launched by nobody", "launched 0 times", func(r *samplestest.Recording) {
			r.Kernels = append(r.Kernels, trace.Kernel{Flags: trace.KernelChild, Grid: trace.Dim3{1, 1, 1},
				Block: trace.Dim3{32, 1, 1}})
			r.CTAs = append(r.CTAs, []trace.CTA{{}})
		}},
		{"launch of itself", "launches child", func(r *samplestest.Recording) {
			warp(r).Launches = []trace.Launch{{Child: 0}}
		}},
	} {
		r := samplestest.Generate(t, "hsp", "n=32", "kernels=1")
		if err := r.Problem(); err != nil {
			t.Fatal(err)
		}
		c.change(r)
		if err := r.Problem(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want ...%s...", c.what, err, c.want)
		}
	}
}

// TestCountOnlyCountsTheSame compares the two ways of recording.
func TestCountOnlyCountsTheSame(t *testing.T) {
	full, count := samplestest.Generate(t, "path", "cols=999"), samplestest.Count(t, "path", "cols=999")
	for i, k := range full.Kernels {
		if k != count.Kernels[i] || len(count.CTAs[i]) != 0 || k.WarpInsts == 0 || k.MemInsts == 0 {
			t.Fatalf("kernel %d: %+v and %+v", i, k, count.Kernels[i])
		}
	}
}

// A recording is the same each time, and its instructions by class are all of them.
func TestClassesAreAll(t *testing.T) {
	samplestest.Same(t, "hsp", "n=32", "kernels=2")
	r := samplestest.Generate(t, "hsp", "n=32", "kernels=2")
	r.Check(t)
	for id := range r.Kernels {
		sum := 0
		for _, n := range r.Classes(id) {
			sum += n
		}
		if uint64(sum) != r.Kernels[id].WarpInsts {
			t.Errorf("kernel %d: %d instructions by class, %d in all", id, sum, r.Kernels[id].WarpInsts)
		}
	}
}

// A file has the generated records, access for access.
func TestFileIsTheRecording(t *testing.T) {
	if len(samplestest.File(t, "hsp", "n=32", "kernels=2")) == 0 {
		t.Error("an empty file")
	}
	if got := samplestest.Trace(t, "hsp", "n=32", "kernels=2").Kernels(); got != 2 {
		t.Errorf("%d kernels, want 2", got)
	}
}
