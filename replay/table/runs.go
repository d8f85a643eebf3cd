package table

import (
	"math"
	"slices"

	"gpureplay/model"
	"gpureplay/model/memory"
	"gpureplay/trace"
)

// Run is one replay.
type Run struct {
	Fidelity   trace.Fidelity // of the least detailed kernel that ran
	Baselines  string         // policies that its own is compared with, with commas; "": none
	Incomplete bool           // it was cut off: the figures are of its beginning
	MaxWarps   int            // per SM, for the occupancy; 0: unknown
	RecordedNs int64          // how long the program of a capture took; 0: it is none
	model.Summary

	// Waiting time of the launches that were made: launch call to the first
	// CTA of the child. Mean is NaN and the percentiles model.Unset if there
	// are none.
	WaitingMean                        float64
	WaitingP50, WaitingP95, WaitingP99 model.Time // cycles
}

var fidelities = []string{
	trace.FidelityNone: "none", trace.FidelityKernel: "kernel", trace.FidelityCTA: "cta", trace.FidelityWarp: "warp",
}

// ratio is a/b·scale, not a number if b is 0.
func ratio(a, b uint64, scale float64) float64 {
	if b == 0 {
		return math.NaN()
	}
	return float64(a) / float64(b) * scale
}

// level sums the records of one level: the one of all units where there is one (Index -1), else the units'.
func (r *Run) level(name string) memory.Record {
	var sum memory.Record
	for i := range r.Memory {
		m := &r.Memory[i]
		if m.Level != name {
			continue
		}
		if m.Index < 0 {
			return *m
		}
		sum.Accesses += m.Accesses
		sum.Hits += m.Hits
		sum.ReadSectors += m.ReadSectors
		sum.WriteSectors += m.WriteSectors
		sum.BusyCycles += m.BusyCycles
	}
	return sum
}

// HitPct is hits over accesses of a level, in per cent.
func (r *Run) HitPct(level string) float64 {
	m := r.level(level)
	return ratio(m.Hits, m.Accesses, 100)
}

// DRAMEfficiency is sectors read and written per cycle with a request pending.
func (r *Run) DRAMEfficiency() float64 {
	m := r.level("dram")
	return ratio(m.ReadSectors+m.WriteSectors, uint64(m.BusyCycles), 1)
}

// runFigures are the columns of every run.
func runFigures() []column[Run] {
	return []column[Run]{
		enum("fidelity", "Detail of the least detailed kernel that ran; absent detail is inferred.", fidelities,
			func(r *Run) int { return int(r.Fidelity) }),
		boolean("complete", "The program ran to its end; false: it was cut off, and the figures cover its beginning.",
			func(r *Run) bool { return !r.Incomplete }),
		text("baselines", "The policies that this one is compared with. A speed-up divides the cycles of the first "+
			"that ran, of the same trace, gpu and set, by this one's (samples/queries/speedup.sql).",
			true, func(r *Run) string { return r.Baselines }),
		cycles("cycles", "From the start of the program to its end.", func(r *Run) model.Time { return r.Cycles }),
		inNs("time_ns", "The same in nanoseconds.", func(r *Run) model.Time { return r.Cycles }),
		i64("recorded_ns", "In the capture: how long the program took, from its first call to the end of its last work.",
			func(r *Run) (int64, bool) { return r.RecordedNs, r.RecordedNs > 0 }),
		count("kernels", "Kernels that ran, of host and device.", func(r *Run) uint64 { return r.Kernels }),
		count("kernels_inferred", "Kernels whose work is inferred in part or whole; the table kernels has the part.",
			func(r *Run) uint64 { return r.KernelsInferred }),
		count("ctas", "CTAs that ran, native and aggregated.", func(r *Run) uint64 { return r.CTAs }),
		count("warps", "Warps that ran.", func(r *Run) uint64 { return r.Warps }),
		count("warp_instructions", "Warp instructions issued.", func(r *Run) uint64 { return r.WarpInsts }),
		count("thread_instructions", "Warp instructions times their active lanes.",
			func(r *Run) uint64 { return r.ThreadInsts }),
		count("events", "CTAs, warp instructions, and sectors at L1s, slices and channels.",
			func(r *Run) uint64 { return r.Events }),
		f64("occupancy_pct", "Average resident warps of an SM with work, over the most that an SM holds.",
			func(r *Run) float64 { return ratio(r.ActiveWarpCycles, r.ActiveSMCycles*uint64(r.MaxWarps), 100) }),
		f64("warp_activity_pct", "Average active lanes of a warp instruction, over 32.",
			func(r *Run) float64 { return ratio(r.ThreadInsts, 32*r.WarpInsts, 100) }),
		f64("issue_utilisation_pct", "Warp instructions issued over the issue slots of SMs with work.",
			func(r *Run) float64 { return ratio(r.IssuedInsts, r.IssueSlots, 100) }),
		f64("dram_efficiency", "Sectors of 32 B read and written per SM cycle in which a DRAM channel has a request "+
			"pending, over all channels. The value of a full bus differs by machine and may be above 1 (docs/model, Memory).",
			(*Run).DRAMEfficiency),
		f64("l1_hit_pct", "Hits over accesses of the L1 caches.", func(r *Run) float64 { return r.HitPct("l1") }),
		f64("l2_hit_pct", "Hits over accesses of the L2 cache.", func(r *Run) float64 { return r.HitPct("l2") }),
	}
}

// runLaunches are the columns about child launches.
func runLaunches() []column[Run] {
	return []column[Run]{
		count("launches_requested", "Child launches that the program could make.",
			func(r *Run) uint64 { return r.LaunchesRequested }),
		count("launches_made", "Child launches made, as kernels or groups.", func(r *Run) uint64 { return r.LaunchesMade }),
		count("launches_inlined", "Child launches whose work the parent did itself.",
			func(r *Run) uint64 { return r.LaunchesInlined }),
		count("launches_coalesced", "Child launches that became groups of a kernel in the distributor.",
			func(r *Run) uint64 { return r.LaunchesCoalesced }),
		f64("waiting_cycles_mean", "Launch call to the first CTA of the child, mean over the launches made.",
			func(r *Run) float64 { return r.WaitingMean }),
		at("waiting_cycles_p50", "The same, median.", func(r *Run) model.Time { return r.WaitingP50 }),
		at("waiting_cycles_p95", "The same, 95th percentile.", func(r *Run) model.Time { return r.WaitingP95 }),
		at("waiting_cycles_p99", "The same, 99th percentile.", func(r *Run) model.Time { return r.WaitingP99 }),
		count("pending_launch_peak_bytes", "Most memory that pending launches took at once.",
			func(r *Run) uint64 { return r.PendingLaunchPeakBytes }),
	}
}

func init() {
	register(table[Run]{
		Name: "runs", Row: "one replay: a trace under a policy on a machine", Order: "one row", Place: 10, Small: true,
		Columns: func() []column[Run] {
			return slices.Concat(runFigures(), runLaunches())
		},
		From: func(f *feed, add func(*Run)) { f.run.to(add) },
	})
}
