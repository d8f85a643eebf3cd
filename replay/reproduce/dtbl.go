package reproduce

const dtblMachine = "k20c"

// dtblWorkloads are the workloads of table 4 under the launch rule of the authors' suite. Their sizes run in
// seconds and, where possible, fill the GPU. samples/children/README.md lists how each input differs from the
// paper's.
func dtblWorkloads() []Workload { return authors(dtblPrograms()) }

// authors gives the programs the launch rule of the authors' public suite. BHT keeps ours: its
// groups have 33.4 threads on the mean in the paper (5.2 B), and whole CTAs of the suite's 128 have
// more. AMR launches whole refinements under any rule.
func authors(all []Workload) []Workload {
	for i := range all {
		switch all[i].Sample {
		case "dp-bfs", "dp-gc", "dp-regx", "dp-pre", "dp-join", "dp-sssp":
			all[i].Params = append(all[i].Params, "rule=dragonli")
		}
	}
	return all
}

// dtblPrograms are the workloads under our rule, which launches from 16 items on.
func dtblPrograms() []Workload {
	return []Workload{
		child("AMR", "dp-amr", "levels=3", "side=64"),
		child("BHT", "dp-bht", "bodies=4096"),
		flatBFS(child("BFS-citation", "dp-bfs", "input=citation", "scale=16")),
		flatBFS(child("BFS-road", "dp-bfs", "input=road", "scale=12")),
		flatBFS(child("BFS-cage", "dp-bfs", "input=cage", "scale=15")),
		child("CLR-citation", "dp-gc", "input=citation", "scale=11"),
		child("CLR-graph500", "dp-gc", "input=graph500", "scale=9"),
		child("CLR-cage", "dp-gc", "input=cage", "vertices=26880"),
		real(packetsFile, child("REGX-packets", "dp-regx")),
		child("REGX-string", "dp-regx", "strings=27000", "longest=128"),
		quick(child("PRE", "dp-pre")),
		child("JOIN-uniform", "dp-join", "distribution=uniform", "left-order=drawn", "left=32768", "right=32768", "keys=164"),
		child("JOIN-gaussian", "dp-join", "distribution=gaussian", "left-order=drawn", "left=32768", "right=32768",
			"keys=328"),
		child("SSSP-citation", "dp-sssp", "input=citation", "scale=16"),
		real(flightsFile, child("SSSP-flight", "dp-sssp")),
		quick(child("SSSP-cage", "dp-sssp", "input=cage", "scale=12")),
	}
}

// someDTBL are those on which one thing at a time is changed: of each kind one, at a size
// that runs in a second or two.
func someDTBL() []Workload {
	return authors([]Workload{
		child("AMR", "dp-amr", "levels=3"),
		dtblPrograms()[2],
		dtblPrograms()[11],
		child("SSSP-citation", "dp-sssp", "input=citation", "scale=14"),
	})
}

// dtblFilling are the rows whose parents fill the GPU.
var dtblFilling = []string{"AMR", "BFS-citation", "CLR-cage", "REGX-string", "JOIN-uniform", "JOIN-gaussian",
	"SSSP-citation"}

// idealColumns are occupancies under ideal launches.
func idealColumns() []Column {
	return []Column{
		{Name: "occupancy, cdp-ideal", Unit: "%", Digits: 1, Of: occupancy("cdp-ideal"), Mean: true},
		{Name: "occupancy, dtbl-ideal", Unit: "%", Digits: 1, Of: occupancy("dtbl-ideal"), Mean: true},
	}
}

const dtblPolicies = "flat,cdp,cdp-ideal,dtbl,dtbl-ideal"

// dtblColumns are the papers' comparisons.
func dtblColumns() []Column {
	return append(append([]Column{
		{Name: "parent warps", Of: parentWarps},
		{Name: "flat's occupancy", Unit: "%", Digits: 1, Of: occupancy("flat")},
		{Name: "launched by the rule", Unit: "%", Digits: 1, Of: ruleShare},
		{Name: "children", Of: launched("cdp")},
	}, speedups("flat", "cdp", "cdp-ideal", "dtbl", "dtbl-ideal")...),
		Column{Name: "dtbl over cdp", Digits: 3, Of: over("dtbl", "cdp"), Mean: true},
		Column{Name: "dtbl-ideal over cdp-ideal", Digits: 3, Of: over("dtbl-ideal", "cdp-ideal"), Mean: true},
		Column{Name: "cdp's launch time", Unit: "%", Digits: 1, Of: launchTime, Mean: true},
		Column{Name: "dtbl joins", Unit: "%", Digits: 1, Of: joined("dtbl"), Mean: true},
		Column{Name: "spilled", Of: metric("dtbl", "agt_spilled_groups", 1)},
	)
}

