package analyse

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/policies"
	"gpureplay/replay"
	"gpureplay/trace"
	"gpureplay/trace/container"
)

// CaptureResult is a profiler's capture, replayed as it was recorded and as its
// program says.
type CaptureResult struct {
	Capture    string
	Machine    string // that replayed it, and where it is from
	Kernels    uint64
	HostTimes  bool               // the capture has calls of the host
	NoCall     uint64             // kernels without a call, which begin no earlier than they did
	RecordedNs int64              // from the begin of the host's program to the end of the last work
	CapturedNs int64              // under the policy captured
	ReplayedNs int64              // under hyperq, with the host and the copies as recorded
	Inverted   uint64             // kernels that the trace has behind one of their stream that began later
	Overlaps   uint64             // kernels that began before the one before them in their stream had ended
	Kept       uint64             // of these, as captured
	Lost       []trace.Diagnostic // counts of records that the converter dropped
}

// CapturedPct is how far the end of captured is from the recorded one.
func (c *CaptureResult) CapturedPct() float64 { return pct(c.CapturedNs, c.RecordedNs) }

// ReplayedPct is how far the end of the replay is from the recorded one.
func (c *CaptureResult) ReplayedPct() float64 { return pct(c.ReplayedNs, c.RecordedNs) }

func pct(is, was int64) float64 { return 100 * (float64(is)/float64(was) - 1) }

// CorrelateCapture replays a capture on the machine that it was made on and sets the end beside the recorded one. It
// returns an error if the capture has no recorded times.
func CorrelateCapture(ctx context.Context, r *container.Reader, name string) (*CaptureResult, error) {
	times, err := host.ReadCapture(r)
	if err != nil {
		return nil, err
	}
	if !times.Timed || times.SpanNs() <= 0 {
		return nil, fmt.Errorf("correlate: %s has no recorded times: it is no capture of a profiler", name)
	}
	p := r.Program()
	facts, err := policies.ProfileTrace(r, host.NotTasks)
	if err != nil {
		return nil, err
	}
	machine, err := replay.MachineOf(r)
	if err != nil {
		return nil, err
	}
	c := &CaptureResult{
		Capture: name, Machine: machine.Says, Kernels: p.Totals.Kernels, HostTimes: facts.Calls > 0,
		RecordedNs: times.SpanNs(),
	}
	for _, d := range p.Diagnostics {
		if d.Severity != trace.Info {
			c.Lost = append(c.Lost, d)
		}
	}
	recorded, err := recordedOrder(r)
	if err != nil {
		return nil, err
	}
	for _, k := range recorded {
		if k.uncalled {
			c.NoCall++
		}
	}
	c.Inverted, c.Overlaps = recorded.count()
	var kept boundaryWatch
	if c.CapturedNs, _, err = spanUnder(ctx, r, machine.Config, "captured", replay.TimingOf(facts), &kept); err != nil {
		return nil, err
	}
	_, c.Kept = kept.count()
	c.ReplayedNs, _, err = spanUnder(ctx, r, machine.Config, "hyperq", replay.TimingOf(facts), &boundaryWatch{})
	return c, err
}

// spanUnder replays a trace under a policy and returns how long that takes.
func spanUnder(ctx context.Context, r *container.Reader, cfg *hardware.Config, policy string, timing host.Timing,
	watch model.Observer) (ns int64, cycles model.Time, err error) {
	choices, err := policies.Parse(policy, nil)
	if err != nil {
		return 0, 0, err
	}
	p, cfg, err := choices[0].Build(cfg)
	if err != nil {
		return 0, 0, err
	}
	m, err := model.New(r, model.Options{Config: cfg, Policy: p, Observer: watch, Captured: replay.CapturedOn(r),
		Timing: timing, FastForward: true})
	if err != nil {
		return 0, 0, err
	}
	sum, err := m.Run(ctx)
	if err != nil {
		return 0, 0, fmt.Errorf("policy %s: %w", policy, err)
	}
	return int64(float64(sum.Cycles) * 1000 / cfg.Clock.CoreMHz), sum.Cycles, nil
}

// interval is a kernel's place in time.
type interval struct {
	stream     uint64
	kernel     uint32
	start, end int64
	uncalled   bool // the capture has no call that launched it
}

// recordings are kernels, which count compares within their streams.
type recordings []interval

// count returns how many began before the one that stands before them in their
// stream, and how many of the others before that one had ended.
func (s recordings) count() (inverted, overlaps uint64) {
	slices.SortFunc(s, func(a, b interval) int {
		return cmp.Or(cmp.Compare(a.stream, b.stream), cmp.Compare(a.kernel, b.kernel))
	})
	for i := 1; i < len(s); i++ {
		switch a, b := s[i-1], s[i]; {
		case a.stream != b.stream:
		case b.start < a.start:
			inverted++
		case b.start < a.end:
			overlaps++
		}
	}
	return inverted, overlaps
}

// recordedOrder reads where the kernels of the host were recorded.
func recordedOrder(r *container.Reader) (recordings, error) {
	var all recordings
	var k trace.Kernel
	for op, err := range trace.Each(r.HostOps()) {
		if err != nil {
			return nil, err
		}
		if op.Kind != trace.OpLaunch {
			continue
		}
		if err := r.Kernel(op.Kernel, &k); err != nil {
			return nil, err
		}
		if t := k.Recorded; t != nil && t.StartNs >= 0 {
			all = append(all, interval{op.Stream, uint32(len(all)), t.StartNs, t.StartNs + max(0, t.DurationNs), t.HostNs < 0})
		}
	}
	return all, nil
}

// boundaryWatch keeps where kernels were replayed.
type boundaryWatch struct {
	model.Discard
	recordings
}

// Kernel is of [model.Observer].
func (w *boundaryWatch) Kernel(r *model.KernelRecord) {
	w.recordings = append(w.recordings, interval{stream: r.Stream, kernel: r.ID, start: r.FirstCTA, end: r.End})
}
