package replay

import (
	"context"
	"testing"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/policies"
	"gpureplay/trace/tracetest"
)

// Who requests samples receives every window up to the run's end, without tables.
func TestSampled(t *testing.T) {
	cs, err := policies.Parse("serial", nil)
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := hardware.Preset("k20c")
	if err != nil {
		t.Fatal(err)
	}
	var last model.Time
	job := &Job{Trace: tracetest.FromText(t, "trace 1\nkernel f grid=40 block=32\nlaunch 0\n"), Name: "t", Config: cfg,
		Choices: cs, Sample: 7}
	job.Sampled = func(r *model.SampleRecord) {
		if r.Start != last || r.End > last+7 {
			t.Errorf("a window of %d to %d behind one that ends at %d", r.Start, r.End, last)
		}
		last = r.End
	}
	results, err := Run(context.Background(), job)
	if err != nil {
		t.Fatal(err)
	}
	if end := results[0].Run.Cycles; last != end || end == 0 {
		t.Errorf("windows up to %d, the run ends at %d", last, end)
	}
}
