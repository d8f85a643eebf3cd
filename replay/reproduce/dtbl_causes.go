package reproduce

// dragonliRows are those that fill the GPU and whose programs have a launch rule in the
// authors' suite.
var dragonliRows = pick(dtblWorkloads, "BFS-citation", "CLR-cage", "REGX-string", "JOIN-uniform", "JOIN-gaussian", "SSSP-citation")

// dragonliColumns are what the suite's own launch rule comes to, beside ideal launches under ours.
var dragonliColumns = append([]Column{
	{Name: "dense: cdp-ideal", Digits: 3, Of: over("cdp-ideal", "flat"), Mean: true},
	{Name: "dense: dtbl-ideal", Digits: 3, Of: over("dtbl-ideal", "flat"), Mean: true},
	{Name: "dense: ideals' ratio", Digits: 3, Of: over("dtbl-ideal", "cdp-ideal"), Mean: true},
	{Name: "dragonli: children", Of: launched("cdp@dragonli")},
}, underRule("@dragonli")...)

// underRule are the papers' comparisons under another launch rule.
func underRule(at string) []Column {
	var all []Column
	for _, p := range []string{"cdp", "cdp-ideal", "dtbl", "dtbl-ideal"} {
		all = append(all, Column{Name: p, Digits: 3, Of: over(p+at, "flat"+at), Mean: true})
	}
	return append(all, Column{Name: "ideals' ratio", Digits: 3, Of: over("dtbl-ideal"+at, "cdp-ideal"+at), Mean: true},
		Column{Name: "ideals' occupancy, cdp", Unit: "%", Digits: 1, Of: occupancy("cdp-ideal" + at), Mean: true},
		Column{Name: "dtbl over it", Digits: 2, Of: quotient(occupancy("dtbl-ideal"+at), occupancy("cdp-ideal"+at)), Mean: true})
}

// manyEntries are a distributor and work queues for as many kernels as an SM's places for
// child CTAs times the SMs, to the next power of two.
var manyEntries = []string{"kmu.entries=256", "kmu.hwqs=256"}

// matchColumns are speedups with children of 200 and of 40 items.
var matchColumns = []Column{
	{Name: "cdp", Digits: 3, Of: over("cdp", "flat")},
	{Name: "cdp-ideal", Digits: 3, Of: over("cdp-ideal", "flat")},
	{Name: "dtbl", Digits: 3, Of: over("dtbl", "flat")},
	{Name: "dtbl-ideal", Digits: 3, Of: over("dtbl-ideal", "flat")},
	{Name: "cdp, 40", Digits: 3, Of: over("cdp@40", "flat@40")},
	{Name: "cdp-ideal, 40", Digits: 3, Of: over("cdp-ideal@40", "flat@40")},
	{Name: "dtbl, 40", Digits: 3, Of: over("dtbl@40", "flat@40")},
	{Name: "dtbl-ideal, 40", Digits: 3, Of: over("dtbl-ideal@40", "flat@40")},
}

// dtblCauses are experiments in which one thing alone is changed, to show what it is worth.
var dtblCauses = []Experiment{
	{
		Name: "dragonli", Title: "The launch rule of the authors' suite: speedup over flat", Head: "benchmark", GPU: dtblMachine, Set: freeHost, Mean: Geometric,
		Policies: dtblPolicies, Workloads: dragonliRows, Variants: []Variant{{"dragonli", []string{"rule=dragonli"}}}, Columns: dragonliColumns,
	},
	{
		Name: "entries", Title: "256 entries of the distributor and work queues, not 32: speedup over flat", Head: "benchmark", GPU: dtblMachine, Set: append(manyEntries, freeHost...), Mean: Geometric,
		Policies: "flat,cdp,cdp-ideal,dtbl-ideal", Workloads: append(pick(dtblWorkloads, "REGX-string"), someDTBL...),
		Columns: append(speedups("flat", "cdp", "cdp-ideal", "dtbl-ideal"), Column{Name: "dtbl-ideal over cdp-ideal", Digits: 3, Of: over("dtbl-ideal", "cdp-ideal"), Mean: true}),
	},
	{
		Name: "matches", Title: "JOIN with 200 matches a tuple, and with 40: speedup over flat", Head: "benchmark", GPU: dtblMachine, Set: freeHost,
		Policies: dtblPolicies, Workloads: pick(dtblWorkloads, "JOIN-uniform", "JOIN-gaussian"), Variants: []Variant{{"40", []string{"right=6560"}}}, Columns: matchColumns,
	},
}
