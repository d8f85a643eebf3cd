package model_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/policies/policiestest"
	"gpureplay/trace/container"
	"gpureplay/trace/tracetest"
)

// timedKernels is the text of kernels with known durations and shapes, in some streams. Now and then a kernel with
// known instructions runs beside them; its times show which of an SM's schedulers acts first.
func timedKernels(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("meta fidelity=kernel\n")
	streams, longest := 1+r.IntN(4), 1000<<r.IntN(10)
	for i := range 2 + r.IntN(6) {
		if r.IntN(3) == 0 {
			fmt.Fprintf(&b, "work %d\n", r.IntN(20000))
		}
		if r.IntN(4) == 0 {
			fmt.Fprintf(&b, "launch real%d grid=9 block=256 stream=%d\ncta 0..8\nwarp 0\nload w4 R4 <- R2 "+
				"@0x1000+128\nfp32 x40 R5 <- R4\nexit\n"+
				"warp 1..7\nload w4 R4 <- R2 @0x1000+128\nfp32 R5 <- R4\nexit\n", i, r.IntN(streams))
			continue
		}
		fmt.Fprintf(&b, "launch f%d grid=%d block=%d regs=%d shared=%d stream=%d fidelity=kernel start=%d duration=%d\n",
			i, 1+r.IntN(20000), 32*(1+r.IntN(32)), 16+r.IntN(48),
			r.IntN(3)*8192, r.IntN(streams), i*r.IntN(2000), 500+r.IntN(longest))
	}
	return b.String()
}

// Placing CTAs ahead of the machine, and leaping over repeated states, changes nothing: every time of every kernel,
// every window of the timeline, and the sums are equal.
func TestFastForwardChangesNothing(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		text := timedKernels(r)
		cfg, err := hardware.Preset([]string{"k20c", "h100", "rtx3070", "mi300x"}[r.IntN(4)])
		if err != nil {
			t.Fatal(err)
		}
		if r.IntN(2) == 0 {
			cfg.SM.Count = 1 + r.IntN(20)
			cfg.SM.CTALaunchLatency = r.IntN(300)
			cfg.KMU.CTAsPerCycle = []float64{0.013, 0.5, 0.864, 0.951, 1, 1.3, 7}[r.IntN(7)]
			cfg.KMU.DispatchLatency = r.IntN(2000)
		}
		policy := []string{"hyperq", "serial", "captured"}[r.IntN(3)]
		sample := []model.Time{0, 777, 5000, model.SampleAuto}[r.IntN(4)]
		sameForwarded(t, tracetest.FromText(t, text), cfg, policy, sample,
			fmt.Sprintf("seed %d, %s on %s with %d SMs, windows of %d\n%s", seed, policy, cfg.Name, cfg.SM.Count, sample, text))
	}
}

// A hundred thousand CTAs that come and go at a pace that repeats itself after a
// thousand cycles are few steps: their state comes back.
func TestFastForwardSkipsPeriods(t *testing.T) {
	for _, c := range []struct{ pace, duration int }{{1000, 60_000}, {951, 60_000}, {864, 2_000_000}, {951, 20_000_000}} {
		cfg, err := hardware.Preset("k20c")
		if err != nil {
			t.Fatal(err)
		}
		cfg.KMU.CTAsPerCycle = float64(c.pace) / 1000
		text := fmt.Sprintf("meta fidelity=kernel\nlaunch f grid=200000 block=256 fidelity=kernel start=0 duration=%d\n",
			c.duration)
		sameForwarded(t, tracetest.FromText(t, text), cfg, "hyperq", 0, text)
	}
	cfg, err := hardware.Preset("h100")
	if err != nil {
		t.Fatal(err)
	}
	_, sum := forwardedRun(t, tracetest.FromText(t, "meta fidelity=kernel\nlaunch f grid=4290000000 block=256 "+
		"fidelity=kernel start=0 duration=100000000000\n"), cfg, "hyperq", 0, true)
	if sum.CTAs != 4_290_000_000 || sum.Wakeups > 20_000_000 {
		t.Errorf("%d wake-ups for %d CTAs", sum.Wakeups, sum.CTAs)
	}
}

func sameForwarded(t *testing.T, r *container.Reader, cfg *hardware.Config, policy string, sample model.Time,
	what string) {
	t.Helper()
	slow, slowSum := forwardedRun(t, r, cfg, policy, sample, false)
	fast, fastSum := forwardedRun(t, r, cfg, policy, sample, true)
	slowSum.Wakeups, fastSum.Wakeups = 0, 0
	for i := range slow {
		if i >= len(fast) || slow[i] != fast[i] {
			t.Fatalf("%s:\n%s\nwant\n%s", what, strings.Join(fast[i:min(i+2, len(fast))], "\n"), slow[i])
		}
	}
	if len(slow) != len(fast) || !reflect.DeepEqual(slowSum, fastSum) {
		t.Fatalf("%s: %d records, want %d, and\n%+v\nwant\n%+v", what, len(fast), len(slow), fastSum, slowSum)
	}
}

func forwardedRun(t *testing.T, r *container.Reader, cfg *hardware.Config, policy string, sample model.Time,
	forward bool) ([]string, model.Summary) {
	t.Helper()
	p, cfg := policiestest.Build(t, policy, cfg)
	seen := forwardedLog{forward: forward}
	m, err := model.New(r, model.Options{Config: cfg, Policy: p, Observer: &seen, Sample: sample, FastForward: forward})
	if err != nil {
		t.Fatal(err)
	}
	sum, err := m.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if forward && seen.held > 0 {
		t.Errorf("%d CTAs were told of", seen.held)
	}
	return seen.lines, *sum
}

// forwardedLog keeps the records of kernels and windows, and of CTAs with more than a known time.
type forwardedLog struct {
	forward bool
	lines   []string
	held    int
}

func (o *forwardedLog) Kernel(r *model.KernelRecord) {
	x := *r
	x.Recorded = nil
	o.lines = append(o.lines, fmt.Sprintf("%+v", x))
}

func (o *forwardedLog) CTA(r *model.CTARecord) {
	if r.Held {
		o.held++
		return
	}
	o.lines = append(o.lines, fmt.Sprintf("%+v", *r))
}
func (o *forwardedLog) Stage(*model.StageRecord)   {}
func (o *forwardedLog) Launch(*model.LaunchRecord) {}
func (o *forwardedLog) Page(*model.PageRecord)     {}
func (o *forwardedLog) Task(*model.TaskRecord)     {}
func (o *forwardedLog) Sample(r *model.SampleRecord) {
	o.lines = append(o.lines, fmt.Sprintf("%+v", *r))
}
