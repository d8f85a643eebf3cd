package reproduce

import "fmt"

const (
	spawnMachine = "k20m-spawn"
	search       = "offline-search,steps=4"
	baseline     = "threshold=0" // all nested work launched: the paper's Baseline-DP, whose rule is a small THRESHOLD
)

// spawnWorkloads are the workloads of table I, at sizes that run in seconds.
func spawnWorkloads() []Workload {
	return []Workload{
		child("AMR", "dp-amr", "levels=3", "side=64"),
		child("BFS-citation", "dp-bfs", "input=citation", "scale=16"),
		child("BFS-graph500", "dp-bfs", "input=graph500", "scale=16"),
		child("SSSP-citation", "dp-sssp", "input=citation", "scale=16"),
		child("SSSP-graph500", "dp-sssp", "input=graph500", "scale=13"),
		child("JOIN-uniform", "dp-join", "distribution=uniform", "left-order=drawn", "left=32768", "right=32768", "keys=164"),
		child("JOIN-gaussian", "dp-join", "distribution=gaussian", "left-order=drawn", "left=32768", "right=32768",
			"keys=328"),
		child("GC-citation", "dp-gc", "input=citation", "scale=11"),
		child("GC-graph500", "dp-gc", "input=graph500", "scale=9"),
		quick(child("Mandel", "dp-mandel", "size=128", "regions=32")),
		child("MM-small", "dp-mm", "scale=8"),
		child("MM-large", "dp-mm", "scale=9"),
		child("SA", "dp-sa"),
	}
}

// smallSpawn are those on which one thing at a time is changed, at sizes that run in a
// second or two.
func smallSpawn() []Workload {
	return append([]Workload{
		child("AMR", "dp-amr", "levels=3"),
		child("BFS-citation", "dp-bfs", "input=citation", "scale=14"),
		child("BFS-graph500", "dp-bfs", "input=graph500", "scale=13"),
		child("SSSP-graph500", "dp-sssp", "input=graph500", "scale=12"),
		child("JOIN-uniform", "dp-join", "distribution=uniform", "left-order=drawn"),
	}, pick(spawnWorkloads(), "GC-citation", "SA")...)
}

// spawnGraphs have hubs (the first three) or none.
func spawnGraphs() []Workload {
	return []Workload{
		real("graph=graphs-small-bench/snap-as20graph.txt", child("BFS-as20", "dp-bfs")),
		real("graph=graphs-email-enron/email-Enron.txt.gz", child("BFS-Enron", "dp-bfs")),
		real(flightsFile, child("BFS-OpenFlights", "dp-bfs")),
		real("graph=graphs-kahip/rgg_n_2_15_s0.graph", child("BFS-rgg", "dp-bfs")),
		real("graph=graphs-kahip/delaunay_n15.graph", child("BFS-delaunay", "dp-bfs")),
	}
}

// spawnColumns are the paper's comparison.
func spawnColumns() []Column {
	return []Column{
		{Name: "parent warps", Of: parentWarps},
		{Name: "flat's occupancy", Unit: "%", Digits: 1, Of: occupancy("flat")},
		{Name: "launched by the rule", Unit: "%", Digits: 1, Of: ruleShare},
		{Name: "all", Digits: 2, Of: over(baseline, "flat"), Mean: true},
		{Name: "cdp", Digits: 2, Of: over("cdp", "flat"), Mean: true},
		{Name: "offline-search", Digits: 2, Of: over(search, "flat"), Mean: true},
		{Name: "spawn", Digits: 2, Of: over("spawn", "flat"), Mean: true},
		{Name: "spawn over all", Digits: 2, Of: over("spawn", baseline), Mean: true},
		{Name: "spawn over cdp", Digits: 2, Of: over("spawn", "cdp"), Mean: true},
		{Name: "search over all", Digits: 2, Of: over(search, baseline), Mean: true},
		{Name: "spawn over search", Digits: 2, Of: over("spawn", search), Mean: true},
		{Name: "spawn+dtbl", Digits: 2, Of: over("spawn+dtbl", "flat"), Mean: true},
		{Name: "search at", Of: threshold(search)},
		{Name: "offloaded there", Unit: "%", Digits: 1, Of: offloaded(search)},
	}
}

// seedColumns are the means that the paper reports.
func seedColumns() []Column {
	all := speedups("flat", baseline, search, "spawn")
	for i, name := range []string{"all", "offline-search", "spawn"} {
		all[i].Name = name
	}
	return append(all,
		Column{Name: "spawn over all", Digits: 3, Of: over("spawn", baseline), Mean: true},
		Column{Name: "search over all", Digits: 3, Of: over(search, baseline), Mean: true},
		Column{Name: "spawn over search", Digits: 3, Of: over("spawn", search), Mean: true})
}

