package reproduce

import (
	"fmt"
	"strings"

	"gpureplay/model"
)

const taskMachine = "titanx-maxwell"

// taskFlags set the order of copies and tasks, and the host time of a spawn: the most that table 5 allows. MM
// computes 1.51 times as fast as under hyperq, whose host launches a task in 3.9 us.
func taskFlags(copies string) map[string]string {
	return map[string]string{"task-copies": copies, "pagoda-spawn-ns": "2600"}
}

// paperTasks is the number of tasks of most of the paper's workloads.
const paperTasks = 32768

// taskWorkloads are the workloads of table 3, of the artifact's sizes; --quick runs 512 tasks of small ones.
func taskWorkloads() []Workload {
	return []Workload{
		taskRow("MB", "tasks-mb", nil, "iterations=64"),
		taskRow("FB", "tasks-fb", nil, "width=512"),
		taskRow("BF", "tasks-bf", nil, "width=512", "taps=64"),
		taskRow("CONV", "tasks-conv", nil, "side=32"),
		alone(taskRow("DCT", "tasks-dct", []string{"threads=64", "shared=on"}, "side=64"), "shared=off"),
		alone(taskRow("MM", "tasks-mm", []string{"tiles=shared"}, "n=32"), "tiles=device"),
		{Name: "SLUD", Sample: "tasks-slud", Params: []string{"tiles=20"}, Small: []string{"tiles=10"}, Fixed: true},
		taskRow("3DES", "tasks-3des", []string{"inputs=32", "packets=uniform", "min-bytes=2048", "max-bytes=65536"},
			"max-bytes=2048"),
		taskRow("MPE", "tasks-mpe", []string{"threads=256", "max-bytes=8192"}, "iterations=64", "width=512", "n=32",
			"max-bytes=2048"),
	}
}

// alone says how a workload runs without shared memory, which GeMTC does not have (6.2).
func alone(w Workload, params ...string) Workload {
	w.Alone = params
	return w
}

// taskRow is a workload; in the small set it is of small sizes.
func taskRow(name, sample string, params []string, small ...string) Workload {
	return Workload{Name: name, Sample: sample, Params: override([]string{"tasks=64", "inputs=8"}, params), Small: small}
}

// steady are the numbers of tasks between which each policy's time has become a
// straight line: hyperq runs 32 tasks at a time; pagoda's host spawns for longer
// than a task takes, or the GPU is full; a batch of GeMTC is one fill of the GPU, 384
// tasks of 128 threads.
var steady = []Variant{
	{Name: "few", Params: []string{"tasks=32"}},
	{Name: "some", Params: []string{"tasks=64"}},
	{Name: "half", Params: []string{"tasks=192"}},
	{Name: "fill", Params: []string{"tasks=384"}},
	{Name: "alone", Params: []string{"tasks=384"}, Alone: true},
}

// steadyPolicies are those that run the numbers of tasks above.
var steadyPolicies = map[string]string{"few": "hyperq", "some": "hyperq", "half": "pagoda,pthreads",
	"fill": "pagoda,pthreads", "alone": "gemtc"}

// line is the time of a policy for a number of tasks, in cycles. It is the time of the most tasks of [steady] that
// it runs, and for each further task the slope between the two numbers that it runs. A further batch of GeMTC takes
// the time of the first. A row that stays as it is stands for itself.
func line(policy string, tasks float64) func(*Row) float64 {
	return func(r *Row) float64 {
		few, many, n, m := "@half", "@fill", 192., 384.
		switch policy {
		case "hyperq":
			few, many, n, m = "@few", "@some", 32, 64
		case "gemtc":
			few, many = "@alone", "@alone"
		}
		a, b := metric(policy+few, "tasks_end_to_end_cycles", 1)(r), metric(policy+many, "tasks_end_to_end_cycles", 1)(r)
		switch {
		case r.Workload.Fixed && policy == "gemtc": // the paper's comparison is without SLUD
			return none
		case r.Workload.Fixed:
			return b
		case policy == "gemtc":
			return b * tasks / m
		}
		return b + (b-a)*(tasks-m)/(m-n)
	}
}

// withoutShared are the workloads that can do without shared memory.
func withoutShared() []Workload {
	some := pick(taskWorkloads(), "DCT", "MM")
	for i := range some {
		some[i].Params = override(some[i].Params, some[i].Alone)
	}
	return some
}

