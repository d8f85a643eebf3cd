package reproduce

import (
	"strings"

	"gpureplay/replay"
)

// manyTasks are workloads of table 3 with as many tasks as run to the end in a minute or two.
func manyTasks() []Workload {
	return []Workload{
		taskNumber("FB", "1536"),
		taskNumber("DCT", "1536"),
		{Name: "SLUD", Sample: "tasks-slud", Params: []string{"tiles=40"}, Fixed: true},
	}
}

// taskNumber is a workload of table 3 with another number of tasks.
func taskNumber(name, tasks string) Workload {
	w := pick(taskWorkloads(), name)[0]
	w.Params, w.Small = override(w.Params, []string{"tasks=" + tasks}), nil
	return w
}

// ran is a policy's time for all of a row's tasks.
func ran(policy string) func(*Row) float64 { return metric(policy, "tasks_end_to_end_cycles", 1) }

// runToTheEnd runs the extrapolated rows of "whole" to their end.
func runToTheEnd() Experiment {
	return Experiment{
		Name: "run", Title: "The same run to the end, with as many tasks as run in a minute or two, and the straight " +
			"line's time over it", Head: "workload", GPU: taskMachine, Large: true, Seconds: 360,
		Flags: taskFlags("phased"), Policies: "pagoda,hyperq,gemtc,pthreads",
		Workloads: manyTasks(), Variants: steady, Under: steadyPolicies,
		Columns: append([]Column{
			{Name: "tasks", Of: metric("pagoda", "tasks", 1)},
			{Name: "pagoda", Unit: "ms", Digits: 2, Of: milliseconds("pagoda")},
			{Name: "hyperq", Unit: "x", Digits: 2, Of: quotient(ran("hyperq"), ran("pagoda"))},
			{Name: "gemtc", Unit: "x", Digits: 2, Of: quotient(ran("gemtc"), ran("pagoda"))},
			{Name: "pthreads", Unit: "x", Digits: 2, Of: quotient(ran("pthreads"), ran("pagoda"))},
		}, lines("pagoda", "hyperq", "gemtc")...),
	}
}

// allTasks are workloads of table 3 with the paper's numbers of tasks.
func allTasks() []Workload {
	return []Workload{
		taskNumber("MM", "32768"),
		{Name: "SLUD", Sample: "tasks-slud", Params: []string{"tiles=146"}, Fixed: true},
	}
}

// runAll is the paper's setting with nothing extrapolated, for two workloads that take minutes: the
// others execute up to ten billion warp instructions a policy.
func runAll() Experiment {
	return Experiment{
		Name: "run-all", Title: "The paper's numbers of tasks run to the end (minutes a policy), and the straight " +
			"line's time over it", Head: "workload", GPU: taskMachine, Large: true,
		Flags: taskFlags("phased"), Policies: "pagoda,hyperq,pthreads",
		Workloads: allTasks(), Variants: steady, Under: steadyPolicies,
		Columns: append([]Column{
			{Name: "tasks", Of: metric("pagoda", "tasks", 1)},
			{Name: "pagoda", Unit: "ms", Digits: 2, Of: milliseconds("pagoda")},
			{Name: "hyperq", Unit: "x", Digits: 2, Of: quotient(ran("hyperq"), ran("pagoda"))},
			{Name: "pthreads", Unit: "x", Digits: 2, Of: quotient(ran("pthreads"), ran("pagoda"))},
			{Name: "warp instructions, millions", Of: of("pagoda", func(x *replay.Result) float64 {
				return float64(x.Run.WarpInsts) / 1e6
			})},
		}, lines("pagoda", "hyperq")...),
	}
}

// lines are columns of the straight line's time over the run's.
func lines(policies ...string) []Column {
	var all []Column
	for _, p := range policies {
		all = append(all, Column{Name: "line over run, " + p, Digits: 3, Of: func(r *Row) float64 {
			if r.Workload.Fixed {
				return none
			}
			return quotient(line(p, metric(p, "tasks", 1)(r)), ran(p))(r)
		}})
	}
	return all
}