// machineColumns are the figures of sections IV and V.B beside speedups.
func machineColumns() []Column {
	return []Column{
		{Name: "children of all", Of: launched(baseline)},
		{Name: "of cdp", Of: launched("cdp")},
		{Name: "of spawn", Of: launched("spawn")},
		{Name: "spawn less all", Unit: "%", Digits: 1, Of: func(r *Row) float64 {
			return 100 * (quotient(launched("spawn"), launched(baseline))(r) - 1)
		}, Mean: true},
		{Name: "occupancy, all", Unit: "%", Digits: 1, Of: occupancy(baseline), Mean: true},
		{Name: "of the search", Of: launched(search)},
		{Name: "search less all", Unit: "%", Digits: 1, Of: func(r *Row) float64 {
			return 100 * (quotient(launched(search), launched(baseline))(r) - 1)
		}, Mean: true},
		{Name: "occupancy, search over all", Digits: 2, Of: quotient(occupancy(search), occupancy(baseline)), Mean: true},
		{Name: "occupancy, spawn over all", Digits: 2, Of: quotient(occupancy("spawn"), occupancy(baseline)), Mean: true},
		{Name: "L2 hits, all", Unit: "%", Digits: 1, Of: l2Hits(baseline), Mean: true},
		{Name: "L2 hits, spawn less all", Unit: "%", Digits: 1, Of: less(l2Hits("spawn"), l2Hits(baseline)), Mean: true},
		{Name: "deviation of child CTA times", Unit: "%", Digits: 1, Of: deviation(baseline)},
		{Name: "first child starts, all", Unit: "kcycles", Digits: 1, Of: metric(baseline, "first_child_cycle", 1e-3)},
		{Name: "waiting, all", Unit: "kcycles", Digits: 1, Of: waiting(baseline)},
		{Name: "waiting, spawn", Unit: "kcycles", Digits: 1, Of: waiting("spawn")},
	}
}

// controlColumns are spawn and its baseline over flat under other readings.
func controlColumns() []Column {
	return []Column{
		{Name: "all", Digits: 2, Of: over(baseline, "flat"), Mean: true},
		{Name: "spawn", Digits: 2, Of: over("spawn", "flat"), Mean: true},
		{Name: "spawn,idle=last", Digits: 2, Of: over("spawn,idle=last", "flat"), Mean: true},
		{Name: "spawn,count=decision", Digits: 2, Of: over("spawn,count=decision", "flat"), Mean: true},
		{Name: "spawn over all", Digits: 2, Of: over("spawn", baseline), Mean: true},
		{Name: "idle=last over all", Digits: 2, Of: over("spawn,idle=last", baseline), Mean: true},
		{Name: "count=decision over all", Digits: 2, Of: over("spawn,count=decision", baseline), Mean: true},
	}
}

// shareColumns are the runs of the search by the share of the work that they
// leave to children, in per cent.
func shareColumns(shares ...int) []Column {
	var all []Column
	for _, s := range shares {
		all = append(all, Column{Name: fmt.Sprintf("%d %%", s), Digits: 2, Of: atMost(s, "flat")})
	}
	return all
}

const (
	spawnPolicies   = "flat,cdp," + baseline + "," + search + ",spawn,spawn+dtbl"
	controlPolicies = "flat," + baseline + ",spawn,spawn,idle=last,spawn,count=decision"
)

func init() { register(spawn) }

// spawn is the paper on controlled child launches.
func spawn() *Paper {
	return &Paper{
		Name: "spawn", Title: "SPAWN: a child only where it is estimated to end before its parent would",
		Experiments:   spawnExperiments(),
		Claims:        spawnClaims(),
		Figures:       spawnFigures(),
		SecondsPerRun: 10,
	}
}