// longer is pagoda's time, and how many times as long others take.
func longer(labels ...string) []Column {
	ours := line("pagoda", paperTasks)
	all := []Column{{Name: "pagoda", Unit: "ms", Digits: 2, Of: func(r *Row) float64 {
		return ours(r) / r.config.Clock.CoreMHz / 1e3
	}}}
	for _, l := range labels {
		all = append(all, Column{Name: l, Unit: "x", Digits: 2, Mean: true, Of: quotient(line(l, paperTasks), ours)})
	}
	return all
}

// slower is a column for each policy: pagoda's speedup over it.
func slower(labels ...string) []Column {
	all := []Column{{Name: "pagoda", Unit: "ms", Digits: 3, Of: milliseconds("pagoda")}}
	for _, l := range labels {
		all = append(all, Column{Name: l, Unit: "x", Digits: 2, Of: over("pagoda", l), Mean: true})
	}
	return all
}

// bySetting is a workload under several values of a setting.
func bySetting(sample, name string, params []string, values ...string) []Workload {
	var all []Workload
	for _, v := range values {
		all = append(all, Workload{Name: v, Sample: sample, Params: append([]string{name + "=" + v}, params...)})
	}
	return all
}

// irregularWorkloads have sides of a quarter of the artifact's, from 8 to 64, two
// fills of fusion's kernels.
var irregularWorkloads = []Workload{
	{Name: "MB", Sample: "tasks-mb", Params: []string{"tasks=384", "sizes=irregular", "side=32"}},
	{Name: "FB", Sample: "tasks-fb", Params: []string{"tasks=384", "sizes=irregular", "width=256"}},
	{Name: "BF", Sample: "tasks-bf", Params: []string{"tasks=384", "sizes=irregular", "width=256"}},
	{Name: "CONV", Sample: "tasks-conv", Params: []string{"tasks=384", "sizes=irregular", "side=32"}},
	{Name: "DCT", Sample: "tasks-dct", Params: []string{"tasks=384", "sizes=irregular", "side=32"}},
	{Name: "MM", Sample: "tasks-mm", Params: []string{"tasks=384", "sizes=irregular", "n=32"}},
	{Name: "3DES", Sample: "tasks-3des", Params: []string{"tasks=384", "sizes=irregular", "min-bytes=8",
		"max-bytes=1024"}},
	{Name: "MPE", Sample: "tasks-mpe", Params: []string{"tasks=384", "sizes=irregular", "n=32", "side=32", "width=256",
		"min-bytes=8", "max-bytes=1024"}},
}

// irregularSides have sizes from a quarter of table 3's to twice those; packets have 1 to 64 KB.
var irregularSides = []Workload{
	{Name: "MB", Sample: "tasks-mb", Params: []string{"tasks=384", "sizes=irregular", "side=64"}},
	{Name: "FB", Sample: "tasks-fb", Params: []string{"tasks=384", "sizes=irregular", "width=2048"}},
	{Name: "BF", Sample: "tasks-bf", Params: []string{"tasks=384", "sizes=irregular", "width=2048"}},
	{Name: "CONV", Sample: "tasks-conv", Params: []string{"tasks=384", "sizes=irregular", "side=128"}},
	{Name: "DCT", Sample: "tasks-dct", Params: []string{"tasks=384", "sizes=irregular", "side=128"}},
	{Name: "MM", Sample: "tasks-mm", Params: []string{"tasks=384", "sizes=irregular", "n=64"}},
	{Name: "3DES", Sample: "tasks-3des", Params: []string{"tasks=384", "sizes=irregular", "max-bytes=16384"}},
	{Name: "MPE", Sample: "tasks-mpe", Params: []string{"tasks=384", "sizes=irregular", "n=64", "side=64", "width=2048",
		"max-bytes=16384"}},
}

// little is a task of 8 x 8 values: many can be run.
var little = []string{"n=8", "threads=64"}

func init() { register(pagoda) }

// pagoda is the paper on narrow tasks.
func pagoda() *Paper {
	return &Paper{
		Name: "pagoda", Title: "Pagoda: narrow tasks on a resident kernel that schedules warps",
		Experiments:   pagodaExperiments(),
		Claims:        pagodaClaims(),
		Figures:       pagodaTables(),
		SecondsPerRun: 8,
	}
}

