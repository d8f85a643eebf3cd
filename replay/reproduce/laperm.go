package reproduce

// lapermWorkloads are the available workloads of its suite, at sizes that run in seconds.
func lapermWorkloads() []Workload {
	return []Workload{
		child("AMR", "dp-amr", "levels=3"),
		quick(child("BHT", "dp-bht")),
		child("BFS-citation", "dp-bfs", "input=citation", "scale=13"),
		child("BFS-graph500", "dp-bfs", "input=graph500", "scale=11"),
		child("CLR-graph500", "dp-gc", "input=graph500", "scale=8"),
		child("REGX", "dp-regx", "strings=300"),
		child("JOIN-gaussian", "dp-join", "distribution=gaussian"),
		child("SSSP-graph500", "dp-sssp", "input=graph500", "scale=10"),
	}
}

func init() { register(lapermPaper) }

// lapermPaper is the paper on scheduling children by locality.
func lapermPaper() *Paper {
	return &Paper{
		Name: "laperm", Title: "LaPerm: children first, and on the SM of the CTA that launched them",
		SecondsPerRun: 0.6,
		Experiments: []Experiment{
			{
				Name: "speedup", Title: "Speedup over the same launches under round robin (section V.B)", Head: "benchmark",
				GPU: "k20c", Set: append([]string{"l1.bytes=32768"}, freeHost...), Mean: Geometric,
				Policies: "dtbl,laperm,scheme=tb-pri,laperm,scheme=smx-bind,laperm,cdp,laperm,scheme=tb-pri," +
					"launch=device-kernel,laperm,scheme=smx-bind,launch=device-kernel,laperm," +
					"launch=device-kernel", Workloads: lapermWorkloads(),
				Columns: []Column{
					{Name: "tb-pri, dtbl", Digits: 3, Of: over("laperm,scheme=tb-pri", "dtbl"), Mean: true},
					{Name: "smx-bind, dtbl", Digits: 3, Of: over("laperm,scheme=smx-bind", "dtbl"), Mean: true},
					{Name: "adaptive, dtbl", Digits: 3, Of: over("laperm", "dtbl"), Mean: true},
					{Name: "L2 hits, adaptive less dtbl", Unit: "%", Digits: 1, Of: less(l2Hits("laperm"), l2Hits("dtbl")),
						Mean: true},
					{Name: "tb-pri, cdp", Digits: 3, Of: over("laperm,scheme=tb-pri,launch=device-kernel", "cdp"), Mean: true},
					{Name: "smx-bind, cdp", Digits: 3, Of: over("laperm,scheme=smx-bind,launch=device-kernel", "cdp"), Mean: true},
					{Name: "adaptive, cdp", Digits: 3, Of: over("laperm,launch=device-kernel", "cdp"), Mean: true},
				},
			},
		},
		Claims: []Claim{
			{What: "TB-Pri over DTBL, average", Where: "section V.B", Published: 1.13, Digits: 2, Experiment: "speedup",
				Row: MeanRow, Column: "tb-pri, dtbl"},
			{What: "Adaptive-Bind over DTBL, average", Where: "section V.B", Published: 1.27, Digits: 2,
				Experiment: "speedup", Row: MeanRow, Column: "adaptive, dtbl"},
			{What: "TB-Pri over CDP, average", Where: "section V.B", Published: 1.04, Digits: 2, Experiment: "speedup",
				Row: MeanRow, Column: "tb-pri, cdp"},
			{What: "Adaptive-Bind over CDP, average", Where: "section V.B", Published: 1.06, Digits: 2, Experiment: "speedup",
				Row: MeanRow, Column: "adaptive, cdp"},
		},
	}
}
