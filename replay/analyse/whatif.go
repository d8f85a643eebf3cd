package analyse

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gpureplay/internal/workers"
	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/policies"
	"gpureplay/replay"
	"gpureplay/trace/container"
)

// A WhatIf is how long a capture's program would have taken, had one thing been
// another.
type WhatIf struct {
	What   string
	Ns     int64
	Bound  string // "at most" or "at least" where Ns bounds the time; "": it is the prediction
	Limits Limits // all zero for the recorded time
	Notes  string // the assumptions
}

// WhatIfs are the rows of a capture.
type WhatIfs struct {
	Rows    []WhatIf
	Kernels int // of the host
	Pinned  int // of these, without a recorded call: they keep their recorded start
}

// whatIf is a replay with one thing changed.
type whatIf struct {
	what, policy, notes string
	cfg                 *hardware.Config
	timing              host.Timing
	calls               bool // of the host's calls: for captures that have them
	bound               string
	scale               float64 // of the time, for a bound; 0: none
}

// RunWhatIfs replays a capture with one thing changed at a time: twice its SMs or as many as sms says, if that is
// not 0, and on gpu, if that is not nil; jobs of them at a time (0: as many as fit). Rows that need the host's
// times are left out if the profiler recorded the device alone. Done is called after each; it may be nil.
func RunWhatIfs(ctx context.Context, r *container.Reader, sms int, gpu *hardware.Config, jobs int, done replay.Done) (
	*WhatIfs, error) {
	times, err := host.ReadCapture(r)
	if err != nil {
		return nil, err
	}
	facts, err := policies.ProfileTrace(r, host.NotTasks)
	if err != nil {
		return nil, err
	}
	if !times.Timed {
		return nil, fmt.Errorf("what-if: the trace has no recorded times: it is no capture of a profiler " +
			"(replay --policy=all compares policies on it, --sensitivity=KEY a range of the machine)")
	}
	machine, err := replay.MachineOf(r)
	if err != nil {
		return nil, err
	}
	if sms == 0 {
		sms = 2 * machine.Config.SM.Count
	}
	rows := whatIfs(machine.Config, replay.TimingOf(facts), sms)
	if facts.Calls == 0 {
		rows = slices.DeleteFunc(rows, func(w whatIf) bool { return w.calls })
		rows[1].notes = "no call of the host was recorded: kernels and copies one behind the other in their streams"
	}
	if gpu != nil {
		rows = append(rows, onAnother(machine.Config, gpu, replay.TimingOf(facts), facts.Calls > 0)...)
	}
	all := &WhatIfs{Rows: make([]WhatIf, 1+len(rows))}
	if all.Kernels, all.Pinned, err = pinnedKernels(r, facts.Calls > 0); err != nil {
		return nil, err
	}
	list := all.Rows
	list[0] = WhatIf{What: "recorded", Ns: times.SpanNs()}
	pool := workers.Pool{Workers: jobs, Done: done, Name: func(i int) string { return rows[i].what }}
	err = pool.Do(ctx, len(rows), func(ctx context.Context, i int) error {
		row := &rows[i]
		watch := &limitWatch{pin: func(k *model.KernelRecord) bool {
			return row.policy == "captured" || facts.Calls > 0 && uncalled(k)
		}}
		ns, cycles, err := spanUnder(ctx, r, row.cfg, row.policy, row.timing, watch)
		if err != nil {
			return fmt.Errorf("%s: %w", row.what, err)
		}
		if row.scale > 0 {
			ns = int64(math.Round(float64(ns) * row.scale))
		}
		list[1+i] = WhatIf{row.what, ns, row.bound, watch.limits(cycles), row.notes}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// uncalled reports whether the capture has no call that launched a kernel.
func uncalled(k *model.KernelRecord) bool { return k.Recorded != nil && k.Recorded.HostNs < 0 }

// pinnedKernels counts the kernels of the host, and the ones without a call.
func pinnedKernels(r *container.Reader, calls bool) (all, pinned int, err error) {
	recorded, err := recordedOrder(r)
	for _, k := range recorded {
		all++
		if k.uncalled && calls {
			pinned++
		}
	}
	return all, pinned, err
}

// onAnother are the rows of another GPU, with the recorded host and with one that takes no
// time. CTAs last as long as on the captured GPU, so the time is a bound: on an SM of the
// same or a newer architecture a CTA takes at most that time, scaled by the clock or the
// bandwidth that is lower. On an older one it takes at least that time, scaled by the one
// that is higher.
func onAnother(own, gpu *hardware.Config, recorded host.Timing, calls bool) []whatIf {
	clock, bandwidth := own.Clock.CoreMHz/gpu.Clock.CoreMHz, own.DRAMGBs()/gpu.DRAMGBs()
	bound, scale := "at most", max(1, clock, bandwidth)
	if gpu.SM.ComputeCapability < own.SM.ComputeCapability {
		bound, scale = "at least", min(1, clock, bandwidth)
	}
	none := recorded
	none.Host = host.TimesNone
	notes := fmt.Sprintf(
		"a bound: the number of SMs, and CTAs that last %.3f times as long as on the captured GPU, by clock and bandwidth",
		scale)
	rows := []whatIf{{"on " + gpu.Name, "hyperq", notes, gpu, recorded, false, bound, scale}}
	if calls {
		rows = append(rows, whatIf{"on " + gpu.Name + ", host no limit", "hyperq", notes, gpu, none, true, bound, scale})
	}
	return rows
}

const inferred = "CTAs last as long as on the captured GPU"

// whatIfs are the questions about every capture.
func whatIfs(own *hardware.Config, recorded host.Timing, sms int) []whatIf {
	calls, none := recorded, recorded
	calls.Host, none.Host = host.TimesMachine, host.TimesNone
	change := func(f func(*hardware.Config)) *hardware.Config {
		c := *own
		f(&c)
		return &c
	}
	free := change(func(c *hardware.Config) { c.Host.LaunchLatency, c.Host.LaunchOverheadNs = 0, 0 })
	fast := change(func(c *hardware.Config) { c.Host.WorkScale = 0.5 })
	more := change(func(c *hardware.Config) { c.SM.Count = sms })
	return []whatIf{
		{"captured", "captured", "", own, recorded, false, "", 0},
		{"replayed", "hyperq", "", own, recorded, false, "", 0},
		{"calls that cost nothing", "hyperq", "", free, calls, true, "", 0},
		{"a host twice as fast", "hyperq", "", fast, recorded, true, "", 0},
		{"a host that takes no time", "hyperq", "", own, none, true, "", 0},
		{"each step a CUDA graph", "graph",
			"one call launches the work of a step, or between two waits of the host, without host work between kernels",
			own, recorded, true, "", 0},
		{"streams freed", "freed",
			"kernels wait for events and copies alone: the most that stream order can cost, since kernels may rely on it",
			own, recorded, false, "at least", 0},
		{fmt.Sprintf("%d SMs", sms), "hyperq", inferred, more, recorded, false, "", 0},
		{fmt.Sprintf("%d SMs, host no limit", sms), "hyperq", inferred, more, none, true, "", 0},
	}
}