// utilisationColumns are the figures of sections 5.2 A and B.
func utilisationColumns() []Column {
	return []Column{
		{Name: "warp activity, flat", Unit: "%", Digits: 1, Of: activity("flat"), Mean: true},
		{Name: "cdp less flat", Unit: "%", Digits: 1, Of: less(activity("cdp"), activity("flat")), Mean: true},
		{Name: "dtbl less flat", Unit: "%", Digits: 1, Of: less(activity("dtbl"), activity("flat")), Mean: true},
		{Name: "DRAM efficiency, flat", Digits: 3, Of: dramEfficiency("flat"), Mean: true},
		{Name: "cdp over flat", Digits: 2, Of: quotient(dramEfficiency("cdp"), dramEfficiency("flat")), Mean: true},
		{Name: "dtbl over flat", Digits: 2, Of: quotient(dramEfficiency("dtbl"), dramEfficiency("flat")), Mean: true},
		{Name: "occupancy, cdp", Unit: "%", Digits: 1, Of: occupancy("cdp"), Mean: true},
		{Name: "dtbl", Unit: "%", Digits: 1, Of: occupancy("dtbl"), Mean: true},
		{Name: "cdp-ideal", Unit: "%", Digits: 1, Of: occupancy("cdp-ideal"), Mean: true},
		{Name: "dtbl-ideal", Unit: "%", Digits: 1, Of: occupancy("dtbl-ideal"), Mean: true},
		{Name: "dtbl-ideal less cdp-ideal", Unit: "%", Digits: 1,
			Of: less(occupancy("dtbl-ideal"), occupancy("cdp-ideal")), Mean: true},
		{Name: "dtbl-ideal over cdp-ideal", Digits: 2, Of: quotient(occupancy("dtbl-ideal"), occupancy("cdp-ideal")),
			Mean: true},
	}
}

// pendingColumns are the figures of sections 5.2 B and C about launches that wait.
func pendingColumns() []Column {
	return []Column{
		{Name: "waiting, cdp", Unit: "kcycles", Digits: 1, Of: waiting("cdp")},
		{Name: "dtbl", Unit: "kcycles", Digits: 1, Of: waiting("dtbl")},
		{Name: "dtbl over cdp", Digits: 3, Of: quotient(waiting("dtbl"), waiting("cdp")), Mean: true},
		{Name: "cdp-ideal", Unit: "kcycles", Digits: 1, Of: waiting("cdp-ideal")},
		{Name: "dtbl-ideal", Unit: "kcycles", Digits: 1, Of: waiting("dtbl-ideal")},
		{Name: "dtbl-ideal over cdp-ideal", Digits: 3, Of: quotient(waiting("dtbl-ideal"), waiting("cdp-ideal")), Mean: true},
		{Name: "memory, cdp", Unit: "KB", Of: pendingKB("cdp")},
		{Name: "memory, dtbl", Unit: "KB", Of: pendingKB("dtbl")},
		{Name: "memory, dtbl over cdp", Digits: 3, Of: quotient(pendingKB("dtbl"), pendingKB("cdp")), Mean: true},
	}
}

// launchTime is by how much cdp is slower than with launches that take no time,
// in per cent of its speed without them.
func launchTime(r *Row) float64 {
	return 100 * (1 - over("cdp", "cdp-ideal")(r))
}

// against is a column for each setting of a policy: its speedup over the policy.
func against(base string, settings ...string) []Column {
	var all []Column
	for _, s := range settings {
		all = append(all, Column{Name: s, Digits: 2, Of: over(base+","+s, base), Mean: true})
	}
	return all
}

// withSettings lists a policy, and it under each setting.
func withSettings(base string, settings ...string) string {
	list := base
	for _, s := range settings {
		list += "," + base + "," + s
	}
	return list
}

var (
	readings = []string{"fallback=api", "match=kde", "match=kde,fallback=api", "alloc=hash", "ahead=1",
		"match=kde,fallback=api,alloc=hash,ahead=1"}
	aheads   = []string{"ahead=1", "ahead=2", "ahead=4", "ahead=32", "ahead=64", "ahead=0"}
	agtSizes = []string{"agt=256", "agt=512", "agt=2048", "agt=4096", "kde=64", "kde=1024"}
	figure12 = []string{"agt=512", "agt=2048"}
	hashed   = []string{"agt=256", "agt=512", "agt=2048", "agt=4096"}
)

