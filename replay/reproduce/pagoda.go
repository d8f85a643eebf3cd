package reproduce

import (
	"gpureplay/model"
)

const taskMachine = "titanx-maxwell"

// taskWorkloads are those of table 3, 512 tasks of each. Sizes are the paper's,
// but for the iterations of MB (64) and packets of 3DES (2 to 8 KB); SLUD's 273 K
// tasks are 14 x 14 tiles here.
var taskWorkloads = []Workload{
	{Name: "MB", Sample: "tasks-mb", Params: []string{"tasks=512", "iterations=64"}},
	{Name: "FB", Sample: "tasks-fb", Params: []string{"tasks=512"}},
	{Name: "BF", Sample: "tasks-bf", Params: []string{"tasks=512"}},
	{Name: "CONV", Sample: "tasks-conv", Params: []string{"tasks=512"}},
	{Name: "DCT", Sample: "tasks-dct", Params: []string{"tasks=512"}},
	{Name: "MM", Sample: "tasks-mm", Params: []string{"tasks=512"}},
	{Name: "SLUD", Sample: "tasks-slud", Params: []string{"tiles=14"}},
	quick(Workload{Name: "3DES", Sample: "tasks-3des", Params: []string{"tasks=512", "max-bytes=8192"}}),
	{Name: "MPE", Sample: "tasks-mpe", Params: []string{"tasks=512", "iterations=64", "max-bytes=8192"}},
}

const taskPolicies = "pagoda,pagoda-batch,hyperq,gemtc,fusion,pthreads"

// taskFlags are the batches of pagoda-batch, and whether copies take time.
func taskFlags(copies string) map[string]string {
	return map[string]string{"pagoda-batch-size": "128", "task-copies": copies}
}

// longer is how many times as long as pagoda the others take.
var longer = append([]Column{{Name: "pagoda", Unit: "ms", Digits: 3, Of: milliseconds("pagoda")}}, slower("pagoda-batch", "hyperq", "gemtc", "fusion", "pthreads")...)

// slower is a column for each policy: pagoda's speedup over it.
func slower(labels ...string) []Column {
	var all []Column
	for _, l := range labels {
		all = append(all, Column{Name: l, Unit: "x", Digits: 2, Of: over("pagoda", l), Mean: true})
	}
	return all
}

// byTasks is a workload at several numbers of tasks.
func byTasks(sample string, params []string, counts ...string) []Workload {
	var all []Workload
	for _, n := range counts {
		all = append(all, Workload{Name: n, Sample: sample, Params: append([]string{"tasks=" + n}, params...)})
	}
	return all
}

func init() { register(pagoda) }

