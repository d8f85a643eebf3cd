package table

import (
	"math"
	"slices"

	"gpureplay/model"
	"gpureplay/model/exec"
	"gpureplay/trace"
)

type kernelRow = model.KernelRecord

// recorded is a time of the capture, NULL where the source has none.
func recorded(name, doc string, get func(*trace.Recorded) int64) column[kernelRow] {
	return i64(name, doc, func(r *kernelRow) (int64, bool) {
		if r.Recorded == nil {
			return 0, false
		}
		v := get(r.Recorded)
		return v, v >= 0
	})
}

// kernelStalled sums a stall over CTAs; of a kernel with a duration alone it is no finding.
func kernelStalled(reason exec.Stall, name string) column[kernelRow] {
	return i64("stalled_"+name+"_cycles", "Cycles of its CTAs in which no warp issued, by the reasons of the table "+
		"ctas; NULL where its time is inferred.",
		func(r *kernelRow) (int64, bool) { return r.Work.StallTimes[reason], r.Inferred < trace.InferredTime })
}

func gpuIPC(r *kernelRow) float64 {
	if r.FirstCTA == model.Unset || r.End == model.Unset {
		return math.NaN()
	}
	return ratio(r.ThreadInsts, uint64(r.End-r.FirstCTA), 1)
}

func shortFunction(r *kernelRow) string {
	if r.Short != "" {
		return r.Short
	}
	return trace.ShortName(r.Function)
}

var launchers = []string{"host", "device"}

func launcher(r *kernelRow) int {
	if r.Device {
		return 1
	}
	return 0
}

// kernelShape identifies a kernel and describes its shape.
func kernelShape() []column[kernelRow] {
	return []column[kernelRow]{
		count("kernel", "Its id in the trace.", func(r *kernelRow) uint32 { return r.ID }),
		text("function", "Name of the device function.", false, func(r *kernelRow) string { return r.Function }),
		text("function_short", "The same demangled, without namespaces, parameters and the template arguments "+
			"that all functions of the name share.", false, shortFunction),
		enum("launched_by", "Who launched it.", launchers, launcher),
		id("parent_kernel", "The kernel that launched it.", model.NoKernel, func(r *kernelRow) uint32 { return r.Parent }),
		count("stream", "Its stream.", func(r *kernelRow) uint64 { return r.Stream }),
		enum("fidelity", "Detail of the trace about it.", fidelities, func(r *kernelRow) int { return int(r.Fidelity) }),
		enum("inferred", "Inferred part of its work, absent from the trace: none; the order of counted instructions; "+
			"the accesses to touched bytes; "+
			"the time, from its recorded duration; all (docs/model, Counts).", trace.InferredWords(),
			func(r *kernelRow) int { return int(r.Inferred) }),
		count("grid_x", "CTAs of the grid in x.", func(r *kernelRow) uint32 { return r.Grid[0] }),
		count("grid_y", "CTAs of the grid in y.", func(r *kernelRow) uint32 { return r.Grid[1] }),
		count("grid_z", "CTAs of the grid in z.", func(r *kernelRow) uint32 { return r.Grid[2] }),
		count("block_x", "Threads of a CTA in x.", func(r *kernelRow) uint32 { return r.Block[0] }),
		count("block_y", "Threads of a CTA in y.", func(r *kernelRow) uint32 { return r.Block[1] }),
		count("block_z", "Threads of a CTA in z.", func(r *kernelRow) uint32 { return r.Block[2] }),
		count("registers_per_thread", "Registers of a thread.", func(r *kernelRow) uint32 { return r.Registers }),
		count("shared_bytes", "Shared memory of a CTA.", func(r *kernelRow) uint32 { return r.SharedBytes }),
		count("ctas", "CTAs that ran, native and aggregated.", func(r *kernelRow) uint64 { return r.CTAs }),
	}
}

// kernelTimes are the times of a kernel in the run.
func kernelTimes() []column[kernelRow] {
	return []column[kernelRow]{
		at("arrive_cycles", "Known to the KMU.", func(r *kernelRow) model.Time { return r.Arrive }),
		at("dispatch_cycles", "Entered the kernel distributor.", func(r *kernelRow) model.Time { return r.Dispatch }),
		at("first_cta_cycles", "First CTA placed on an SM.", func(r *kernelRow) model.Time { return r.FirstCTA }),
		at("last_cta_cycles", "Last CTA placed on an SM.", func(r *kernelRow) model.Time { return r.LastCTA }),
		at("end_cycles", "Last CTA ended.", func(r *kernelRow) model.Time { return r.End }),
		between("waiting_cycles", "From arrive to first_cta.",
			func(r *kernelRow) (from, to model.Time) { return r.Arrive, r.FirstCTA }),
		between("duration_cycles", "From first_cta to end.",
			func(r *kernelRow) (from, to model.Time) { return r.FirstCTA, r.End }),
		betweenNs("duration_ns", "From first_cta to end.",
			func(r *kernelRow) (from, to model.Time) { return r.FirstCTA, r.End }),
	}
}