// flatColumns are a search's speedups over both flat programs.
func flatColumns() []Column {
	return []Column{
		{Name: "cdp", Digits: 3, Of: over("cdp", "flat"), Mean: true},
		{Name: "dtbl", Digits: 3, Of: over("dtbl", "flat"), Mean: true},
		{Name: "dtbl-ideal", Digits: 3, Of: over("dtbl-ideal", "flat"), Mean: true},
		{Name: "by CTA, warp and scan over by thread", Digits: 3, Of: over("flat", "flat@thread"), Mean: true},
		{Name: "cdp over by thread", Digits: 3, Of: over("cdp", "flat@thread"), Mean: true},
		{Name: "dtbl over by thread", Digits: 3, Of: over("dtbl", "flat@thread"), Mean: true},
	}
}

// tenth are a tenth of the latencies of table 3.
var tenth = []string{"launch.stream_create=717", "launch.param_base=802", "launch.param_per_lane=13",
	"launch.device_base=1219", "launch.device_per_lane=159"}

// ruleColumns are speedups under each launch rule.
func ruleColumns(rules ...string) []Column {
	var all []Column
	for _, r := range rules {
		at := ""
		if r != "dragonli" {
			at = "@" + r
		}
		all = append(all, Column{Name: r + ": children", Of: launched("cdp" + at)},
			Column{Name: r + ": cdp over flat", Digits: 2, Of: over("cdp"+at, "flat"+at), Mean: true},
			Column{Name: r + ": dtbl over flat", Digits: 2, Of: over("dtbl"+at, "flat"+at), Mean: true})
	}
	return all
}

func init() { register(dtbl) }

// dtbl is the paper on dynamic thread block launch.
func dtbl() *Paper {
	return &Paper{
		Name: "dtbl", Title: "DTBL: children join kernels that are in the distributor",
		Experiments:   dtblExperiments(),
		Claims:        dtblClaims(),
		Figures:       dtblFigures(),
		SecondsPerRun: 12,
	}
}

func dtblExperiments() []Experiment {
	return append([]Experiment{
		{
			Name: "speedup", Title: "Speedup over flat, benchmarks of table 4", Head: "benchmark", GPU: dtblMachine,
			Set: freeHost, Mean: Geometric, Counts: fills,
			Policies: dtblPolicies, Workloads: dtblWorkloads(), Columns: dtblColumns(),
		},
		{
			Name: "seed", Title: "The rows that fill the GPU with a second seed: speedup over flat", Head: "benchmark",
			GPU: dtblMachine, Set: freeHost, Mean: Geometric, Counts: fills,
			Policies: dtblPolicies, Workloads: seeded(pick(dtblWorkloads(), dtblFilling...), "2"), Columns: dtblColumns(),
		},
		{
			Name: "dense", Title: "The rows that fill the GPU under our launch rule (dense: 16 items and more, CTAs of " +
				"32): speedup over flat", Head: "benchmark", GPU: dtblMachine, Set: freeHost, Mean: Geometric, Counts: fills,
			Policies: dtblPolicies, Workloads: pick(dtblPrograms(), dtblFilling...),
			Columns: append(dtblColumns(), idealColumns()...),
		},
		{
			Name: "utilisation", Title: "Use of the GPU by the runs (sections 5.2 A and B)", Head: "benchmark",
			GPU: dtblMachine, Set: freeHost, Mean: Geometric, Counts: fills,
			Policies: dtblPolicies, Workloads: dtblWorkloads(), Columns: utilisationColumns(),
		},
		{
			Name: "pending", Title: "Launches that wait: launch call to first CTA, most memory at once (sections " +
				"5.2 B and C)", Head: "benchmark", GPU: dtblMachine, Set: freeHost, Mean: Geometric, Counts: fills,
			Policies: dtblPolicies, Workloads: dtblWorkloads(), Columns: pendingColumns(),
		},
		{
			Name: "readings", Title: "Other readings of the text, one changed at a time, and all: speedup over dtbl",
			Head: "benchmark", GPU: dtblMachine, Set: freeHost, Mean: Geometric,
			Policies: withSettings("dtbl", readings...), Workloads: someDTBL(), Columns: against("dtbl", readings...),
		},
		{
			Name: "ahead", Title: "Records of spilled groups read ahead, AGT of 256: speedup over 8 (0: reading " +
				"takes no time)", Head: "benchmark", GPU: dtblMachine, Set: freeHost, Mean: Geometric,
			Policies: withSettings("dtbl,agt=256", aheads...), Workloads: someDTBL(),
			Columns: append(against("dtbl,agt=256", aheads...),
				Column{Name: "spilled", Of: metric("dtbl,agt=256", "agt_spilled_groups", 1)}),
		},
		{
			Name: "ideal", Title: "Ideal groups whose records are read eight at a time and one after another: " +
				"speedup over flat", Head: "benchmark", GPU: dtblMachine, Set: freeHost, Mean: Geometric,
			Policies: "flat,cdp-ideal," + withSettings("dtbl-ideal", "ahead=8", "ahead=1"), Workloads: someDTBL(),
			Columns: speedups("flat", "cdp-ideal", "dtbl-ideal", "dtbl-ideal,ahead=8", "dtbl-ideal,ahead=1"),
		},
	}, append(dtblVariations(), dtblCauses()...)...)
}

