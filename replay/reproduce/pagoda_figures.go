package reproduce

import (
	"fmt"
	"slices"
)

// smallTasks are workloads of table 3 at the sizes of the small set.
func smallTasks(tasks string, names ...string) []Workload {
	all := pick(taskWorkloads(), names...)
	for i := range all {
		if !all[i].Fixed {
			all[i].Params = override(all[i].Params, []string{"tasks=" + tasks})
		}
		all[i].Params, all[i].Small = override(all[i].Params, all[i].Small), nil
	}
	return all
}

// byValue are workloads under several values of a setting; a row's name ends with the value.
func byValue(all []Workload, setting string, values ...string) []Workload {
	var rows []Workload
	for _, w := range all {
		for _, v := range values {
			row := w
			row.Name, row.Params = w.Name+", "+v, override(w.Params, []string{setting + "=" + v})
			rows = append(rows, row)
		}
	}
	return rows
}

// wideTasks are convolutions of three sides, by threadblocks of 512 threads: the widest task has a thread for each
// pixel of 256 x 256.
func wideTasks() []Workload {
	var all []Workload
	for _, side := range []string{"64", "128", "256"} {
		for _, blocks := range []int{1, 8, 128} {
			all = append(all, Workload{Name: fmt.Sprintf("%s x %s, %d threads", side, side, 512*blocks), Sample: "tasks-conv",
				Params: []string{"tasks=64", "inputs=2", "threads=512", "side=" + side, fmt.Sprint("blocks=", blocks)}})
		}
	}
	return all
}

// batches are pagoda's spawns in batches of one fill of the GPU.
const batches = "pagoda-batch,batch-size=384"

// eachWorkload are rows beside HyperQ, GeMTC and threads. GeMTC runs them without shared memory, which it lacks (6.2).
func eachWorkload(name, title, copies string, rows []Workload) Experiment {
	return Experiment{
		Name: name, Title: title, Head: "workload", GPU: taskMachine, Flags: taskFlags(copies),
		Policies: "pagoda,hyperq,pthreads", Variants: []Variant{{Name: "alone", Alone: true}},
		Under: map[string]string{"alone": "gemtc"}, Workloads: rows,
		Columns: slices.Insert(slower("hyperq", "pthreads"), 2,
			Column{Name: "gemtc", Unit: "x", Digits: 2, Of: over("pagoda", "gemtc@alone")}),
	}
}

// byTasks are the workloads by number of tasks. SLUD has the tiles that make nearly as many.
func byTasks() []Workload {
	rows := byValue(smallTasks("64", "MB", "FB", "BF", "CONV", "DCT", "MM", "3DES", "MPE"), "tasks", "64", "512", "2048")
	for _, x := range [][2]string{{"80", "7"}, {"488", "16"}, {"2250", "27"}} {
		w := pick(taskWorkloads(), "SLUD")[0]
		w.Name, w.Params, w.Small = "SLUD, "+x[0], []string{"tiles=" + x[1]}, nil
		rows = append(rows, w)
	}
	return rows
}

// pagodaFigures are the paper's figures by workload, at small sizes.
func pagodaFigures() []Experiment {
	return []Experiment{
		eachWorkload("tasks-each", "By number of tasks, small tasks, copies phased: times as long as pagoda (figure 6)",
			"phased", byTasks()),
		eachWorkload("threads-each", "By threads of a task, 384 small tasks (SLUD: 145) without copies: times as long as "+
			"pagoda (figure 7)", "off", byValue(smallTasks("384", "MB", "FB", "BF", "CONV", "DCT", "MM", "SLUD", "3DES", "MPE"),
			"threads", "64", "128", "256")),
		{
			Name: "wide", Title: "CONV by side of the image and threads of a task, 64 tasks without copies: times as long as " +
				"pagoda (figure 8)", Head: "workload", GPU: taskMachine,
			Flags: taskFlags("off"), Policies: "pagoda,hyperq", Columns: slower("hyperq"), Workloads: wideTasks(),
		},
		{
			Name: "latency-each", Title: "Mean latency of 384 small tasks (SLUD: 145), copies interleaved (figure 10)",
			Head: "workload", GPU: taskMachine, Flags: taskFlags("interleaved"),
			Policies:  "pagoda,hyperq,fusion",
			Workloads: smallTasks("384", "MB", "FB", "BF", "CONV", "DCT", "MM", "SLUD", "3DES", "MPE"),
			Columns: []Column{
				{Name: "pagoda", Unit: "us", Digits: 1, Of: latency("pagoda")},
				{Name: "hyperq", Unit: "us", Digits: 1, Of: latency("hyperq")},
				{Name: "fusion", Unit: "us", Digits: 1, Of: latency("fusion")},
			},
		},
		{
			Name: "batching", Title: "1,536 small tasks without copies, spawned as they come and in batches of 384: times " +
				"as long as pagoda (figure 11)", Head: "workload", GPU: taskMachine, Mean: Geometric,
			Flags: taskFlags("off"), Policies: "pagoda," + batches, Columns: slower(batches),
			Workloads: smallTasks("1536", "MB", "FB", "BF", "CONV", "DCT", "MM", "3DES", "MPE"),
		},
	}
}
