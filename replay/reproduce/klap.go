package reproduce

// klapHost leaves the host its launches and the latency of its copies: the cost of an aggregation by the host.
var klapHost = []string{"host.storage_mb_s=0", "host.pcie_gb_s=0"}

// klapWorkloads are the available workloads of its suite, at sizes that run in seconds.
func klapWorkloads() []Workload {
	return []Workload{
		child("BFS-citation", "dp-bfs", "input=citation", "scale=13"),
		quick(child("BFS-graph500", "dp-bfs", "input=graph500", "scale=10")),
		child("GC-graph500", "dp-gc", "input=graph500", "scale=8"),
		child("SSSP-graph500", "dp-sssp", "input=graph500", "scale=9"),
		child("Mandel", "dp-mandel", "size=128"),
	}
}

func init() { register(klapPaper) }

// klapPaper is the paper on aggregated launches.
func klapPaper() *Paper {
	return &Paper{
		Name: "klap", Title: "KLAP: child launches of a warp, block or kernel aggregated into one",
		SecondsPerRun: 0.25,
		Experiments: []Experiment{
			{
				Name: "speedup", Title: "Speedup over cdp (section IV.B, on a K40c)", Head: "benchmark", GPU: "k20c",
				Set: klapHost, Mean: Geometric,
				Policies: "cdp,klap,scope=warp,klap,klap,scope=grid,klap,scope=warp,code=off,klap,code=off,klap,scope=grid," +
					"code=off", Workloads: klapWorkloads(),
				Columns: []Column{
					{Name: "by warp", Digits: 2, Of: over("klap,scope=warp", "cdp"), Mean: true},
					{Name: "by block", Digits: 2, Of: over("klap", "cdp"), Mean: true},
					{Name: "by kernel", Digits: 2, Of: over("klap,scope=grid", "cdp"), Mean: true},
					{Name: "by warp, code free", Digits: 2, Of: over("klap,scope=warp,code=off", "cdp"), Mean: true},
					{Name: "by block, code free", Digits: 2, Of: over("klap,code=off", "cdp"), Mean: true},
					{Name: "by kernel, code free", Digits: 2, Of: over("klap,scope=grid,code=off", "cdp"), Mean: true},
					{Name: "children", Of: launched("cdp")},
				},
			},
		},
		Claims: []Claim{
			{What: "by warp over CDP, geometric mean", Where: "section IV.B", Published: 3.98, Digits: 2,
				Experiment: "speedup", Row: MeanRow, Column: "by warp"},
			{What: "by block over CDP, geometric mean", Where: "section IV.B", Published: 4.94, Digits: 2,
				Experiment: "speedup", Row: MeanRow, Column: "by block"},
			{What: "by kernel over CDP, geometric mean", Where: "section IV.B", Published: 6.58, Digits: 2,
				Experiment: "speedup", Row: MeanRow, Column: "by kernel"},
		},
	}
}