// dtblVariations change one thing at a time.
func dtblVariations() []Experiment {
	return append([]Experiment{
		{
			Name: "agt", Title: "Size of the AGT: speedup over 1,024 entries (figure 12)", Head: "benchmark",
			GPU: dtblMachine, Set: freeHost, Mean: Geometric,
			Policies: withSettings("dtbl", figure12...), Workloads: dtblWorkloads(),
			Columns: append(against("dtbl", figure12...),
				Column{Name: "spilled at 1024", Of: metric("dtbl", "agt_spilled_groups", 1)}),
		},
		{
			Name: "agt-sizes", Title: "More sizes of the AGT and substitutes: speedup over 1,024 entries", Head: "benchmark",
			GPU: dtblMachine, Set: freeHost, Mean: Geometric,
			Policies: withSettings("dtbl", agtSizes...), Workloads: someDTBL(),
			Columns: append(against("dtbl", agtSizes...),
				Column{Name: "spilled at 1024", Of: metric("dtbl", "agt_spilled_groups", 1)},
				Column{Name: "most entries in use", Of: metric("dtbl", "agt_most_used_entries", 1)}),
		},
		{
			Name: "agt-hash", Title: "The same with alloc=hash", Head: "benchmark", GPU: dtblMachine, Set: freeHost,
			Mean:     Geometric,
			Policies: withSettings("dtbl,alloc=hash", hashed...), Workloads: someDTBL(),
			Columns: append(against("dtbl,alloc=hash", hashed...),
				Column{Name: "spilled at 1024", Of: metric("dtbl,alloc=hash", "agt_spilled_groups", 1)}),
		},
		{
			Name: "agt-chain", Title: "The same with records read one after another (ahead=1)", Head: "benchmark",
			GPU: dtblMachine, Set: freeHost, Mean: Geometric,
			Policies: withSettings("dtbl,ahead=1", hashed...), Workloads: someDTBL(),
			Columns: against("dtbl,ahead=1", hashed...),
		},
	}, dtblMachines()...)
}

