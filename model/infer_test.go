package model_test

import (
	"context"
	"testing"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/policies/policiestest"
	"gpureplay/trace/tracetest"
)

// endings keeps the kernels that have ended.
type endings struct {
	all []model.KernelRecord
}

func (e *endings) Kernel(r *model.KernelRecord) { e.all = append(e.all, *r) }
func (*endings) CTA(*model.CTARecord)           {}
func (*endings) Stage(*model.StageRecord)       {}
func (*endings) Launch(*model.LaunchRecord)     {}
func (*endings) Page(*model.PageRecord)         {}
func (*endings) Task(*model.TaskRecord)         {}
func (*endings) Sample(*model.SampleRecord)     {}

// inferred replays a text trace on a K20c, captured on another preset or, "",
// on the K20c itself.
func inferred(t *testing.T, text, captured string) []model.KernelRecord {
	t.Helper()
	cfg, err := hardware.Preset("k20c")
	if err != nil {
		t.Fatal(err)
	}
	p, cfg := policiestest.Build(t, "serial", cfg)
	opt := model.Options{Config: cfg, Policy: p, Observer: &endings{}}
	if captured != "" {
		c, err := hardware.Preset(captured)
		if err != nil {
			t.Fatal(err)
		}
		opt.Captured = func() *hardware.Config { return c }
	}
	m, err := model.New(tracetest.FromText(t, text), opt)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	return opt.Observer.(*endings).all
}

// 416 CTAs of 64 threads on a K20c, which holds 13 x 16 = 208 of them: two waves, the last CTA being the 208th of
// its own. 2 ms at 706 MHz are 1,412,000 cycles = 207 + 2 (hold + 1): 705,895, rounded down. CTA i is placed in
// cycle i, the one that follows it one cycle after it has ended. The last, 207 + 208, is placed at 207 + 705,896,
// and ends at 1,411,998; the kernel ends one cycle later.
func TestInferredWork(t *testing.T) {
	k := inferred(t, "meta fidelity=kernel\nlaunch k grid=416 block=64 fidelity=kernel start=0 duration=2000000\n", "")
	if got := k[0].End - k[0].FirstCTA; got != 1411999 {
		t.Errorf("the kernel takes %d cycles, want 1411999", got)
	}
}

// A CTA of an AMD GPU: 1,024 threads of 512 registers are eight register files of a
// K20c. It takes a whole SM, so 26 CTAs run 13 at a time and meet their recorded
// duration: 706,000 cycles = 12 + 2 (hold + 1), so a CTA holds its SM for 352,993.
// The last one is placed in cycle 12 + 352,994 and ends 352,993 cycles later, the
// kernel a cycle after it.
func TestInferredWorkFitsAnySM(t *testing.T) {
	k := inferred(t, "meta fidelity=kernel\nlaunch k grid=26 block=1024 regs=512 shared=1M fidelity=kernel start=0 "+
		"duration=1000000\n", "")
	if got := k[0].End - k[0].FirstCTA; got != 706000 {
		t.Errorf("the kernel takes %d cycles, want 706000", got)
	}
}

// The same capture from a GPU with room for all of it: 108 SMs hold 32 CTAs of 64 threads each, so there is one
// wave. 2 ms at 1410 MHz are 2,820,000 cycles: 415 for placing, one for the kernel's end, 348 for the start of a
// CTA and 2,819,236 for the hold. Two waves of them on the K20c, whose CTAs start at once:
func TestInferredWorkOfAnotherGPU(t *testing.T) {
	k := inferred(t, "meta fidelity=kernel\nlaunch k grid=416 block=64 fidelity=kernel start=0 duration=2000000\n", "a100")
	if got := k[0].End - k[0].FirstCTA; got != 207+2*(2819236+1) {
		t.Errorf("the kernel takes %d cycles, want %d", got, 207+2*(2819236+1))
	}
}

// A kernel without a known grid takes its duration and needs nothing of an SM; one without a duration takes a cycle
// a CTA.
func TestInferredWithoutGridOrDuration(t *testing.T) {
	k := inferred(t, "meta fidelity=none\nlaunch k grid=none block=none fidelity=none start=0 duration=1000\nlaunch "+
		"l grid=3 block=32 fidelity=kernel\n", "")
	if got := k[0].End - k[0].FirstCTA; got != 706 {
		t.Errorf("without a grid: %d cycles, want 706", got)
	}
	// CTA 2 is placed two cycles after CTA 0 and takes one cycle.
	if got := k[1].End - k[1].FirstCTA; got != 2+1+1 {
		t.Errorf("without a duration: %d cycles, want 4", got)
	}
}