func spawnExperiments() []Experiment {
	return append([]Experiment{
		{
			Name: "speedup", Title: "Speedup over flat, benchmarks of table I (figure 5: the best share of the work " +
				"for children)", Head: "benchmark", GPU: spawnMachine, Set: freeHost, Mean: Geometric, Counts: fills,
			Policies: spawnPolicies, Workloads: spawnWorkloads(), Columns: spawnColumns(),
		},
		{
			Name: "seed", Title: "The rows that fill the GPU with a second seed (Mandel has none): speedup over flat",
			Head: "benchmark", GPU: spawnMachine, Set: freeHost, Mean: Geometric, Counts: fills,
			Policies: "flat," + baseline + "," + search + ",spawn", Workloads: seeded(fillingSpawn(), "2", "Mandel"),
			Columns: seedColumns(),
		},
		{
			Name: "shares", Title: "Share of the work for children, speedup over flat (figure 5): the largest tried that " +
				"is not above", Head: "benchmark", GPU: spawnMachine, Set: freeHost,
			Policies: "flat," + search, Workloads: spawnWorkloads(), Columns: shareColumns(100, 80, 60, 40, 20, 0),
		},
		{
			Name: "machine", Title: "Use of the GPU with launches: all of them, and spawn's (sections IV, V.B and V.C)",
			Head: "benchmark", GPU: spawnMachine, Set: freeHost, Mean: Geometric, Counts: fills,
			Policies: "flat,cdp," + baseline + "," + search + ",spawn", Workloads: spawnWorkloads(), Columns: machineColumns(),
		},
		{
			Name: "times", Title: "Child CTAs within a tenth of their mean time, all children launched (figure 12)",
			Head: "benchmark", GPU: spawnMachine, Set: freeHost, ChildTimes: true,
			Policies: baseline, Workloads: pick(spawnWorkloads(), "BFS-graph500", "SSSP-graph500", "MM-small", "SA"),
			Columns: []Column{{Name: "within a tenth", Unit: "%", Digits: 1, Of: near(baseline),
				Where:     "section IV.A (95 % of those shown, SSSP-graph500 80 %)",
				Published: map[string]float64{"BFS-graph500": 95, "SSSP-graph500": 80, "MM-small": 95, "SA": 95}}},
		},
		{
			Name: "readings", Title: "Readings of the controller: n counts a child at its arrival or at the decision, and " +
				"n_con of an idle window is 1 or the last that was not 0; speedup over flat",
			Head: "benchmark", GPU: spawnMachine, Set: freeHost, Mean: Geometric, Counts: fills,
			Policies: controlPolicies, Workloads: spawnWorkloads(), Columns: controlColumns(),
		},
		{
			Name: "dtbl", Title: "SPAWN against DTBL, by the program's rule and of all nested work: speedup over flat " +
				"(figure 21)", Head: "benchmark", GPU: spawnMachine, Set: freeHost, Mean: Geometric,
			Policies: "flat,dtbl,spawn,spawn+dtbl", Workloads: againstDtbl(),
			Variants: []Variant{{Name: "all", Params: []string{"threshold=1"}}}, Under: map[string]string{"all": "dtbl"},
			Columns: []Column{
				{Name: "dtbl", Digits: 3, Of: over("dtbl", "flat"), Mean: true},
				{Name: "dtbl, all launched", Digits: 3, Of: over("dtbl@all", "flat"), Mean: true},
				{Name: "spawn", Digits: 3, Of: over("spawn", "flat"), Mean: true},
				{Name: "spawn+dtbl", Digits: 3, Of: over("spawn+dtbl", "flat"), Mean: true},
			},
		},
		{
			Name: "large", Title: "Speedup over flat, inputs near the suite's own size", Head: "benchmark", GPU: spawnMachine,
			Set: freeHost, Mean: Geometric, Large: true, Policies: controlPolicies,
			Workloads: inlined(pick(largeChildren(), "BFS-citation", "BFS-graph500", "SSSP-citation")),
			Columns: append(append([]Column(nil), controlColumns()...),
				Column{Name: "children of all", Of: launched(baseline)}, Column{Name: "of spawn", Of: launched("spawn")},
				Column{Name: "first child starts", Unit: "kcycles", Digits: 1, Of: metric(baseline, "first_child_cycle", 1e-3)}),
		},
	}, append(spawnSensitivity(), append(spawnCauses(), searches()...)...)...)
}

// spawnSensitivity are the experiments on other graphs, CTA sizes and streams.
func spawnSensitivity() []Experiment {
	return []Experiment{
		{
			Name: "graphs", Title: "Graphs with hubs and without", Head: "benchmark", GPU: spawnMachine, Set: freeHost,
			Mean:     Geometric,
			Policies: spawnPolicies, Workloads: spawnGraphs(), Columns: spawnColumns(),
		},
		// Without AMR, whose block is a refinement's number of cells and so the work,
		// and MM, whose children have as many threads as the multiplier columns.
		{
			Name: "blocks", Title: "CTA size of children under cdp, smaller inputs: speedup over 32 threads (figure 7)",
			Head: "benchmark", GPU: spawnMachine, Set: freeHost,
			Policies: "cdp", Workloads: pick(smallSpawn(), "BFS-citation", "BFS-graph500", "SSSP-graph500", "JOIN-uniform",
				"GC-citation", "SA"),
			Variants: []Variant{{Name: "32", Params: []string{"child-block=32"}},
				{Name: "64", Params: []string{"child-block=64"}},
				{Name: "128", Params: []string{"child-block=128"}}, {Name: "256", Params: []string{"child-block=256"}}},
			Columns: []Column{
				{Name: "64 threads", Digits: 2, Of: over("cdp@64", "cdp@32")},
				{Name: "128 threads", Digits: 2, Of: over("cdp@128", "cdp@32")},
				{Name: "256 threads", Digits: 2, Of: over("cdp@256", "cdp@32")},
			},
		},
		{
			Name: "streams", Title: "A stream for each child, speedup over one for each parent CTA, under cdp, smaller " +
				"inputs (figure 8)", Head: "benchmark", GPU: spawnMachine, Set: freeHost,
			Policies: "cdp", Workloads: smallSpawn(), Variants: []Variant{{Name: "cta", Params: []string{"swq=cta"}}},
			Mean:    Geometric,
			Columns: []Column{{Name: "a stream a child", Digits: 3, Of: over("cdp", "cdp@cta"), Mean: true}},
		},
	}
}