// dtblMachines change the flat program, the launch rule or the machine.
func dtblMachines() []Experiment {
	return []Experiment{
		{
			Name: "flat", Title: "Whose flat search: each vertex by its thread, or by CTA, warp and scan; speedup over it",
			Head: "benchmark", GPU: dtblMachine, Set: freeHost, Mean: Geometric,
			Policies: "flat,cdp,dtbl,dtbl-ideal", Workloads: pick(dtblWorkloads(), "BFS-citation", "BFS-cage"),
			Variants: []Variant{{Name: "thread", Params: []string{"form=nested"}}},
			Under:    map[string]string{"thread": "flat"}, Columns: flatColumns(),
		},
		{
			Name: "latency", Title: "A tenth of the latencies of the device API: speedup over flat",
			Head: "benchmark", GPU: dtblMachine, Set: append(tenth, freeHost...), Mean: Geometric,
			Policies: "flat,cdp,dtbl", Workloads: someDTBL(), Columns: speedups("flat", "cdp", "dtbl"),
		},
		{
			Name: "rules", Title: "Whose launch rule: speedup over flat", Head: "benchmark", GPU: dtblMachine, Set: freeHost,
			Mean: Geometric, Policies: "flat,cdp,dtbl",
			Workloads: append(pick(dtblWorkloads(), "BFS-citation", "BFS-cage"), someDTBL()[3]),
			Variants: []Variant{{Name: "dense", Params: []string{"rule=dense"}},
				{Name: "klap", Params: []string{"rule=klap"}}}, Columns: ruleColumns("dragonli", "dense", "klap"),
		},
		{
			Name: "l1", Title: "Global loads past the L1, as on hardware: speedup over flat", Head: "benchmark",
			GPU: dtblMachine, Set: append([]string{"l1.global_loads=false"}, freeHost...), Mean: Geometric,
			Policies: "flat,cdp,dtbl", Workloads: someDTBL(), Columns: speedups("flat", "cdp", "dtbl"),
		},
		{
			Name: "call", Title: "A call that does not hold its warp: speedup over flat", Head: "benchmark",
			GPU: dtblMachine, Set: append([]string{"launch.blocks_warp=false"}, freeHost...), Mean: Geometric,
			Policies: "flat,cdp,dtbl", Workloads: someDTBL(), Columns: speedups("flat", "cdp", "dtbl"),
		},
		{
			Name: "dispatch", Title: "Dispatches one after another, 283 cycles each: speedup over flat", Head: "benchmark",
			GPU: dtblMachine, Set: append([]string{"kmu.serial_dispatch=true"}, freeHost...), Mean: Geometric,
			Policies: "flat,cdp,dtbl", Workloads: someDTBL(), Columns: speedups("flat", "cdp", "dtbl"),
		},
		{
			Name: "large", Title: "Speedup over flat, inputs near the suite's own size",
			Head: "benchmark", GPU: dtblMachine, Set: freeHost, Mean: Geometric, Large: true, Counts: fills,
			Policies: dtblPolicies, Workloads: largeChildren(), Columns: dtblColumns(),
		},
	}
}

// dtblClaims are its published figures.
func dtblClaims() []Claim {
	return append([]Claim{
		{What: "cdp over flat, average", Where: "section 5.2 C: a slow-down of 1.16", Published: 1 / 1.16, Digits: 2,
			Experiment: "speedup", Row: MeanRow, Column: "cdp"},
		{What: "dtbl over flat, average", Where: "section 5.2 C, abstract", Published: 1.21, Digits: 2,
			Experiment: "speedup", Row: MeanRow, Column: "dtbl"},
		{What: "dtbl over cdp, average", Where: "section 5.2 C, abstract", Published: 1.40, Digits: 2,
			Experiment: "speedup", Row: MeanRow, Column: "dtbl over cdp"},
		{What: "cdp-ideal over flat, average", Where: "section 5.2 C", Published: 1.43, Digits: 2, Experiment: "speedup",
			Row: MeanRow, Column: "cdp-ideal"},
		{What: "dtbl-ideal over flat, average", Where: "section 5.2 C", Published: 1.63, Digits: 2, Experiment: "speedup",
			Row: MeanRow, Column: "dtbl-ideal"},
		{What: "dtbl-ideal over cdp-ideal, average", Where: "section 5.2 C: 1.63 over 1.43", Published: 1.14, Digits: 2,
			Experiment: "speedup", Row: MeanRow, Column: "dtbl-ideal over cdp-ideal"},
		{What: "dtbl over flat, clr_graph500", Where: "section 5.2 C (degrees that are said to be balanced)",
			Published: 0.97, Digits: 2, Experiment: "speedup", Row: "CLR-graph500", Column: "dtbl"},
		{What: "dtbl over flat, regx_string", Where: "section 5.2 C", Published: 0.95, Digits: 2, Experiment: "speedup",
			Row: "REGX-string", Column: "dtbl"},
		{What: "cdp-ideal over flat, regx_string", Where: "section 5.2 C", Published: 2.73, Digits: 2,
			Experiment: "speedup", Row: "REGX-string", Column: "cdp-ideal"},
		{What: "dtbl-ideal over flat, regx_string", Where: "section 5.2 C", Published: 3.10, Digits: 2,
			Experiment: "speedup", Row: "REGX-string", Column: "dtbl-ideal"},
		{What: "groups that join a kernel, average", Where: "section 4.2", Published: 98, Unit: "%", Digits: 1,
			Experiment: "speedup", Row: MeanRow, Column: "dtbl joins"},
		{What: "loss of cdp's speed by launches, average", Where: "section 2.4 (other programs, a K20c)", Published: 36.1,
			Unit: "%", Digits: 1, Experiment: "speedup", Row: MeanRow, Column: "cdp's launch time"},
	}, dtblUseClaims()...)
}

