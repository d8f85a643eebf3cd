package reproduce

import "fmt"

const (
	spawnMachine = "k20m-spawn"
	search       = "offline-search,steps=6"
)

// spawnWorkloads are those of table I, at sizes that run in seconds.
var spawnWorkloads = []Workload{
	child("AMR", "dp-amr"),
	child("BFS-citation", "dp-bfs", "input=citation", "scale=16"),
	child("BFS-graph500", "dp-bfs", "input=graph500", "scale=13"),
	child("SSSP-citation", "dp-sssp", "input=citation", "scale=14"),
	child("SSSP-graph500", "dp-sssp", "input=graph500", "scale=12"),
	quick(child("JOIN-uniform", "dp-join", "distribution=uniform")),
	child("JOIN-gaussian", "dp-join", "distribution=gaussian"),
	child("GC-citation", "dp-gc", "input=citation", "scale=12"),
	child("GC-graph500", "dp-gc", "input=graph500", "scale=10"),
	quick(child("Mandel", "dp-mandel", "size=128")),
	child("MM-small", "dp-mm", "scale=8"),
	child("MM-large", "dp-mm", "scale=9"),
	child("SA", "dp-sa"),
}

// spawnGraphs have hubs (the first three) or none.
var spawnGraphs = []Workload{
	real("graph=graphs-small-bench/snap-as20graph.txt", child("BFS-as20", "dp-bfs")),
	real("graph=graphs-email-enron/email-Enron.txt.gz", child("BFS-Enron", "dp-bfs")),
	real(flightsFile, child("BFS-OpenFlights", "dp-bfs")),
	real("graph=graphs-kahip/rgg_n_2_15_s0.graph", child("BFS-rgg", "dp-bfs")),
	real("graph=graphs-kahip/delaunay_n15.graph", child("BFS-delaunay", "dp-bfs")),
}

