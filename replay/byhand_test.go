package replay

import (
	"testing"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/replay/table"
	"gpureplay/trace/tracetest"
)

// The share of a run is of its instructions, or else of the recorded time; it is below 1 until the end.
func TestShareOfARun(t *testing.T) {
	for _, c := range []struct {
		p    Progress
		want float64
	}{{Progress{Insts: 25, Total: 100, Cycles: 9, Span: 10}, 0.25}, {Progress{Cycles: 3, Span: 4}, 0.75},
		{Progress{Insts: 5, Cycles: 7}, 0}, {Progress{Insts: 120, Total: 100}, 0.999}} {
		if got := c.p.Share(); got != c.want {
			t.Errorf("%+v: %v, want %v", c.p, got, c.want)
		}
	}
}

// Of ten waits, 1 to 9 and 100 cycles, the median is the fifth. Launches that never ran do not count.
func TestWaitsByHand(t *testing.T) {
	var w waiting
	run := table.Run{WaitingP50: model.Unset}
	w.add(&model.LaunchRecord{Time: 5, FirstCTA: model.Unset})
	if w.fill(&run); run.WaitingP50 != model.Unset {
		t.Errorf("no launch ran, and the median is %d", run.WaitingP50)
	}
	for _, d := range []model.Time{100, 9, 8, 7, 6, 5, 4, 3, 2, 1} {
		w.add(&model.LaunchRecord{Time: 5, FirstCTA: 5 + d})
	}
	w.fill(&run)
	if run.WaitingMean != 14.5 || run.WaitingP50 != 5 || run.WaitingP95 != 100 || run.WaitingP99 != 100 {
		t.Errorf("%+v", run)
	}
	one := waiting{}
	one.note(7)
	if got := one.percentiles(0.5, 0.99); got[0] != 7 || got[1] != 7 {
		t.Errorf("of one: %v", got)
	}
}

// told counts the records that reach the tables.
type told struct {
	model.Discard
	ctas, stages int
}

func (o *told) CTA(*model.CTARecord)     { o.ctas++ }
func (o *told) Stage(*model.StageRecord) { o.stages++ }

// Stages of a kind add up. CTAs that are told for the auditor alone reach no table.
func TestWatcherByHand(t *testing.T) {
	cfg, err := hardware.Preset("k20c")
	if err != nil {
		t.Fatal(err)
	}
	ended, inner := 0, &told{}
	w := newWatcher(inner, &Job{CTAEnded: func(*model.CTARecord) { ended++ }}, cfg)
	for _, held := range []bool{false, true, false} {
		w.CTA(&model.CTARecord{Held: held})
	}
	if inner.ctas != 2 || ended != 2 {
		t.Errorf("%d CTAs in tables, %d told, want 2", inner.ctas, ended)
	}
	for _, x := range [][2]model.Time{{0, 10}, {20, 25}} {
		w.Stage(&model.StageRecord{Stage: model.StageH2D, Start: x[0], End: x[1]})
	}
	w.Stage(&model.StageRecord{Stage: model.StageD2H, Start: 30, End: 37})
	for id, stream := range []uint64{1, 1, 2} {
		w.Kernel(&model.KernelRecord{ID: uint32(id), Stream: stream, Arrive: 0, FirstCTA: 1, End: 2})
		r := Result{Run: table.Run{Summary: model.Summary{Cycles: 40}}}
		w.tell(&r)
		if r.Stages[model.StageH2D] != 15 || r.Stages[model.StageD2H] != 7 || r.OneStream != (id < 2) {
			t.Errorf("%d kernels: stages %v, one stream %v", id+1, r.Stages, r.OneStream)
		}
	}
	if inner.stages != 3 {
		t.Errorf("%d stages", inner.stages)
	}
}

// A launch takes the host's latency before it arrives; one at the start of the program takes the cycles since then.
func TestLaunchesAreGaps(t *testing.T) {
	w := PartsWatch{Latency: 30}
	w.Kernel(&model.KernelRecord{Arrive: 20, FirstCTA: 50, End: 60})
	w.Kernel(&model.KernelRecord{Arrive: 100, FirstCTA: 110, End: 120})
	if got, want := w.Parts(120), (Parts{Gaps: 100, Kernels: 20}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// A copy of one byte is read from storage, and one of none is not.
func TestSmallCopiesAreRead(t *testing.T) {
	r := tracetest.FromText(t, "array A bytes=8K\narray B bytes=8K\nh2d A 1\nh2d B 0\n"+
		"launch k grid=1 block=32\ncta 0\n warp 0\n  exit\n")
	s, err := AssumeStorage(r)
	if err != nil || s.Reads != 1 || s.BytesRead != 1 {
		t.Errorf("%+v, %v", s, err)
	}
}

// A spread has launches 0 to 4 cycles later. Its range is of the runs that ended, by trace and policy.
func TestSpreadByHand(t *testing.T) {
	cfg, err := hardware.Preset("k20c")
	if err != nil {
		t.Fatal(err)
	}
	at := cfg.Host.LaunchLatency
	all, err := Spread(cfg)
	if err != nil || len(all) != 5 {
		t.Fatalf("%d variants, %v", len(all), err)
	}
	all[4].Apply(cfg)
	if cfg.Host.LaunchLatency != at+4 {
		t.Errorf("the last launch takes %d cycles, the first %d", cfg.Host.LaunchLatency, at)
	}
	result := func(trace, policy string, cycles model.Time, cut bool) *Result {
		r := &Result{Trace: trace}
		r.Policy, r.Run.Cycles, r.Run.Incomplete = policy, cycles, cut
		return r
	}
	ranges := Ranges([]*Result{result("a", "serial", 110, false), result("a", "hyperq", 90, false),
		result("a", "serial", 100, false), result("a", "serial", 10, true), result("b", "serial", 5, false)})
	if len(ranges) != 3 || ranges[0].Least != 100 || ranges[0].Most != 110 || ranges[2].Trace != "b" {
		t.Fatalf("%+v", ranges)
	}
	if got := ranges[0].Percent(); got < 9.999 || got > 10.001 {
		t.Errorf("%v %%, want 10", got)
	}
	if got := (&Range{}).Percent(); got != 0 {
		t.Errorf("no cycles: %v %%", got)
	}
}