// kernelWork counts its instructions, accesses and stalls.
func kernelWork() []column[kernelRow] {
	return []column[kernelRow]{
		count("warp_instructions", "Warp instructions issued.", func(r *kernelRow) uint64 { return r.WarpInsts }),
		count("thread_instructions", "Warp instructions times their active lanes.",
			func(r *kernelRow) uint64 { return r.ThreadInsts }),
		f64("ipc", "Warp instructions per cycle of an SM with a CTA of it (Nsight: "+
			"sm__inst_executed.avg.per_cycle_active).",
			func(r *kernelRow) float64 { return ratio(r.WarpInsts, r.Work.ActiveSMCycles, 1) }),
		f64("gpu_ipc", "Thread instructions per cycle of its duration, over the whole GPU (Accel-Sim: gpu_ipc).", gpuIPC),
		f64("occupancy_pct", "Its average resident warps of an SM with a CTA of it, over the most that an SM holds "+
			"(Nsight: sm__warps_active.avg.pct_of_peak_sustained_active).",
			func(r *kernelRow) float64 { return ratio(r.Work.WarpCycles, r.Work.PlaceCycles, 100) }),
		count("l1_accesses", "Sectors of 32 B that it requested from the L1 (Nsight: l1tex__t_sectors.sum).",
			func(r *kernelRow) uint64 { return r.Work.L1Accesses }),
		count("l1_hits", "Requests that hit (Nsight: l1tex__t_sectors_lookup_hit.sum).",
			func(r *kernelRow) uint64 { return r.Work.L1Hits }),
		f64("l1_hit_pct", "The same in percent (Nsight: l1tex__t_sector_hit_rate.pct).",
			func(r *kernelRow) float64 { return ratio(r.Work.L1Hits, r.Work.L1Accesses, 100) }),
		count("l2_accesses", "Sectors of 32 B that it requested from the L2 (Nsight: lts__t_sectors_srcunit_tex.sum).",
			func(r *kernelRow) uint64 { return r.Work.L2Accesses }),
		count("l2_hits", "Requests that hit (Nsight: lts__t_sectors_srcunit_tex_lookup_hit.sum).",
			func(r *kernelRow) uint64 { return r.Work.L2Hits }),
		f64("l2_hit_pct", "The same in percent (Nsight: lts__t_sector_hit_rate.pct).",
			func(r *kernelRow) float64 { return ratio(r.Work.L2Hits, r.Work.L2Accesses, 100) }),
		count("dram_read_bytes", "Read from DRAM for it (Nsight: dram__bytes_read.sum).",
			func(r *kernelRow) uint64 { return 32 * r.Work.DRAMReads }),
		count("dram_write_bytes", "Written to DRAM because of it: also dirty data of others that its accesses evicted "+
			"(Nsight: dram__bytes_write.sum).", func(r *kernelRow) uint64 { return 32 * r.Work.DRAMWrites }),
		kernelStalled(exec.StallPageNotReady, "page_not_ready"), kernelStalled(exec.StallPageNotOwned, "page_not_owned"),
		kernelStalled(exec.StallMemory, "memory"),
		kernelStalled(exec.StallIssue, "issue"), kernelStalled(exec.StallBarrier, "barrier"),
		kernelStalled(exec.StallLaunch, "launch_call"), kernelStalled(exec.StallChild, "child_wait"),
	}
}

// kernelRecorded are its times in the capture.
func kernelRecorded() []column[kernelRow] {
	return []column[kernelRow]{
		recorded("recorded_host_ns", "In the capture: when the host called the API.",
			func(t *trace.Recorded) int64 { return t.HostNs }),
		recorded("recorded_start_ns", "In the capture: when the kernel began on the device.",
			func(t *trace.Recorded) int64 { return t.StartNs }),
		recorded("recorded_duration_ns", "In the capture: how long it ran.",
			func(t *trace.Recorded) int64 { return t.DurationNs }),
	}
}

func init() {
	register(table[kernelRow]{
		Name: "kernels", Row: "one kernel instance", Order: "by end", Place: 50, Small: true,
		Columns: func() []column[kernelRow] {
			return slices.Concat(kernelShape(), kernelTimes(), kernelWork(), kernelRecorded())
		},
		From: func(f *feed, add func(*kernelRow)) { f.kernels.to(add) },
	})
}
