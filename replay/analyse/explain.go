package analyse

import (
	"cmp"
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

// Switch turns one resource or latency of the machine off.
type Switch struct {
	Name string
	What string      // the part of the machine that is left out
	Sets [][2]string // keys of the machine and their values
}

// Switches are those that Explain turns, in the order of the way of an
// instruction.
func Switches() []Switch {
	zero := func(keys ...string) (s [][2]string) {
		for _, k := range keys {
			s = append(s, [2]string{k, "0"})
		}
		return s
	}
	return []Switch{
		{"host-calls", "the host's own time for launches and copies", zero("host.launch_overhead_ns", "host.copy_call_ns",
			"host.copy_latency_ns")},
		{"host-work", "work of the host between its calls", zero("host.work_scale")},
		{"launch", "launch and dispatch latency", zero("host.launch_latency", "host.launch_overhead_ns",
			"kmu.dispatch_latency")},
		{"device-launch", "latency of the device API", zero("launch.stream_create", "launch.param_base",
			"launch.param_per_lane", "launch.device_base", "launch.device_per_lane")},
		{"copies", "copies between host and device", zero("host.pcie_gb_s", "host.copy_latency_ns")},
		{"storage", "file reads and writes", zero("host.storage_mb_s")},
		{"cta-start", "start of a CTA", zero("sm.cta_launch_latency", "sm.warp_launch_gap")},
		{"cta-rate", "pace of CTAs", [][2]string{{"kmu.ctas_per_cycle", "1024"}}},
		{"pipeline", "pipeline depth behind arithmetic", zero("sm.pipeline_depth")},
		{"alu", "latency of arithmetic beyond a cycle", [][2]string{{"exec.int.latency", "1"}, {"exec.fp16.latency", "1"},
			{"exec.fp32.latency", "1"},
			{"exec.fp64.latency", "1"}, {"exec.sfu.latency", "1"}, {"exec.tensor.latency", "1"},
			{"exec.uniform.latency", "1"}, {"exec.control.latency", "1"}, {"exec.texture.latency", "1"}}},
		{"initiation", "initiation intervals", [][2]string{{"exec.int.initiation", "1"}, {"exec.fp16.initiation", "1"},
			{"exec.fp32.initiation", "1"},
			{"exec.fp64.initiation", "1"}, {"exec.sfu.initiation", "1"}, {"exec.tensor.initiation", "1"},
			{"exec.uniform.initiation", "1"}, {"exec.control.initiation", "1"}, {"exec.texture.initiation", "1"}}},
		{"collectors", "operand collectors, fetches, result buses and rotating schedulers",
			[][2]string{{"sm.pipeline", "direct"}, {"sm.operand_collectors", "0"}}},
		{"result-buses", "results of arithmetic that wait for a bus", zero("sm.result_buses")},
		{"shared-latency", "latency of shared memory", zero("shared.latency")},
		{"shared-wide", "words that conflict of wide accesses to shared memory", [][2]string{{"shared.wide", "passes"}}},
		{"l1-latency", "latency of the L1", zero("l1.latency", "l1.bypass_latency")},
		{"atomics", "warps that wait for their atomics", [][2]string{{"sm.atomics_hold_warp", "false"}}},
		{"stores-hold", "CTAs that stay until their stores are acknowledged", [][2]string{{"sm.stores_hold_cta", "false"}}},
		{"atomic-conflicts", "lanes of an atomic on the same bytes", [][2]string{{"sm.atomic_conflicts", "merged"}}},
		{"tlb", "misses of the TLB", zero("tlb.entries")},
		{"l1-mshr", "limits on misses and merges of an L1", zero("l1.mshrs", "l1.merge")},
		{"queues", "limits of queues at ports, slices and channels",
			[][2]string{{"l1.miss_queue", "65536"}, {"l2.miss_queue", "65536"}, {"l2.queue", "65536"},
				{"dram.window", "65536"}}},
		{"icnt-latency", "latency of the crossbar", zero("icnt.latency")},
		{"head-of-line", "packets that stop those behind them at the crossbar", [][2]string{{"icnt.head_of_line", "false"}}},
		{"memory-engine", "requests that move cycle by cycle", [][2]string{{"memory.engine", "reserve"}}},
		{"l2-latency", "latency of the L2", zero("l2.latency")},
		{"l2-mshr", "limits on misses and merges of an L2 slice", zero("l2.mshrs", "l2.merge")},
		{"l2-hash", "hash of addresses over L2 slices", [][2]string{{"l2.hash", "linear"}}},
		{"address-map", "layout of addresses, polynomials of slices and sets",
			[][2]string{{"dram.mapping", ""}, {"l2.hash", "xor"}, {"l2.set_hash", "spread"}}},
		{"dram-latency", "constant latency of DRAM", zero("dram.latency")},
		{"dram-rows", "opening and closing of rows", zero("dram.trcd", "dram.trp", "dram.tras", "dram.trc")},
		{"dram-refresh", "refresh of DRAM", zero("dram.trefi", "dram.trfc")},
		{"dram-bandwidth", "DRAM bandwidth (16 times as much)", nil},
	}
}

// Effect is the change by one switch.
type Effect struct {
	Switch
	Cycles model.Time
	Pct    float64 // change against the machine as it is
}

// Explain replays a trace under one policy, once as the machine is and once with each
// switch turned, jobs of them at a time (0: as many as fit). It returns the machine's
// cycles and the effects, the largest first. A nil timing is the default of the trace.
// Done is called after each run; it may be nil.
func Explain(ctx context.Context, tr *container.Reader, cfg *hardware.Config, c *policies.Choice, timing *host.Timing,
	jobs int,
	done replay.Done) (model.Time, []Effect, error) {
	facts, err := policies.ProfileTrace(tr, host.NotTasks)
	if err != nil {
		return 0, nil, err
	}
	if why := c.MissingInput(facts); why != "" {
		return 0, nil, fmt.Errorf("policy %s does not apply: %s", c.Label, why)
	}
	times, switches := timingOr(timing, facts), Switches()
	all := make([]Effect, 1+len(switches)) // the first is the machine as it is
	for i := range switches {
		all[1+i].Switch = switches[i]
	}
	pool := workers.Pool{Workers: jobs, Done: done, Name: func(i int) string { return all[i].What }}
	err = pool.Do(ctx, len(all), func(ctx context.Context, i int) error {
		machine, err := all[i].turn(cfg)
		if err == nil {
			all[i].Cycles, err = watched(ctx, tr, machine, c, times, model.Discard{})
		}
		switch {
		case err == nil:
			return nil
		case i == 0:
			return fmt.Errorf("policy %s: %w", c.Label, err)
		}
		return fmt.Errorf("switch %s: %w", all[i].Name, err)
	})
	if err != nil {
		return 0, nil, err
	}
	base := all[0].Cycles
	for i := range all {
		all[i].Pct = float64(all[i].Cycles-base) / float64(max(1, base)) * 100
	}
	effects := all[1:]
	slices.SortStableFunc(effects, func(a, b Effect) int { return cmp.Compare(math.Abs(b.Pct), math.Abs(a.Pct)) })
	return base, effects, nil
}

// timingOr is a timing, or without one the default of the trace.
func timingOr(timing *host.Timing, facts *policies.TraceProfile) host.Timing {
	if timing != nil {
		return *timing
	}
	return replay.TimingOf(facts)
}

// turn returns the machine with the switch turned.
func (s *Switch) turn(cfg *hardware.Config) (*hardware.Config, error) {
	changed := *cfg
	if s.Name == "dram-bandwidth" {
		changed.DRAM.DataRate *= 16
	}
	for _, kv := range s.Sets {
		if err := changed.Set(kv[0], kv[1]); err != nil {
			return nil, err
		}
	}
	return &changed, nil
}

// watched runs a trace under an observer and returns its cycles.
func watched(ctx context.Context, tr *container.Reader, cfg *hardware.Config, c *policies.Choice, timing host.Timing,
	watch model.Observer) (model.Time, error) {
	p, machine, err := c.Build(cfg)
	if err != nil {
		return 0, err
	}
	m, err := model.New(tr, model.Options{Config: machine, Policy: p, Observer: watch, Captured: replay.CapturedOn(tr),
		Timing: timing, FastForward: true})
	if err != nil {
		return 0, err
	}
	sum, err := m.Run(ctx)
	if err != nil {
		return 0, err
	}
	return sum.Cycles, nil
}
