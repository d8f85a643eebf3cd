package replay

import (
	"bytes"
	"context"
	"math/rand/v2"
	"testing"

	"gpureplay/model"
	"gpureplay/model/exec"
	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/policies"
	"gpureplay/samples"
	_ "gpureplay/samples/all"
	"gpureplay/trace"
	"gpureplay/trace/tracetest"
)

// Copies 0-100 and 150-160; kernel A launched 80-110, running 120-200, half of it waiting
// for pages; kernel B launched 140-170, running 180-300; a child 250-320; a copy 310-400;
// the end at 420. So 80 cycles wait for a copy and 40 for pages, 40 are a gap, 160 belong
// to kernels, 20 of them twice, 20 to the child alone, and 100 are the tail.
func TestPartsByHand(t *testing.T) {
	w := clockwork{latency: 30}
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
	got := w.parts(420)
	want := Parts{Copies: 120, Gaps: 40, Kernels: 160, Overlap: 20, Children: 20, Tail: 100}
	if got != want || got.Cycles() != 420 {
		t.Errorf("%+v, %d cycles; want %+v, 420 cycles", got, got.Cycles(), want)
	}
}

// A union covers each cycle that a stretch covers, in whatever order the stretches come.
func TestIntervalSet(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var s intervalSet
		covered := map[model.Time]bool{}
		for range r.IntN(3 * fewStretches) {
			from := model.Time(r.IntN(20000))
			to := from + model.Time(r.IntN(8))
			s.add(from, to)
			for c := from; c < to; c++ {
				covered[c] = true
			}
		}
		if got := s.length(); got != model.Time(len(covered)) {
			t.Fatalf("%d cycles, want %d", got, len(covered))
		}
	}
}

// The parts of every run add up to its cycles, and none is negative.
func TestPartsAddUp(t *testing.T) {
	for name, settings := range map[string][]string{
		"vecadd": {"n=16384"}, "bfs": {"nodes=300"}, "dp-bfs": {"scale=8", "input=graph500"},
		"concurrent": {"kernels=8", "steps=64"},
		"tasks-mm":   {"tasks=40", "n=44"},
	} {
		r := sampleTrace(t, name, settings)
		facts, err := policies.FactsOf(r, host.NotTasks)
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

// contrast explains a policy against another on a preset.
func contrast(t *testing.T, r *trace.Reader, preset, policy, against string) *Contrast {
	t.Helper()
	cfg, err := hardware.Preset(preset)
	if err != nil {
		t.Fatal(err)
	}
	all, err := policies.Parse(policy, nil)
	if err != nil {
		t.Fatal(err)
	}
	others, err := policies.Parse(against, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := ExplainAgainst(context.Background(), r, cfg, all[0], others[0], nil, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	sum := model.Time(0)
	for _, s := range c.Steps {
		sum += s.Change
		if s.Parts.Cycles() != s.Cycles {
			t.Errorf("%s: the parts add up to %d of %d cycles", s.Switched, s.Parts.Cycles(), s.Cycles)
		}
	}
	if sum != c.Change() {
		t.Errorf("%s against %s: the steps add up to %d of %d cycles", policy, against, sum, c.Change())
	}
	return c
}

// Each pair of policies that a program can run under has steps that add up, also where
// the decisions of one cannot stand beside the decisions of the other.
func TestEveryContrastAddsUp(t *testing.T) {
	for _, c := range []struct {
		sample   string
		settings []string
		names    []string
	}{
		{"vecadd", []string{"n=16384"},
			[]string{"serial", "hyperq", "crcs", "ppcs", "oracle", "blockmaestro", "nocopy", "ppcs,warp=lrr"}},
		{"dp-bfs", []string{"scale=8", "input=graph500"}, []string{"flat", "cdp", "dtbl", "dtbl-ideal", "spawn",
			"spawn+dtbl", "klap", "laperm"}},
		{"tasks-mm", []string{"tasks=40", "n=44"}, []string{"hyperq", "pagoda"}},
	} {
		r := sampleTrace(t, c.sample, c.settings)
		for _, a := range c.names {
			for _, b := range c.names {
				if a != b {
					contrast(t, r, "k20c", a, b)
				}
			}
		}
	}
}

// sampleTrace makes the trace of a workload.
func sampleTrace(t *testing.T, name string, settings []string) *trace.Reader {
	t.Helper()
	g, err := samples.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := g.Write(&b, settings...); err != nil {
		t.Fatal(err)
	}
	return tracetest.Read(t, b.Bytes())
}