// spawnClaims are its published figures.
func spawnClaims() []Claim {
	return []Claim{
		{What: "spawn over flat, average", Where: "section V.B", Published: 1.69, Digits: 2, Experiment: "speedup",
			Row: MeanRow, Column: "spawn"},
		{What: "spawn over Baseline-DP, average", Where: "section V.B", Published: 1.57, Digits: 2, Experiment: "speedup",
			Row: MeanRow, Column: "spawn over all"},
		{What: "the same, over the program's rule", Where: "section V.B", Published: 1.57, Digits: 2,
			Experiment: "speedup", Row: MeanRow, Column: "spawn over cdp"},
		{What: "offline search over Baseline-DP, average", Where: "section V.B", Published: 1.61, Digits: 2,
			Experiment: "speedup", Row: MeanRow, Column: "search over all"},
		{What: "spawn over the search, average", Where: "section V.B: within 4 %", Published: 0.96, Digits: 2,
			Experiment: "speedup", Row: MeanRow, Column: "spawn over search"},
		{What: "occupancy over Baseline-DP", Where: "section V.B", Published: 1.96, Digits: 2, Experiment: "machine",
			Row: MeanRow, Column: "occupancy, spawn over all"},
		{What: "L2 hit rate less Baseline-DP's", Where: "section V.B: around", Published: 10, Unit: "%", Digits: 1,
			Experiment: "machine", Row: MeanRow, Column: "L2 hits, spawn less all"},
		{What: "child kernels against Baseline-DP", Where: "section V.B", Published: -73, Unit: "%", Digits: 1,
			Experiment: "machine", Row: MeanRow, Column: "spawn less all"},
		{What: "BFS-graph500, one level: first child starts", Where: "section V.C", Published: 75, Unit: "kcycles",
			Experiment: "bfs", Row: "80 CTAs", Column: "first child starts"},
		{What: "the same: parents of Baseline-DP end", Where: "section V.C", Published: 436, Unit: "kcycles",
			Experiment: "bfs", Row: "80 CTAs", Column: "parents end, all"},
		{What: "the same: Baseline-DP ends", Where: "section V.C", Published: 2400, Unit: "kcycles", Experiment: "bfs",
			Row: "80 CTAs", Column: "children end, all"},
		{What: "the same: SPAWN ends", Where: "section V.C", Published: 1600, Unit: "kcycles", Experiment: "bfs",
			Row: "80 CTAs", Column: "spawn"},
		{What: "SA: best share of the work for children, over flat", Where: "section III.A, observation 4 (figure 5)",
			Published: 8.6, Digits: 2, Experiment: "speedup", Row: "SA", Column: "offline-search"},
		{What: "JOIN-gaussian: the same", Where: "section III.A, observation 4 (figure 5)", Published: 1.04, Digits: 2,
			Experiment: "speedup", Row: "JOIN-gaussian", Column: "offline-search"},
		{What: "AMR: share of the work for children at the best", Where: "section III.A, observation 2: the minority",
			Published: 50, Relation: Below, Unit: "%", Digits: 1, Experiment: "speedup", Row: "AMR", Column: "offloaded there"},
		{What: "JOIN-uniform: the same", Where: "section III.A, observation 2: the minority", Published: 50,
			Relation: Below, Unit: "%", Digits: 1, Experiment: "speedup", Row: "JOIN-uniform", Column: "offloaded there"},
		{What: "GC-citation: child kernels", Where: "section III.A, observation 4", Published: 2300, Relation: Below,
			Experiment: "machine", Row: "GC-citation", Column: "of cdp"},
		{What: "a stream a child over one a parent CTA, least", Where: "section III.A (figure 8: always better)",
			Published: 1, Relation: Above, Digits: 3, Experiment: "streams", Row: LeastRow, Column: "a stream a child"},
		{What: "table of running child CTAs", Where: "section IV.B", Published: 416, Unit: "bytes",
			Of: cost("spawn", spawnMachine, "execution times of", 1)},
	}
}
