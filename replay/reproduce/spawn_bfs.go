package reproduce

import (
	"slices"

	"gpureplay/replay"
)

// oneSearch is BFS-graph500 with one thing changed: settings of the program, and of the
// machine where they stand behind a bar.
func oneSearch(name string, settings ...string) Workload {
	at := slices.Index(settings, "|")
	if at < 0 {
		at = len(settings)
	}
	w := child(name, "dp-bfs", append([]string{"input=graph500", "scale=16"}, settings[:at]...)...)
	if at < len(settings) {
		w.Set = settings[at+1:]
	}
	return w
}

// oneLevel are searches whose one level expands all vertices. As many CTAs as run at once
// and some five vertices a thread give the paper's first child and end of the parents.
func oneLevel() []Workload {
	return []Workload{
		oneSearch("80 CTAs", "start=all", "ctas=80", "rule=klap"),
		oneSearch("64 CTAs", "start=all", "ctas=64", "rule=klap"),
		oneSearch("104 CTAs", "start=all", "ctas=104", "rule=klap"),
		oneSearch("240 CTAs", "start=all", "rule=klap"),
		oneSearch("80 CTAs, rule=dense", "start=all", "ctas=80"),
		oneSearch("80 CTAs, calls that do not hold", "start=all", "ctas=80", "rule=klap", "|", notHeld),
	}
}

// allLevels are whole searches from the hub.
func allLevels() []Workload {
	return []Workload{
		oneSearch("80 CTAs", "ctas=80", "rule=klap"),
		oneSearch("240 CTAs", "rule=klap"),
		oneSearch("240 CTAs, calls that do not hold", "rule=klap", "|", notHeld),
		oneSearch("240 CTAs, sectors of 32 B", "rule=klap", "|", "l1.sector_bytes=32", "l2.sector_bytes=32"),
		oneSearch("240 CTAs, L2 of 24 MB", "rule=klap", "|", "l2.bytes=25165824"),
		oneSearch("240 CTAs, L1 of 1 MB", "rule=klap", "|", "l1.bytes=1048576"),
	}
}

// searchColumns are the values of figure 19, in its unit.
func searchColumns() []Column {
	return []Column{
		kilocycles("first child starts", baseline, "first_child_cycle"),
		kilocycles("parents end, all", baseline, "last_parent_cycle"),
		kilocycles("children end, all", baseline, "last_child_cycle"),
		kilocycles("spawn", "spawn", "last_child_cycle", "last_parent_cycle"),
		kilocycles("spawn,idle=last", "spawn,idle=last", "last_child_cycle", "last_parent_cycle"),
		{Name: "program, spawn over all", Digits: 2, Of: over("spawn", baseline)},
		{Name: "idle=last over all", Digits: 2, Of: over("spawn,idle=last", baseline)},
		{Name: "children of all", Of: launched(baseline)},
		{Name: "of spawn", Of: launched("spawn")},
	}
}

// programColumns are of whole searches.
func programColumns() []Column {
	return []Column{
		{Name: "all", Unit: "kcycles", Of: kilo(baseline)},
		{Name: "spawn", Unit: "kcycles", Of: kilo("spawn")},
		{Name: "spawn,idle=last", Unit: "kcycles", Of: kilo("spawn,idle=last")},
		{Name: "spawn over all", Digits: 2, Of: over("spawn", baseline)},
		{Name: "idle=last over all", Digits: 2, Of: over("spawn,idle=last", baseline)},
		{Name: "children of all", Of: launched(baseline)},
		{Name: "of spawn", Of: launched("spawn")},
		{Name: "of idle=last", Of: launched("spawn,idle=last")},
		{Name: "L1 hits, all", Unit: "%", Digits: 1, Of: l1Hits(baseline)},
		{Name: "L1 hits, idle=last", Unit: "%", Digits: 1, Of: l1Hits("spawn,idle=last")},
	}
}

// kilo is the length of a run, in 1,000 cycles.
func kilo(policy string) func(*Row) float64 {
	return of(policy, func(x *replay.Result) float64 { return float64(x.Run.Cycles) / 1e3 })
}

// kilocycles is the latest of some of a run's metrics, in 1,000 cycles.
func kilocycles(name, policy string, metrics ...string) Column {
	return Column{Name: name, Unit: "kcycles", Of: func(r *Row) float64 {
		var most float64
		for _, m := range metrics {
			most = max(most, metric(policy, m, 1e-3)(r))
		}
		return most
	}}
}

const searchPolicies = baseline + ",spawn,spawn,idle=last"

// searches are the experiments on BFS-graph500 alone.
func searches() []Experiment {
	return []Experiment{
		{
			Name: "bfs", Title: "BFS-graph500, one level that expands all vertices (figures 6 and 19): times in kilocycles",
			Head: "program", GPU: spawnMachine, Set: freeHost,
			Policies: searchPolicies, Workloads: oneLevel(), Columns: searchColumns(),
		},
		{
			Name: "bfs-time", Title: "The row of 80 CTAs over time (figures 6 and 19): CTAs on the GPU, means over 200 " +
				"kilocycles from each on", Head: "from kcycle", GPU: spawnMachine, Set: freeHost,
			Policies: searchPolicies, Workloads: windows(13, oneLevel()[0]), OverTime: true,
			Columns: residents(map[string]string{baseline: "all", "spawn": "spawn", "spawn,idle=last": "spawn,idle=last"},
				baseline, "spawn", "spawn,idle=last"),
		},
		{
			Name: "launches-time", Title: "The same row over time: use of the GPU (figure 6) and children launched by the " +
				"end of each window (figure 20)", Head: "from kcycle", GPU: spawnMachine, Set: freeHost,
			Policies: searchPolicies, Workloads: windows(13, oneLevel()[0]), OverTime: true,
			Columns: []Column{usedAt(baseline), usedAt("spawn"),
				{Name: "launched, " + baseline, Unit: "%", Digits: 1, Of: launchedBy(baseline)},
				{Name: "launched, spawn", Unit: "%", Digits: 1, Of: launchedBy("spawn")}},
		},
		{
			Name: "bfs-levels", Title: "BFS-graph500 from its hub, all levels", Head: "program", GPU: spawnMachine,
			Set:      freeHost,
			Policies: searchPolicies, Workloads: allLevels(), Columns: programColumns(),
		},
	}
}