// onCrossbars is a workload on the machine as it is, without stalls of packets at the crossbar, and with global
// loads that do not all go there.
func onCrossbars(w Workload) []Workload {
	stop, l1 := w, w
	stop.Name, stop.Set = w.Name+", packets do not stop those behind them", []string{"icnt.head_of_line=false"}
	l1.Name, l1.Set = w.Name+", global loads through the L1", []string{"l1.global_loads=true"}
	return []Workload{w, stop, l1}
}

// beamMachines is BF with a host whose calls are free.
func beamMachines() Experiment {
	return Experiment{
		Name: "bf", Title: "BF of 512 samples, 192 tasks, without copies and with free calls: limits of the GPU",
		Head: "workload", GPU: taskMachine,
		Set:      []string{"host.launch_overhead_ns=0", "host.copy_call_ns=0"},
		Flags:    map[string]string{"task-copies": "off", "pagoda-spawn-ns": "0"},
		Policies: "pagoda,hyperq",
		Workloads: onCrossbars(Workload{Name: "BF", Sample: "tasks-bf",
			Params: []string{"tasks=192", "inputs=8", "width=512"}}),
		Columns: append(slower("hyperq"), Column{Name: "occupancy, pagoda", Unit: "%", Digits: 1, Of: occupancy("pagoda")},
			Column{Name: "occupancy, hyperq", Unit: "%", Digits: 1, Of: occupancy("hyperq")}),
	}
}

// smallCopies are smaller copies of tasks: DCT's images as in the artifact's run file.
var smallCopies = Experiment{
	Name: "copies-sizes", Title: "The same for smaller tasks", Head: "workload", GPU: taskMachine,
	Flags: taskFlags("phased"), Policies: "hyperq,hyperq,task-copies=off",
	Workloads: []Workload{
		{Name: "DCT, images of 64 x 64", Sample: "tasks-dct", Params: []string{"tasks=64", "inputs=8", "threads=64",
			"side=64"}},
		{Name: "3DES, packets of 2 KB", Sample: "tasks-3des", Params: []string{"tasks=64", "inputs=8", "max-bytes=2048"}},
	},
	Columns: []Column{{Name: "copies", Unit: "%", Digits: 1, Of: copyShare},
		{Name: "link busy", Unit: "%", Digits: 1, Of: linkShare}},
}

// sharedMachines is DCT's row of table 5 on other machines.
func sharedMachines() Experiment {
	e := sharedMemory("shared-machines", "DCT (64 threads) on other machines",
		Workload{Name: "DCT", Sample: "tasks-dct", Params: []string{"tasks=192", "threads=64", "shared=on"}}, "shared=off",
		1.35, 1.25)
	e.Workloads = onCrossbars(e.Workloads[0])
	for i := range e.Columns {
		e.Columns[i].Published, e.Columns[i].Where = nil, ""
	}
	return e
}

// wholeByCall is the whole time, copies first and last, by the time of a copy's call.
func wholeByCall() Experiment {
	e := Experiment{
		Name: "whole-calls", Title: "Whole time of 384 tasks, copies phased, by the time of a copy's or a spawn's call " +
			"(a launch 3.9 us): times as long as pagoda", Head: "workload", GPU: taskMachine,
		Flags: taskFlags("phased"), Workloads: []Workload{taskNumber("MM", "384"), taskNumber("FB", "384")},
	}
	for _, ns := range []string{"5000", "2600", "1350"} {
		p, h := "pagoda,task-copy-call-ns="+ns+",spawn-ns="+ns, "hyperq,task-copy-call-ns="+ns
		e.Policies = strings.TrimPrefix(e.Policies+","+p+","+h, ",")
		e.Columns = append(e.Columns, Column{Name: "hyperq, " + ns + " ns", Unit: "x", Digits: 2, Of: over(p, h)})
	}
	return e
}