// dtblUseClaims are its published figures of the use of the GPU and of the AGT.
func dtblUseClaims() []Claim {
	return []Claim{
		{What: "warp activity, dtbl less flat, average", Where: "section 5.2 A", Published: 10.7, Unit: "%", Digits: 1,
			Experiment: "utilisation", Row: MeanRow, Column: "dtbl less flat"},
		{What: "the same, amr", Where: "section 5.2 A", Published: 45.3, Unit: "%", Digits: 1, Experiment: "utilisation",
			Row: "AMR", Column: "dtbl less flat"},
		{What: "the same, join_gaussian", Where: "section 5.2 A", Published: 21.3, Unit: "%", Digits: 1,
			Experiment: "utilisation", Row: "JOIN-gaussian", Column: "dtbl less flat"},
		{What: "the same, clr_cage15", Where: "section 5.2 A", Published: -5.9, Unit: "%", Digits: 1,
			Experiment: "utilisation", Row: "CLR-cage", Column: "dtbl less flat"},
		{What: "DRAM efficiency, cdp over flat, average", Where: "section 5.2 A", Published: 1.14, Digits: 2,
			Experiment: "utilisation", Row: MeanRow, Column: "cdp over flat"},
		{What: "DRAM efficiency, dtbl over flat, average", Where: "section 5.2 A", Published: 1.27, Digits: 2,
			Experiment: "utilisation", Row: MeanRow, Column: "dtbl over flat"},
		{What: "occupancy, dtbl-ideal less cdp-ideal, average", Where: "section 5.2 B", Published: 17.9, Unit: "%",
			Digits: 1, Experiment: "utilisation", Row: MeanRow, Column: "dtbl-ideal less cdp-ideal"},
		{What: "occupancy, cdp-ideal, average", Where: "section 5.2 B, implied: 17.9 points are 0.24 of it",
			Published: 74.6, Unit: "%", Digits: 1, Experiment: "utilisation", Row: MeanRow, Column: "cdp-ideal"},
		{What: "occupancy, dtbl-ideal, average", Where: "section 5.2 B, implied", Published: 92.5, Unit: "%", Digits: 1,
			Experiment: "utilisation", Row: MeanRow, Column: "dtbl-ideal"},
		{What: "occupancy, cdp-ideal, bht", Where: "section 5.2 B, implied: 24.6 points are 0.38 of it", Published: 64.7,
			Unit: "%", Digits: 1, Experiment: "utilisation", Row: "BHT", Column: "cdp-ideal"},
		{What: "occupancy, cdp-ideal, pre", Where: "section 5.2 B, implied: 0.46 points are 0.01 of it", Published: 46,
			Unit: "%", Digits: 1, Experiment: "utilisation", Row: "PRE", Column: "cdp-ideal"},
		{What: "occupancy, dtbl-ideal over cdp-ideal", Where: "section 5.2 B", Published: 1.24, Digits: 2,
			Experiment: "utilisation", Row: MeanRow, Column: "dtbl-ideal over cdp-ideal"},
		{What: "the same ratio, bht", Where: "section 5.2 B", Published: 1.38, Digits: 2, Experiment: "utilisation",
			Row: "BHT", Column: "dtbl-ideal over cdp-ideal"},
		{What: "the same ratio, pre", Where: "section 5.2 B", Published: 1.01, Digits: 2, Experiment: "utilisation",
			Row: "PRE", Column: "dtbl-ideal over cdp-ideal"},
		{What: "AGT of 512 against 1,024, average", Where: "section 5.2 D: 1.31 slower", Published: 1 / 1.31, Digits: 2,
			Experiment: "agt", Row: MeanRow, Column: "agt=512"},
		{What: "AGT of 2,048 against 1,024, average", Where: "section 5.2 D", Published: 1.20, Digits: 2,
			Experiment: "agt", Row: MeanRow, Column: "agt=2048"},
		{What: "AGT of 1,024 entries", Where: "section 4.3", Published: 20, Unit: "KB", Digits: 1,
			Of: cost("dtbl", dtblMachine, "aggregated group table", 1./1024)},
		{What: "registers beside the AGT", Where: "section 4.3", Published: 1096, Unit: "bytes",
			Of: cost("dtbl", dtblMachine, "NAGEI and LAGEI", 1)},
	}
}
