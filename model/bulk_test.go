package model_test

import (
	"fmt"
	"gpureplay/model/hardware"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/policies"
	"gpureplay/trace/tracetest"
)

// timedKernels is the text of kernels of which durations and shapes are known, in
// two streams.
func timedKernels(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("meta fidelity=kernel\n")
	for i := range 2 + r.IntN(6) {
		if r.IntN(3) == 0 {
			fmt.Fprintf(&b, "work %d\n", r.IntN(20000))
		}
		fmt.Fprintf(&b, "launch f%d grid=%d block=%d regs=%d shared=%d stream=%d fidelity=kernel start=%d duration=%d\n", i, 1+r.IntN(20000), 32*(1+r.IntN(32)), 16+r.IntN(48),
			r.IntN(3)*8192, r.IntN(2), i*1000, 500+r.IntN(300000))
	}
	return b.String()
}

// Placing CTAs ahead of the machine leaves what placing them one by one leaves: every
// time of every kernel, every window of the timeline, and the sums.
func TestBulkChangesNothing(t *testing.T) {
	for seed := range uint64(12) {
		text := timedKernels(rand.New(rand.NewPCG(seed, 1)))
		for _, preset := range []string{"k20c", "h100", "rtx3070"} {
			for _, sample := range []model.Time{0, 5000, model.SampleAuto} {
				slow, slowSum := bulkRun(t, text, preset, sample, false)
				fast, fastSum := bulkRun(t, text, preset, sample, true)
				slowSum.Events, fastSum.Events = 0, 0
				if !reflect.DeepEqual(slow, fast) || !reflect.DeepEqual(slowSum, fastSum) {
					t.Fatalf("seed %d on %s, windows of %d:\n%+v\n%+v\n%s\nwant\n%+v\n%s", seed, preset, sample, fastSum, slowSum, strings.Join(fast, "\n"), slowSum, strings.Join(slow, "\n"))
				}
			}
		}
	}
}

func bulkRun(t *testing.T, text, preset string, sample model.Time, bulk bool) ([]string, model.Summary) {
	t.Helper()
	r := tracetest.FromText(t, text)
	cfg, err := hardware.Preset(preset)
	if err != nil {
		t.Fatal(err)
	}
	choices, err := policies.Parse("hyperq", nil)
	if err != nil {
		t.Fatal(err)
	}
	p, cfg, err := choices[0].Build(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var seen bulkTold
	m, err := model.New(r, model.Options{Config: cfg, Policy: p, Observer: &seen, Sample: sample, Bulk: bulk})
	if err != nil {
		t.Fatal(err)
	}
	sum, err := m.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if bulk && seen.ctas > 0 {
		t.Errorf("%d CTAs were told of", seen.ctas)
	}
	return seen.lines, *sum
}

// bulkTold keeps what an observer is told of kernels and windows.
type bulkTold struct {
	lines []string
	ctas  int
}

func (o *bulkTold) Kernel(r *model.KernelRecord) {
	x := *r
	x.Recorded = nil
	o.lines = append(o.lines, fmt.Sprintf("%+v", x))
}
func (o *bulkTold) CTA(*model.CTARecord)       { o.ctas++ }
func (o *bulkTold) Stage(*model.StageRecord)   {}
func (o *bulkTold) Launch(*model.LaunchRecord) {}
func (o *bulkTold) Page(*model.PageRecord)     {}
func (o *bulkTold) Task(*model.TaskRecord)     {}
func (o *bulkTold) Sample(r *model.SampleRecord) {
	o.lines = append(o.lines, fmt.Sprintf("%+v", *r))
}