// pagoda is the paper on narrow tasks.
var pagoda = &Paper{
	Name: "pagoda", Title: "Pagoda: narrow tasks on a resident kernel that schedules warps",
	Experiments: []Experiment{
		{
			Name: "end-to-end", Title: "End to end: pagoda's time, and how many times as long the others take", Head: "workload", GPU: taskMachine, Mean: Geometric,
			Policies: taskPolicies, Flags: taskFlags("interleaved"), Workloads: taskWorkloads, Columns: longer,
		},
		{
			Name: "compute", Title: "The same without copies of inputs and outputs", Head: "workload", GPU: taskMachine, Mean: Geometric,
			Policies: taskPolicies, Flags: taskFlags("off"), Workloads: taskWorkloads, Columns: longer,
		},
		{
			Name: "copies", Title: "Copies under hyperq, per cent of copying and computing (table 3)", Head: "workload", GPU: taskMachine,
			Policies: "hyperq", Flags: taskFlags("interleaved"), Workloads: taskWorkloads,
			Columns: []Column{{Name: "copies", Unit: "%", Digits: 1, Of: copyShare, Where: "table 3",
				Published: map[string]float64{"MB": 24, "FB": 35, "BF": 13, "CONV": 30, "DCT": 81, "MM": 51, "SLUD": 3, "3DES": 74}}},
		},
		{
			Name: "occupancy", Title: "Peak occupancy of the GPU under hyperq by number of tasks of 256 threads (MB), launches free (section 2)", Head: "tasks", GPU: taskMachine,
			Set: []string{"host.launch_overhead_ns=0"}, Policies: "hyperq", Flags: taskFlags("off"),
			Workloads: []Workload{
				quick(Workload{Name: "1", Sample: "tasks-mb", Params: []string{"tasks=1", "threads=256"}}),
				quick(Workload{Name: "32", Sample: "tasks-mb", Params: []string{"tasks=32", "threads=256"}}),
				quick(Workload{Name: "64", Sample: "tasks-mb", Params: []string{"tasks=64", "threads=256"}}),
			},
			Columns: []Column{{Name: "occupancy", Unit: "%", Digits: 2, Of: metric("hyperq", "gpu_occupancy_peak_pct", 1), Where: "section 2",
				Published: map[string]float64{"1": 0.52, "32": 16.67, "64": 16.67}}},
		},
		{
			Name: "tasks-mb", Title: "MB by number of tasks, end to end", Head: "tasks", GPU: taskMachine,
			Policies: taskPolicies, Flags: taskFlags("interleaved"), Columns: longer,
			Workloads: byTasks("tasks-mb", []string{"iterations=64"}, "64", "128", "256", "512", "1024", "2048", "4096"),
		},
		{
			Name: "tasks-conv", Title: "CONV by number of tasks, end to end", Head: "tasks", GPU: taskMachine,
			Policies: taskPolicies, Flags: taskFlags("interleaved"), Columns: longer,
			Workloads: byTasks("tasks-conv", nil, "64", "128", "256", "512", "1024"),
		},
		{
			Name: "latency", Title: "MM (32 x 32, 128 threads) by number of tasks: mean latency of a task, and occupancy of the GPU while tasks run", Head: "tasks", GPU: taskMachine,
			Policies:  "pagoda,hyperq,fusion",
			Workloads: byTasks("tasks-mm", []string{"n=32", "threads=128"}, "64", "256", "1024", "4096"),
			Columns: []Column{
				{Name: "pagoda", Unit: "us", Digits: 1, Of: latency("pagoda")}, {Name: "hyperq", Unit: "us", Digits: 1, Of: latency("hyperq")}, {Name: "fusion", Unit: "us", Digits: 1, Of: latency("fusion")},
				{Name: "pagoda's occupancy", Unit: "%", Digits: 1, Of: metric("pagoda", "gpu_occupancy_mean_pct", 1)},
				{Name: "hyperq's", Unit: "%", Digits: 1, Of: metric("hyperq", "gpu_occupancy_mean_pct", 1)},
				{Name: "fusion's", Unit: "%", Digits: 1, Of: metric("fusion", "gpu_occupancy_mean_pct", 1)},
			},
		},
		{
			Name: "scan", Title: "The scheduler warp's scan as algorithm 1 lists it: times as long as pagoda", Head: "workload", GPU: taskMachine,
			Policies: "pagoda,pagoda,scan=entry,hyperq", Workloads: pick(taskWorkloads, "MM"),
			Columns: append([]Column{{Name: "pagoda", Unit: "ms", Digits: 3, Of: milliseconds("pagoda")}}, slower("pagoda,scan=entry", "hyperq")...),
		},
		{
			Name: "arrivals", Title: "FB, 256 threads, 200,000 tasks a second: times as long as pagoda", Head: "workload", GPU: taskMachine,
			Policies: "pagoda,hyperq,fusion", Workloads: []Workload{{Name: "FB", Sample: "tasks-fb", Params: []string{"tasks=512", "threads=256", "rate=200000"}}},
			Columns: append([]Column{{Name: "pagoda", Unit: "ms", Digits: 3, Of: milliseconds("pagoda")}}, slower("hyperq", "fusion")...),
		},
		{
			Name: "million", Title: "A million tasks (MM 16 x 16 in device memory, 64 threads): times as long as pagoda", Head: "workload", GPU: taskMachine, Large: true,
			Policies: "pagoda,gemtc,pthreads", Flags: taskFlags("interleaved"),
			Columns:   append([]Column{{Name: "pagoda", Unit: "ms", Digits: 3, Of: milliseconds("pagoda")}}, slower("gemtc", "pthreads")...),
			Workloads: []Workload{{Name: "MM", Sample: "tasks-mm", Params: []string{"tasks=1048576", "n=16", "threads=64", "tiles=device"}}},
		},
	},
	Claims: []Claim{
		{What: "pagoda over pthreads, geometric mean", Where: "abstract", Published: 5.70, Unit: "x", Digits: 2, Experiment: "end-to-end", Row: MeanRow, Column: "pthreads"},
		{What: "pagoda over hyperq, geometric mean", Where: "abstract", Published: 1.51, Unit: "x", Digits: 2, Experiment: "end-to-end", Row: MeanRow, Column: "hyperq"},
		{What: "pagoda over gemtc, geometric mean", Where: "abstract", Published: 1.69, Unit: "x", Digits: 2, Experiment: "end-to-end", Row: MeanRow, Column: "gemtc"},
	},
}

// copyShare is what the copies of hyperq take of copies and computation, in per
// cent. Inputs and outputs are added; they have an engine each.
func copyShare(r *Row) float64 {
	x := r.run("hyperq")
	if x == nil {
		return none
	}
	copies := float64(x.Stages[model.StageH2D] + x.Stages[model.StageD2H])
	return 100 * copies / (copies + metric("hyperq", "tasks_compute_cycles", 1)(r))
}

// latency is the mean time from a task's spawn to its output on the host.
func latency(policy string) func(*Row) float64 {
	return func(r *Row) float64 {
		return metric(policy, "task_latency_mean_cycles", 1/r.config.Clock.CoreMHz)(r)
	}
}