// spawnColumns are the paper's comparison. While it learns, SPAWN launches every
// request, as threshold=0 does throughout; so the slowest of flat, cdp and that
// bounds what its learning may cost.
var spawnColumns = []Column{
	{Name: "cdp", Digits: 2, Of: over("cdp", "flat"), Mean: true},
	{Name: "offline-search", Digits: 2, Of: over(search, "flat"), Mean: true},
	{Name: "spawn", Digits: 2, Of: over("spawn", "flat"), Mean: true},
	{Name: "spawn over cdp", Digits: 2, Of: over("spawn", "cdp"), Mean: true},
	{Name: "spawn over search", Digits: 2, Of: over("spawn", search), Mean: true},
	{Name: "spawn+dtbl", Digits: 2, Of: over("spawn+dtbl", "flat"), Mean: true},
	{Name: "spawn over the slowest of flat, cdp, all", Digits: 2, Of: func(r *Row) float64 {
		return max(over("spawn", "flat")(r), over("spawn", "cdp")(r), over("spawn", "threshold=0")(r))
	}},
	{Name: "search at", Of: threshold(search)},
	{Name: "offloaded there", Unit: "%", Digits: 1, Of: offloaded(search)},
	{Name: "children of cdp", Of: launched("cdp")},
	{Name: "of the search", Of: launched(search)},
	{Name: "of spawn", Of: launched("spawn")},
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

const spawnPolicies = "flat,cdp," + search + ",spawn,spawn+dtbl"

func init() { register(spawn) }

// spawn is the paper on controlled child launches.
var spawn = &Paper{
	Name: "spawn", Title: "SPAWN: a child only where it is estimated to end before its parent would",
	Experiments: []Experiment{
		{
			Name: "speedup", Title: "Speedup over flat, benchmarks of table I (figure 5: the best share of the work for children)", Head: "benchmark", GPU: spawnMachine, Set: freeHost, Mean: Geometric,
			Policies: spawnPolicies, Workloads: spawnWorkloads, Columns: spawnColumns,
		},
		{
			Name: "shares", Title: "Share of the work for children, speedup over flat (figure 5): the largest tried that is not above", Head: "benchmark", GPU: spawnMachine, Set: freeHost,
			Policies: "flat," + search, Workloads: spawnWorkloads, Columns: shareColumns(100, 80, 60, 40, 20, 0),
		},
		{
			Name: "large", Title: "Speedup over flat, inputs near the suite's own size", Head: "benchmark", GPU: spawnMachine, Set: freeHost, Mean: Geometric, Large: true,
			Policies: "flat,cdp,spawn", Workloads: pick(largeChildren, "BFS-citation", "SSSP-citation"),
			Columns: []Column{
				{Name: "cdp", Digits: 2, Of: over("cdp", "flat"), Mean: true},
				{Name: "spawn", Digits: 2, Of: over("spawn", "flat"), Mean: true},
				{Name: "spawn over cdp", Digits: 2, Of: over("spawn", "cdp"), Mean: true},
				{Name: "children of cdp", Of: launched("cdp")},
				{Name: "of spawn", Of: launched("spawn")},
			},
		},
		{
			Name: "graphs", Title: "Graphs with hubs and without", Head: "benchmark", GPU: spawnMachine, Set: freeHost, Mean: Geometric,
			Policies: spawnPolicies, Workloads: spawnGraphs, Columns: spawnColumns,
		},
		// Without AMR, whose block is a refinement's number of cells and so the work,
		// and MM, whose children have as many threads as the multiplier columns.
		{
			Name: "blocks", Title: "CTA size of children under cdp: speedup over 32 threads (figure 7)", Head: "benchmark", GPU: spawnMachine, Set: freeHost,
			Policies: "cdp", Workloads: pick(spawnWorkloads, "BFS-citation", "BFS-graph500", "SSSP-citation", "SSSP-graph500", "JOIN-uniform", "JOIN-gaussian", "GC-citation", "GC-graph500", "Mandel", "SA"),
			Variants: []Variant{{"32", []string{"child-block=32"}}, {"64", []string{"child-block=64"}}, {"128", []string{"child-block=128"}}, {"256", []string{"child-block=256"}}},
			Columns: []Column{
				{Name: "64 threads", Digits: 2, Of: over("cdp@64", "cdp@32")},
				{Name: "128 threads", Digits: 2, Of: over("cdp@128", "cdp@32")},
				{Name: "256 threads", Digits: 2, Of: over("cdp@256", "cdp@32")},
			},
		},
		{
			Name: "streams", Title: "A stream for each child, speedup over one for each parent CTA, under cdp (figure 8)", Head: "benchmark", GPU: spawnMachine, Set: freeHost,
			Policies: "cdp", Workloads: spawnWorkloads, Variants: []Variant{{"cta", []string{"swq=cta"}}}, Mean: Geometric,
			Columns: []Column{{Name: "a stream a child", Digits: 3, Of: over("cdp", "cdp@cta"), Mean: true}},
		},
	},
	Claims: []Claim{
		{What: "SA: best share of the work for children, over flat", Where: "section III.A, observation 4 (figure 5)", Published: 8.6, Digits: 2, Experiment: "speedup", Row: "SA", Column: "offline-search"},
		{What: "JOIN-gaussian: the same", Where: "section III.A, observation 4 (figure 5)", Published: 1.04, Digits: 2, Experiment: "speedup", Row: "JOIN-gaussian", Column: "offline-search"},
		{What: "AMR: share of the work for children at the best", Where: "section III.A, observation 2: the minority", Published: 50, Relation: Below, Unit: "%", Digits: 1, Experiment: "speedup", Row: "AMR", Column: "offloaded there"},
		{What: "JOIN-uniform: the same", Where: "section III.A, observation 2: the minority", Published: 50, Relation: Below, Unit: "%", Digits: 1, Experiment: "speedup", Row: "JOIN-uniform", Column: "offloaded there"},
		{What: "GC-citation: child kernels", Where: "section III.A, observation 4", Published: 2300, Relation: Below, Experiment: "speedup", Row: "GC-citation", Column: "children of cdp"},
		{What: "a stream a child over one a parent CTA, least", Where: "section III.A (figure 8: always better)", Published: 1, Relation: Above, Digits: 3, Experiment: "streams", Row: LeastRow, Column: "a stream a child"},
		{What: "table of running child CTAs", Where: "section IV.B", Published: 416, Unit: "bytes", Of: cost("spawn", spawnMachine, "execution times of", 1)},
	},
}
