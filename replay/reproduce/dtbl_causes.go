package reproduce

// manyEntries are a distributor and work queues for as many kernels as an SM's places for
// child CTAs times the SMs, to the next power of two.
var manyEntries = []string{"kmu.entries=256", "kmu.hwqs=256"}

// matchColumns are speedups with children of 200 and of 40 items.
func matchColumns() []Column {
	return []Column{
		{Name: "cdp", Digits: 3, Of: over("cdp", "flat")},
		{Name: "cdp-ideal", Digits: 3, Of: over("cdp-ideal", "flat")},
		{Name: "dtbl", Digits: 3, Of: over("dtbl", "flat")},
		{Name: "dtbl-ideal", Digits: 3, Of: over("dtbl-ideal", "flat")},
		{Name: "cdp, 40", Digits: 3, Of: over("cdp@40", "flat@40")},
		{Name: "cdp-ideal, 40", Digits: 3, Of: over("cdp-ideal@40", "flat@40")},
		{Name: "dtbl, 40", Digits: 3, Of: over("dtbl@40", "flat@40")},
		{Name: "dtbl-ideal, 40", Digits: 3, Of: over("dtbl-ideal@40", "flat@40")},
	}
}

// spilling are the rows that the paper calls most sensitive to the table's size (5.2 D).
func spilling() []Workload {
	return pick(dtblWorkloads(), "BHT", "REGX-string")
}

// chains are numbers of spilled records that are read at a time, and sizes of the table, under dtbl.
var chains = []string{"ahead=1", "ahead=2", "ahead=4", "agt=512", "agt=2048", "ahead=1,agt=512", "ahead=1,agt=2048"}

// otherInputs are benchmarks with one thing of the input changed.
func otherInputs() []Workload {
	return []Workload{
		child("AMR, two levels", "dp-amr", "levels=2", "side=32"),
		child("AMR, two levels, all cells near the front refined", "dp-amr", "levels=2", "side=32", "threshold=1"),
		dtblPrograms()[12],
		child("JOIN-gaussian, left relation by key", "dp-join", "distribution=gaussian", "left-order=key", "left=32768",
			"right=32768", "keys=328"),
		child("CLR-graph500", "dp-gc", "input=graph500", "scale=9"),
		child("CLR, a cage of as many vertices", "dp-gc", "input=cage", "scale=9"),
		child("CLR, the same of mean degree 32", "dp-gc", "input=cage", "scale=9", "degree=32"),
	}
}

// otherColumns are the work of the lanes of flat, and its change by launching.
func otherColumns() []Column {
	return []Column{
		{Name: "children", Of: launched("dtbl")},
		{Name: "warp activity, flat", Unit: "%", Digits: 1, Of: activity("flat")},
		{Name: "dtbl less flat", Unit: "%", Digits: 1, Of: less(activity("dtbl"), activity("flat"))},
		{Name: "cdp over flat", Digits: 2, Of: over("cdp", "flat")},
		{Name: "dtbl over flat", Digits: 2, Of: over("dtbl", "flat")},
	}
}

// flights are the airports' network, and one of as many vertices without hubs.
func flights() []Workload {
	return authors([]Workload{
		real(flightsFile, child("SSSP-flight", "dp-sssp")),
		child("SSSP, a road network of as many vertices", "dp-sssp", "input=road", "vertices=3425"),
	})
}

// recommendations are products rated by as many users on the mean as PRE's groups have threads in
// the paper, 1,528, and by the default's 25.
func recommendations() []Workload {
	return []Workload{
		child("PRE", "dp-pre"),
		child("PRE, 1,528 ratings a product", "dp-pre", "users=7640", "items=100"),
	}
}

// dtblCauses are experiments that change one thing alone, to show its effect.
func dtblCauses() []Experiment {
	return []Experiment{
		{
			Name: "entries", Title: "256 entries of the distributor and work queues, not 32: speedup over flat",
			Head: "benchmark", GPU: dtblMachine, Set: append(manyEntries, freeHost...), Mean: Geometric,
			Policies: "flat,cdp,cdp-ideal,dtbl-ideal", Workloads: append(pick(dtblWorkloads(), "REGX-string"), someDTBL()...),
			Columns: append(speedups("flat", "cdp", "cdp-ideal", "dtbl-ideal"),
				Column{Name: "dtbl-ideal over cdp-ideal", Digits: 3, Of: over("dtbl-ideal", "cdp-ideal"), Mean: true}),
		},
		{
			Name: "matches", Title: "JOIN with 200 matches a tuple, and with 40: speedup over flat", Head: "benchmark",
			GPU: dtblMachine, Set: freeHost,
			Policies: dtblPolicies, Workloads: pick(dtblWorkloads(), "JOIN-uniform", "JOIN-gaussian"),
			Variants: []Variant{{Name: "40", Params: []string{"right=6560"}}}, Columns: matchColumns(),
		},
		{
			Name: "chains", Title: "Records of spilled groups read one, two and four at a time, and other sizes of the " +
				"table: speedup over flat", Head: "benchmark", GPU: dtblMachine, Set: freeHost,
			Policies: "flat," + withSettings("dtbl", chains...), Workloads: spilling(),
			Columns: append(speedups("flat", append([]string{"dtbl"}, prefixed("dtbl,", chains)...)...),
				Column{Name: "spilled", Of: metric("dtbl", "agt_spilled_groups", 1)}),
		},
		{
			Name: "inputs", Title: "AMR, JOIN and CLR with one thing of the input changed at a time", Head: "benchmark",
			GPU: dtblMachine, Set: freeHost,
			Policies: "flat,cdp,dtbl", Workloads: otherInputs(), Columns: otherColumns(),
		},
		{
			Name: "flight", Title: "SSSP-flight, and a network of as many vertices without hubs", Head: "benchmark",
			GPU: dtblMachine, Set: freeHost,
			Policies: "flat,cdp,dtbl", Workloads: flights(), Columns: otherColumns(),
		},
		{
			Name: "pre", Title: "PRE with groups as large as the paper's: occupancy under ideal launches", Head: "benchmark",
			GPU: dtblMachine, Set: freeHost,
			Policies: "cdp-ideal,dtbl-ideal", Workloads: recommendations(), Columns: []Column{
				{Name: "children", Of: launched("dtbl-ideal")},
				{Name: "occupancy, cdp-ideal", Unit: "%", Digits: 1, Of: occupancy("cdp-ideal")},
				{Name: "dtbl-ideal", Unit: "%", Digits: 1, Of: occupancy("dtbl-ideal")},
				{Name: "dtbl-ideal over cdp-ideal", Digits: 2, Of: quotient(occupancy("dtbl-ideal"), occupancy("cdp-ideal"))},
			},
		},
	}
}

// prefixed puts one word before each.
func prefixed(word string, all []string) []string {
	var some []string
	for _, s := range all {
		some = append(some, word+s)
	}
	return some
}