func pagodaExperiments() []Experiment {
	return append([]Experiment{
		{
			Name: "whole", Title: "Whole time for 32,768 tasks (extrapolated from up to 384; SLUD: 890), all inputs copied " +
				"first and all outputs last: pagoda's, and how many times as long the others take",
			Head: "workload", GPU: taskMachine, Mean: Geometric, Seconds: 844,
			Flags: taskFlags("phased"), Variants: steady, Under: steadyPolicies,
			Policies: "hyperq", Workloads: taskWorkloads(),
			Columns: longer("hyperq", "gemtc", "pthreads"),
		},
		{
			Name: "whole-alone", Title: "The same without shared memory under every policy", Head: "workload",
			GPU: taskMachine, Mean: Geometric,
			Flags: taskFlags("phased"), Variants: steady, Under: steadyPolicies, Policies: "hyperq",
			Workloads: withoutShared(), Columns: longer("hyperq", "gemtc", "pthreads"),
		},
		runToTheEnd(),
		runAll(),
		{
			Name: "copies", Title: "Time that copies take under hyperq, inputs first and outputs last: saving where they " +
				"are free, per cent (table 3)", Head: "workload", GPU: taskMachine,
			Flags: taskFlags("phased"), Policies: "hyperq,hyperq,task-copies=off", Workloads: taskWorkloads(),
			Columns: []Column{
				{Name: "copies", Unit: "%", Digits: 1, Of: copyShare, Where: "table 3",
					Published: map[string]float64{"MB": 24, "FB": 35, "BF": 13, "CONV": 30, "DCT": 81, "MM": 51, "SLUD": 3,
						"3DES": 74}},
				{Name: "link busy", Unit: "%", Digits: 1, Of: linkShare},
			},
		},
		smallCopies,
		{
			Name: "irregular", Title: "Irregular sizes, threads of 32 to 256, sides of 8 to 64, without copies (section " +
				"6.3): pagoda's time, and how many times as long the others take",
			Head: "workload", GPU: taskMachine, Mean: Geometric, Flags: taskFlags("off"),
			Policies:  "pagoda,pagoda,task-copy-call-ns=0,spawn-ns=0,fusion,fusion,batch=0,hyperq,pthreads",
			Workloads: irregularWorkloads,
			Columns: append(slower("fusion", "fusion,batch=0", "hyperq", "pthreads"),
				Column{Name: "fusion over pagoda with free calls", Unit: "x", Digits: 2,
					Of: over("pagoda,task-copy-call-ns=0,spawn-ns=0", "fusion"), Mean: true}),
		},
		{
			Name: "irregular-sides", Title: "The same with the artifact's sides, 32 to 256 (MB, MM: 16 to 128; FB, BF: 512 " +
				"to 4,096 samples; 3DES: 1 to 64 KB)", Head: "workload", GPU: taskMachine, Mean: Geometric, Seconds: 1716,
			Flags: taskFlags("off"), Policies: "pagoda,pagoda,task-copy-call-ns=0,spawn-ns=0,fusion,hyperq,pthreads",
			Workloads: irregularSides,
			Columns: append(slower("fusion", "hyperq", "pthreads"), Column{Name: "fusion over pagoda with free calls",
				Unit: "x", Digits: 2, Of: over("pagoda,task-copy-call-ns=0,spawn-ns=0", "fusion"), Mean: true}),
		},
	}, append(pagodaSizes(), pagodaFigures()...)...)
}

// pagodaSizes are by threads of a task and by number of tasks.
func pagodaSizes() []Experiment {
	return append([]Experiment{
		{
			Name: "threads", Title: "MM (32 x 32) by threads per task, without copies: times as long as pagoda",
			Head: "threads", GPU: taskMachine,
			Policies: "pagoda,hyperq,gemtc", Flags: taskFlags("off"), Columns: slower("hyperq", "gemtc"),
			Workloads: bySetting("tasks-mm", "threads", []string{"tasks=384", "n=32"}, "32", "64", "128", "256", "512"),
		},
		{
			Name: "tasks", Title: "MM (8 x 8, 64 threads) by number of tasks, copies phased: times as long as pagoda",
			Head: "tasks", GPU: taskMachine,
			Policies: "pagoda,hyperq,gemtc,fusion", Flags: taskFlags("phased"), Columns: slower("hyperq", "gemtc", "fusion"),
			Workloads: bySetting("tasks-mm", "tasks", little, "64", "512", "4096", "32768"),
		},
		{
			Name: "latency", Title: "The same with copies interleaved: mean latency of a task (section 6.5)", Head: "tasks",
			GPU: taskMachine, Flags: taskFlags("interleaved"),
			Policies: "pagoda,hyperq,fusion", Workloads: bySetting("tasks-mm", "tasks", little, "64", "512", "4096", "32768"),
			Columns: []Column{
				{Name: "pagoda", Unit: "us", Digits: 1, Of: latency("pagoda")},
				{Name: "hyperq", Unit: "us", Digits: 1, Of: latency("hyperq")},
				{Name: "fusion", Unit: "us", Digits: 1, Of: latency("fusion")},
			},
		},
		sharedMemory("shared-dct", "DCT (64 threads)",
			Workload{Name: "DCT", Sample: "tasks-dct", Params: []string{"tasks=192", "threads=64", "shared=on"}},
			"shared=off", 1.35, 1.25),
		sharedMemory("shared-mm", "MM (256 threads)",
			Workload{Name: "MM", Sample: "tasks-mm", Params: []string{"tasks=192", "threads=256", "tiles=shared"}},
			"tiles=device", 1.51, 1.20),
		callTimes(), wholeByCall(),
		beamMachines(),
		sharedMachines(),
	}, pagodaOthers()...)
}

