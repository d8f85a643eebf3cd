package replay

import (
	"context"
	"fmt"
	"slices"

	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/policies"
	"gpureplay/replay/workers"
	"gpureplay/trace"
)

// A WhatIf is how long a capture's program would have taken, had one thing been
// another.
type WhatIf struct {
	What  string
	Ns    int64
	Notes string // what is assumed
}

// whatIf is a replay with one thing changed.
type whatIf struct {
	what, policy, notes string
	cfg                 *hardware.Config
	timing              host.Timing
	calls               bool // of what the host did: for captures that have it
}

// WhatIfs replays a capture with one thing changed at a time: twice its SMs or as
// many as sms says, if that is not 0, and on gpu, if that is not nil; jobs of them at a
// time (0: as many as fit). What the host would have to be known for is left out where
// the profiler saw the device alone. Done is told after each; may be nil.
func WhatIfs(ctx context.Context, r *trace.Reader, sms int, gpu *hardware.Config, jobs int, done Done) ([]WhatIf, error) {
	times, err := host.ReadCapture(r)
	if err != nil {
		return nil, err
	}
	facts, err := policies.FactsOf(r, host.NotTasks)
	if err != nil {
		return nil, err
	}
	if !times.Timed {
		return nil, fmt.Errorf("what-if: the trace has no recorded times: it is no capture of a profiler (a policy's effect on it: replay --policy=...)")
	}
	machine, err := MachineOf(r)
	if err != nil {
		return nil, err
	}
	if sms == 0 {
		sms = 2 * machine.Config.SM.Count
	}
	rows := whatIfs(machine.Config, TimingOf(facts), sms)
	if facts.Calls == 0 {
		rows = slices.DeleteFunc(rows, func(w whatIf) bool { return w.calls })
		rows[1].notes = "no call of the host was recorded: kernels and copies one behind the other in their streams"
	}
	if gpu != nil {
		rows = append(rows, whatIf{"on " + gpu.Name, "hyperq", inferred, gpu, TimingOf(facts), false})
	}
	list := make([]WhatIf, 1+len(rows))
	list[0] = WhatIf{What: "recorded", Ns: times.SpanNs()}
	pool := workers.Pool{Workers: jobs, Done: done, Name: func(i int) string { return rows[i].what }}
	err = pool.Do(ctx, len(rows), func(ctx context.Context, i int) error {
		row := &rows[i]
		ns, err := spanUnder(ctx, r, row.cfg, row.policy, row.timing, &boundaryWatch{})
		if err != nil {
			return fmt.Errorf("%s: %w", row.what, err)
		}
		list[1+i] = WhatIf{row.what, ns, row.notes}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

const inferred = "work is inferred: CTAs hold their places as long as on the captured GPU"

// whatIfs are what is asked of every capture.
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
		{"captured", "captured", "starts as recorded", own, recorded, false},
		{"replayed", "hyperq", "host and copies as recorded", own, recorded, false},
		{"calls that cost nothing", "hyperq", "the host's work between them stays", free, calls, true},
		{"a host twice as fast", "hyperq", "its work and its calls", fast, recorded, true},
		{"a host that takes no time", "hyperq", "it waits where it waited", own, none, true},
		{"each step a CUDA graph", "graph", "or what lies between two waits of the host: one call launches it, and the host's work between its kernels is gone", own, recorded, true},
		{"streams freed", "freed", "kernels wait for events and copies alone: what the order of streams costs at most, since kernels may rely on it", own, recorded, false},
		{fmt.Sprintf("%d SMs", sms), "hyperq", inferred, more, recorded, false},
	}
}
