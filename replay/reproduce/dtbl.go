package reproduce

const dtblMachine = "k20c"

// dtblWorkloads are those of table 4, at sizes that run in seconds;
// samples/children/README.md says how each input differs from the paper's.
var dtblWorkloads = []Workload{
	child("AMR", "dp-amr"),
	child("BHT", "dp-bht", "bodies=4096"),
	child("BFS-citation", "dp-bfs", "input=citation", "scale=16"),
	child("BFS-road", "dp-bfs", "input=road", "scale=12"),
	child("BFS-cage", "dp-bfs", "input=cage", "scale=13"),
	child("CLR-citation", "dp-gc", "input=citation", "scale=12"),
	child("CLR-graph500", "dp-gc", "input=graph500", "scale=10"),
	child("CLR-cage", "dp-gc", "input=cage", "scale=11"),
	real(packetsFile, child("REGX-packets", "dp-regx")),
	child("REGX-string", "dp-regx"),
	quick(child("PRE", "dp-pre")),
	quick(child("JOIN-uniform", "dp-join", "distribution=uniform")),
	child("JOIN-gaussian", "dp-join", "distribution=gaussian"),
	child("SSSP-citation", "dp-sssp", "input=citation", "scale=14"),
	real(flightsFile, child("SSSP-flight", "dp-sssp")),
	child("SSSP-cage", "dp-sssp", "input=cage", "scale=12"),
}

const (
	launchedGroups = "dtbl,match=launched"
	aheadGroups    = "dtbl,ahead=32"
	idealLaunched  = "dtbl-ideal,match=launched"
)

// dtblColumns are the papers' comparisons, for the policies that ran.
var dtblColumns = append(append([]Column{{Name: "children", Of: launched("cdp")}},
	speedups("flat", "cdp", "cdp-ideal", "dtbl", launchedGroups, "dtbl-ideal", idealLaunched)...),
	Column{Name: "dtbl over cdp", Digits: 3, Of: over("dtbl", "cdp"), Mean: true},
	Column{Name: "launched over cdp", Digits: 3, Of: over(launchedGroups, "cdp"), Mean: true},
	Column{Name: "cdp's launch time", Unit: "%", Digits: 1, Of: launchTime, Mean: true},
	Column{Name: "dtbl joins", Unit: "%", Digits: 1, Of: joined("dtbl"), Mean: true},
	Column{Name: "launched joins", Unit: "%", Digits: 1, Of: joined(launchedGroups), Mean: true},
)

// launchTime is by how much cdp is slower than with launches that take no time,
// in per cent of its speed without them.
func launchTime(r *Row) float64 {
	return 100 * (1 - over("cdp", "cdp-ideal")(r))
}

// agtColumns are speedups over the AGT of 1,024 entries under one rule of
// matching.
func agtColumns(base string) []Column {
	var all []Column
	for _, v := range []string{"agt=256", "agt=4096", "ahead=32", "kde=64", "kde=1024"} {
		all = append(all, Column{Name: v, Digits: 2, Of: over(base+","+v, base)})
	}
	return append(all, Column{Name: "spilled at 1024", Of: metric(base, "agt_spilled_groups", 1)})
}

// agtPolicies are what those columns need.
func agtPolicies(base string) string {
	list := base
	for _, v := range []string{"agt=256", "agt=4096", "ahead=32", "kde=64", "kde=1024"} {
		list += "," + base + "," + v
	}
	return list
}

var agtWorkloads = pick(dtblWorkloads, "AMR", "BHT", "CLR-citation", "REGX-string", "JOIN-gaussian", "SSSP-flight")

func init() { register(dtbl) }

// dtbl is the paper on dynamic thread block launch.
var dtbl = &Paper{
	Name: "dtbl", Title: "DTBL: children join kernels that are in the distributor",
	Experiments: []Experiment{
		{
			Name: "speedup", Title: "Speedup over flat, benchmarks of table 4", Head: "benchmark", GPU: dtblMachine, Set: freeHost, Mean: Geometric,
			Policies:  "flat,cdp,cdp-ideal,dtbl," + launchedGroups + ",dtbl-ideal," + idealLaunched,
			Workloads: dtblWorkloads, Columns: dtblColumns,
		},
		{
			Name: "agt", Title: "Size of the AGT and what could stand for it, match=kde: speedup over 1,024 entries", Head: "benchmark", GPU: dtblMachine, Set: freeHost,
			Policies: agtPolicies("dtbl"), Workloads: agtWorkloads, Columns: agtColumns("dtbl"),
		},
		{
			Name: "agt-launched", Title: "The same, match=launched", Head: "benchmark", GPU: dtblMachine, Set: freeHost,
			Policies: agtPolicies(launchedGroups), Workloads: agtWorkloads, Columns: agtColumns(launchedGroups),
		},
		{
			Name: "large", Title: "Speedup over flat, inputs near the suite's own size", Head: "benchmark", GPU: dtblMachine, Set: freeHost, Mean: Geometric, Large: true,
			Policies:  "flat,cdp,dtbl," + aheadGroups,
			Workloads: largeChildren,
			Columns: append(append([]Column{{Name: "children", Of: launched("cdp")}}, speedups("flat", "cdp", "dtbl", aheadGroups)...),
				Column{Name: "dtbl over cdp", Digits: 3, Of: over("dtbl", "cdp"), Mean: true},
				Column{Name: "dtbl joins", Unit: "%", Digits: 1, Of: joined("dtbl")},
				Column{Name: "spilled", Of: metric("dtbl", "agt_spilled_groups", 1)},
			),
		},
	},
	Claims: []Claim{
		{What: "dtbl over flat, average", Where: "abstract", Published: 1.21, Digits: 2, Experiment: "speedup", Row: MeanRow, Column: "dtbl"},
		{What: "dtbl over cdp, average", Where: "abstract", Published: 1.40, Digits: 2, Experiment: "speedup", Row: MeanRow, Column: "dtbl over cdp"},
		{What: "the same, match=launched", Where: "abstract", Published: 1.40, Digits: 2, Experiment: "speedup", Row: MeanRow, Column: "launched over cdp"},
		{What: "cdp over flat, average", Where: "abstract: 1.21 over 1.40", Published: 0.86, Digits: 2, Experiment: "speedup", Row: MeanRow, Column: "cdp"},
		{What: "groups that join a kernel, average", Where: "section 4.2", Published: 98, Unit: "%", Digits: 1, Experiment: "speedup", Row: MeanRow, Column: "dtbl joins"},
		{What: "the same, match=launched", Where: "section 4.2", Published: 98, Unit: "%", Digits: 1, Experiment: "speedup", Row: MeanRow, Column: "launched joins"},
		{What: "what launches take of cdp's speed, average", Where: "section 2.4 (other programs, a K20c)", Published: 36.1, Unit: "%", Digits: 1, Experiment: "speedup", Row: MeanRow, Column: "cdp's launch time"},
		{What: "AGT of 1,024 entries", Where: "section 4.3", Published: 20, Unit: "KB", Digits: 1, Of: cost("dtbl", dtblMachine, "aggregated group table", 1./1024)},
		{What: "registers beside the AGT", Where: "section 4.3", Published: 1096, Unit: "bytes", Of: cost("dtbl", dtblMachine, "NAGEI and LAGEI", 1)},
	},
}