// pagodaOthers are other readings, the occupancy and a million tasks.
func pagodaOthers() []Experiment {
	return []Experiment{
		{
			Name: "readings", Title: "MM (8 x 8, 64 threads), 4,096 tasks without copies, under other readings: times as " +
				"long as pagoda", Head: "workload", GPU: taskMachine,
			Flags: taskFlags("off"),
			Policies: "pagoda,pagoda,scan=entry,pagoda,release=successor,pagoda,release=successor,scan=entry,pagoda," +
				"entry-bytes=64,pagoda-batch,batch-size=384,pagoda,task-copy-call-ns=0,spawn-ns=0,gemtc,gemtc,batch=1536",
			Columns: slower("pagoda,scan=entry", "pagoda,release=successor", "pagoda,release=successor,scan=entry",
				"pagoda,entry-bytes=64",
				"pagoda-batch,batch-size=384", "pagoda,task-copy-call-ns=0,spawn-ns=0", "gemtc", "gemtc,batch=1536"),
			Workloads: []Workload{{Name: "MM", Sample: "tasks-mm", Params: append([]string{"tasks=4096"}, little...)}},
		},
		{
			Name: "occupancy", Title: "Peak occupancy of the GPU under hyperq by number of tasks of 256 threads (MB), " +
				"launches free (section 2)", Head: "tasks", GPU: taskMachine,
			Set: []string{"host.launch_overhead_ns=0"}, Policies: "hyperq", Flags: taskFlags("off"),
			Workloads: []Workload{
				quick(Workload{Name: "1", Sample: "tasks-mb", Params: []string{"tasks=1", "threads=256"}}),
				quick(Workload{Name: "32", Sample: "tasks-mb", Params: []string{"tasks=32", "threads=256"}}),
				quick(Workload{Name: "64", Sample: "tasks-mb", Params: []string{"tasks=64", "threads=256"}}),
			},
			Columns: []Column{{Name: "occupancy", Unit: "%", Digits: 2, Of: metric("hyperq", "gpu_occupancy_peak_pct", 1),
				Where:     "section 2",
				Published: map[string]float64{"1": 0.52, "32": 16.67, "64": 16.67}}},
		},
		{
			Name: "million", Title: "A million tasks (MM 4 x 4, 32 threads): times as long as pagoda", Head: "workload",
			GPU: taskMachine, Large: true,
			Policies: "pagoda,gemtc,pthreads", Columns: slower("gemtc", "pthreads"),
			Workloads: []Workload{{Name: "MM", Sample: "tasks-mm", Params: []string{"tasks=1048576", "n=4", "threads=32"}}},
		},
	}
}

