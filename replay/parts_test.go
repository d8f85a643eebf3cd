package replay

import (
	"context"
	"testing"

	"gpureplay/model"
	"gpureplay/model/exec"
	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/policies"
	_ "gpureplay/samples/all"
	"gpureplay/samples/samplestest"
)

// Copies 0-100 and 150-160; kernel A launched 80-110, running 120-200, half of it waiting for pages; kernel B
// launched 140-170, running 180-300; a child 250-320; a copy 310-400; the end at 420. So 80 cycles wait for a copy
// and 40 for pages, 40 are a gap and 100 are the tail. 160 belong to kernels, 20 of them twice, and 20 to the child
// alone.
func TestPartsByHand(t *testing.T) {
	w := PartsWatch{Latency: 30}
	stage := func(kind model.StageKind, from, to model.Time) {
		w.Stage(&model.StageRecord{Stage: kind, Start: from, End: to})
	}
	a := model.KernelRecord{Arrive: 110, FirstCTA: 120, End: 200}
	a.Block, a.Work.WarpCycles = [3]uint32{32, 1, 1}, 160
	a.Work.StallTimes[exec.StallPageNotReady], a.Work.StallTimes[exec.StallPageNotOwned] = 50, 30
	w.Kernel(&model.KernelRecord{Arrive: 170, FirstCTA: 180, End: 300})
	w.Kernel(&a)
	w.Kernel(&model.KernelRecord{FirstCTA: 250, End: 320, Device: true})
	w.Kernel(&model.KernelRecord{FirstCTA: model.Unset, End: 9000})
	stage(model.StageH2D, 0, 100)
	stage(model.StagePrelude, 150, 160)
	stage(model.StageD2H, 310, 400)
	stage(model.StageKernel, 0, 420)
	got := w.Parts(420)
	want := Parts{Copies: 120, Gaps: 40, Kernels: 160, Overlap: 20, Children: 20, Tail: 100}
	if got != want || got.Cycles() != 420 {
		t.Errorf("%+v, %d cycles; want %+v, 420 cycles", got, got.Cycles(), want)
	}
}

// The parts of every run add up to its cycles, and none is negative.
func TestPartsAddUp(t *testing.T) {
	for name, settings := range map[string][]string{
		"vecadd": {"n=16384"}, "bfs": {"nodes=300"}, "dp-bfs": {"scale=8", "input=graph500"},
		"concurrent": {"kernels=8", "steps=64"},
		"tasks-mm":   {"tasks=40", "n=44"},
	} {
		r := samplestest.Trace(t, name, settings...)
		facts, err := policies.ProfileTrace(r, host.NotTasks)
		if err != nil {
			t.Fatal(err)
		}
		all, _, err := policies.Applicable(facts, nil)
		if err != nil {
			t.Fatal(err)
		}
		cfg, err := hardware.Preset("k20c")
		if err != nil {
			t.Fatal(err)
		}
		results, err := Run(context.Background(), &Job{Trace: r, Name: name, Config: cfg, Choices: all})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range results {
			p := x.Parts
			if p.Cycles() != x.Run.Cycles || min(p.Copies, p.Gaps, p.Kernels, p.Overlap, p.Children, p.Tail) < 0 {
				t.Errorf("%s under %s: %+v adds up to %d of %d cycles", name, x.Policy, p, p.Cycles(), x.Run.Cycles)
			}
		}
	}
}
