package reproduce

import (
	"slices"

	"gpureplay/replay"
)

// barrier stands for barriers in one kernel: a task waits for all tasks of the kernel before.
const barrier = "megakernel,grain=kernel"

// scaled is how many small kernels run: enough that the first launch does not count.
const scaled = 512

// sxmMemory is the memory clock of an H100 SXM5, 3.35 TB/s by its data sheet.
const sxmMemory = "clock.dram_mhz=5233.61"

// smallKernels is gpu-small-kernels on each GPU: 4,096 doubles in CTAs of 256 threads.
func smallKernels() (all []Workload) {
	for i, gpu := range gpus {
		all = append(all, Workload{Name: gpu, GPU: gpu, Sample: "scale", Params: []string{"kernels=512"}, Quick: i == 0})
	}
	return all
}

func init() { register(boundariesPaper) }

// boundariesPaper is published measurements of the boundary between kernels.
func boundariesPaper() *Paper {
	return &Paper{
		Name: "boundaries", Title: "kernel boundaries: streams, graphs, barriers in a kernel, a decode step three ways",
		SecondsPerRun: 3,
		Experiments: append([]Experiment{
			{
				Name: "small", Title: "µs a kernel of 4,096 doubles, each after the one before (gpu-small-kernels)",
				Head: "GPU", GPU: "h200", Policies: "hyperq,graph," + barrier,
				Workloads: smallKernels(),
				Columns: []Column{
					{Name: "stream", Digits: 2, Of: perKernel("hyperq"), Where: "measured (sets its GPU)",
						Published: byGPU(2.52, 1.64, 2.05, 2.7, 2.11)},
					{Name: "graph", Digits: 2, Of: perKernel("graph"), Where: "measured (sets its GPU)",
						Published: byGPU(1.29, 0.96, 1.13, 1.4, 2.05)},
					{Name: "barrier", Digits: 2, Of: perKernel(barrier)},
				},
			},
			{
				Name: "decode", Title: "µs of the 80 kernels of a token on an H100 SXM5 (pdl-megakernel-reconstruction)",
				Head: "program", GPU: "h100", Set: []string{sxmMemory}, Large: true, Unaudited: true,
				Policies:  "graph,megakernel,boundary-free",
				Workloads: []Workload{{Name: "body", Sample: "llm-decode", Params: []string{"vocabulary=0"}}},
				Columns: []Column{
					{Name: "graph", Digits: 1, Of: body("graph"), Where: "measured",
						Published: map[string]float64{"body": 967.162}},
					{Name: "megakernel", Digits: 1, Of: body("megakernel"), Where: "measured",
						Published: map[string]float64{"body": 776.942}},
					{Name: "boundary-free", Digits: 1, Of: body("boundary-free")},
				},
			},
		}, boundaryCauses()...),
		Claims: slices.Concat(
			barriers("atomic barrier", byGPU(1.04, 0.68, 0.85, 0, 0.92), "sets the latency of tasks"),
			barriers("grid.sync", byGPU(1.26, 0.87, 0, 1.34, 0.64), "")),
	}
}

// barriers are the measurements of barriers in a kernel; set names the number that the first of them sets.
func barriers(kind string, us map[string]float64, set string) (all []Claim) {
	where := "gpu-small-kernels"
	if set != "" {
		where += ": " + set
	}
	for _, gpu := range gpus {
		if us[gpu] > 0 {
			all = append(all, Claim{What: kind + ", " + gpu, Where: where, Published: us[gpu], Unit: "µs", Digits: 2,
				Experiment: "small", Row: gpu, Column: "barrier"})
		}
		where = "gpu-small-kernels"
	}
	return all
}

// gpus are the GPUs of the measurements.
var gpus = []string{"NVIDIA H200", "NVIDIA L40", "NVIDIA A40", "NVIDIA A100 80GB PCIe", "AMD Instinct MI210"}

// byGPU names the measurements of the GPUs in the order of the rows; 0: there is none.
func byGPU(us ...float64) map[string]float64 {
	all := map[string]float64{}
	for i, gpu := range gpus {
		if us[i] > 0 {
			all[gpu] = us[i]
		}
	}
	return all
}

// microseconds is a time in cycles on a row's machine.
func microseconds(r *Row, cycles float64) float64 { return cycles / r.config.Clock.CoreMHz }

// perKernel is the time of a small kernel.
func perKernel(policy string) func(*Row) float64 {
	return func(r *Row) float64 {
		return of(policy, func(x *replay.Result) float64 {
			return microseconds(r, float64(x.Run.Cycles)/scaled)
		})(r)
	}
}

// body is the time of a run behind its launch.
func body(policy string) func(*Row) float64 {
	return func(r *Row) float64 {
		return of(policy, func(x *replay.Result) float64 {
			launch := r.config.Host.LaunchLatency + r.config.KMU.DispatchLatency
			if policy == "boundary-free" {
				launch = 0
			}
			return microseconds(r, float64(x.Run.Cycles)-float64(launch))
		})(r)
	}
}