// pagodaClaims are its published figures.
func pagodaClaims() []Claim {
	return []Claim{
		{What: "pagoda over pthreads, geometric mean, whole time of 32K tasks", Where: "abstract", Published: 5.70,
			Unit: "x", Digits: 2, Experiment: "whole", Row: MeanRow, Column: "pthreads"},
		{What: "pagoda over hyperq, the same", Where: "abstract", Published: 1.51, Unit: "x", Digits: 2,
			Experiment: "whole", Row: MeanRow, Column: "hyperq"},
		{What: "pagoda over gemtc, the same without tasks that synchronise", Where: "abstract", Published: 1.69, Unit: "x",
			Digits: 2, Experiment: "whole", Row: MeanRow, Column: "gemtc"},
		{What: "pagoda over static fusion, irregular sizes without copies, the artifact's sides", Where: "section 6.3",
			Published: 1.79, Unit: "x", Digits: 2, Experiment: "irregular-sides", Row: MeanRow, Column: "fusion"},
		{What: "DCT with shared memory over hyperq", Where: "table 5", Published: 1.35, Unit: "x", Digits: 2,
			Experiment: "shared-dct", Row: "DCT", Column: "with"},
		{What: "DCT without shared memory over hyperq", Where: "table 5", Published: 1.25, Unit: "x", Digits: 2,
			Experiment: "shared-dct", Row: "DCT", Column: "without"},
		{What: "MM with shared memory over hyperq", Where: "table 5", Published: 1.51, Unit: "x", Digits: 2,
			Experiment: "shared-mm", Row: "MM", Column: "with"},
		{What: "MM without shared memory over hyperq", Where: "table 5", Published: 1.20, Unit: "x", Digits: 2,
			Experiment: "shared-mm", Row: "MM", Column: "without"},
	}
}

// sharedMemory is a row of table 5: compute time against hyperq with shared memory.
func sharedMemory(name, title string, w Workload, off string, with, without float64) Experiment {
	published := func(v float64) map[string]float64 { return map[string]float64{w.Name: v} }
	return Experiment{
		Name: name, Title: "Table 5: speedup over hyperq with shared memory, without copies: " + title, Head: "workload",
		GPU:   taskMachine,
		Flags: taskFlags("off"), Variants: []Variant{{Name: "off", Params: []string{off}}},
		Policies: "pagoda,hyperq", Workloads: []Workload{w},
		Columns: []Column{
			{Name: "hyperq", Unit: "ms", Digits: 3, Of: milliseconds("hyperq")},
			{Name: "with", Unit: "x", Digits: 2, Of: over("pagoda", "hyperq"), Where: "table 5", Published: published(with)},
			{Name: "without", Unit: "x", Digits: 2, Of: over("pagoda@off", "hyperq"), Where: "table 5",
				Published: published(without)},
			{Name: "hyperq without", Unit: "x", Digits: 2, Of: over("hyperq@off", "hyperq")},
		},
	}
}

// callTimes is pagoda over hyperq under call times of captures.
func callTimes() Experiment {
	e := Experiment{
		Name: "calls", Title: "pagoda over hyperq by the time of the host's calls, in us of a launch and of a copy " +
			"(medians of captures, and copies free)", Head: "workload", GPU: taskMachine,
		Flags: taskFlags("off"),
		Workloads: []Workload{
			{Name: "MM", Sample: "tasks-mm", Params: append([]string{"tasks=1024"}, little...)},
			{Name: "FB", Sample: "tasks-fb", Params: []string{"tasks=192", "width=512"}},
		},
	}
	for _, c := range [][2]int{{7, 5}, {8, 5}, {6, 6}, {4, 5}, {5, 5}, {5, 0}} {
		p, h := fmt.Sprintf("pagoda,task-copy-call-ns=%d,spawn-ns=%d", 1000*c[1], 1000*c[1]),
			fmt.Sprintf("hyperq,task-launch-overhead-ns=%d", 1000*c[0])
		for _, label := range []string{p, h} {
			if !strings.Contains(e.Policies, label) {
				e.Policies = strings.TrimPrefix(e.Policies+","+label, ",")
			}
		}
		e.Columns = append(e.Columns, Column{Name: fmt.Sprintf("%d and %d", c[0], c[1]), Unit: "x", Digits: 2,
			Of: over(p, h)})
	}
	return e
}

// copyShare is the share of copying in the whole time, calls of the host included.
func copyShare(r *Row) float64 {
	return 100 - 100*over("hyperq", "hyperq,task-copies=off")(r)
}

// linkShare is the share of the copies themselves; inputs and outputs are added.
func linkShare(r *Row) float64 {
	x := r.run("hyperq")
	if x == nil {
		return none
	}
	return 100 * float64(x.Stages[model.StageH2D]+x.Stages[model.StageD2H]) / float64(x.Run.Cycles)
}

// latency is the mean time from a task's spawn to its output on the host.
func latency(policy string) func(*Row) float64 {
	return func(r *Row) float64 {
		return metric(policy, "task_latency_mean_cycles", 1/r.config.Clock.CoreMHz)(r)
	}
}
