package reproduce

// notHeld lets a warp go on during its launch call, whose latency then delays the child alone.
const notHeld = "launch.blocks_warp=false"

// fillingSpawn are the rows that fill the GPU.
func fillingSpawn() []Workload {
	return pick(spawnWorkloads(), "AMR", "BFS-citation", "BFS-graph500", "SSSP-citation", "JOIN-uniform",
		"JOIN-gaussian", "Mandel")
}

// inputColumns are a benchmark's best choice, and spawn's result.
func inputColumns() []Column {
	return []Column{
		{Name: "flat's occupancy", Unit: "%", Digits: 1, Of: occupancy("flat")},
		{Name: "deviation of child CTA times", Unit: "%", Digits: 1, Of: deviation(baseline)},
		{Name: "all", Digits: 2, Of: over(baseline, "flat")},
		{Name: "spawn", Digits: 2, Of: over("spawn", "flat")},
		{Name: "spawn over all", Digits: 2, Of: over("spawn", baseline)},
		{Name: "children of all", Of: launched(baseline)},
		{Name: "of spawn", Of: launched("spawn")},
	}
}

// oneChange are benchmarks with one thing of the input or of the machine changed.
func oneChange() []Workload {
	return []Workload{
		child("AMR", "dp-amr", "levels=3", "side=64"),
		child("AMR, side 96", "dp-amr", "levels=3", "side=96"),
		child("AMR, two levels", "dp-amr", "levels=2", "side=64"),
		with(child("AMR, calls that do not hold", "dp-amr", "levels=3", "side=64"), notHeld),
		child("Mandel", "dp-mandel", "size=128", "regions=32"),
		child("Mandel, 64 iterations", "dp-mandel", "size=128", "regions=32", "iterations=64"),
		child("Mandel, 512 x 512", "dp-mandel", "size=512", "regions=32"),
	}
}

// againstDtbl are the rows of figure 21. No reads of its second genome are at hand, so a phage's genome stands in its
// place, with shorter words, since it has no repeats.
func againstDtbl() []Workload {
	return append(pick(spawnWorkloads(), "SA", "MM-small", "SSSP-citation", "SSSP-graph500"),
		real("reference=genomes-small/lambda_virus.fa", child("SA-lambda", "dp-sa", "word=6")))
}

// fewMatches are joins whose children have the 40 items of the DTBL paper's mean.
func fewMatches() []Workload {
	return []Workload{
		child("JOIN-uniform", "dp-join", "distribution=uniform", "left-order=drawn", "left=32768", "right=6560", "keys=164"),
		child("JOIN-gaussian", "dp-join", "distribution=gaussian", "left-order=drawn", "left=32768", "right=6560",
			"keys=328"),
	}
}

// with sets the machine of a row.
func with(w Workload, set ...string) Workload {
	w.Set = set
	return w
}

// spawnFill have some 832 parent warps.
func spawnFill() []Workload {
	return []Workload{
		child("SSSP-graph500", "dp-sssp", "input=graph500", "scale=15"),
		child("MM", "dp-mm", "scale=15", "degree=4", "columns=16"),
	}
}

// searched are benchmarks in which spawn is far behind the search, small, on other machines.
func searched() []Workload {
	return append(onMachines(child("BFS-graph500", "dp-bfs", "input=graph500", "scale=13")),
		onMachines(child("SSSP-citation", "dp-sssp", "input=citation", "scale=14"))...)
}

// onMachines is a workload on the machine as it is, and with one thing changed, and both.
func onMachines(w Workload) []Workload {
	room := "l1.bytes=1048576"
	all := []Workload{w, with(w, notHeld), with(w, room), with(w, notHeld, room)}
	for i, what := range []string{"", ", calls that do not hold", ", an L1 of 1 MB", ", both"} {
		all[i].Name += what
	}
	return all
}

// byEntries is AMR on the machine as it is, and with room for more kernels.
func byEntries() []Workload {
	w := pick(spawnWorkloads(), "AMR")[0]
	more := with(w, manyEntries...)
	more.Name += ", 256 entries"
	return []Workload{w, more}
}

// searchedColumns are spawn under both readings of n_con against the search.
func searchedColumns() []Column {
	return append(append([]Column(nil), controlColumns()[:4]...),
		Column{Name: "offline-search", Digits: 2, Of: over(search, "flat"), Mean: true},
		Column{Name: "spawn over search", Digits: 2, Of: over("spawn", search), Mean: true},
		Column{Name: "idle=last over search", Digits: 2, Of: over("spawn,idle=last", search), Mean: true},
		Column{Name: "offloaded there", Unit: "%", Digits: 1, Of: offloaded(search)})
}

// spawnCauses are experiments that change one thing alone, to show its effect.
func spawnCauses() []Experiment {
	return []Experiment{
		{
			Name: "call", Title: "Calls that do not hold their warp: speedup over flat", Head: "benchmark", GPU: spawnMachine,
			Set: append([]string{notHeld}, freeHost...), Mean: Geometric,
			Policies: controlPolicies, Workloads: append(fillingSpawn(), pick(smallSpawn(), "SA")...),
			Columns: controlColumns(), Counts: fills,
		},
		{
			Name: "inputs", Title: "AMR and Mandel with one thing changed at a time: speedup over flat", Head: "benchmark",
			GPU: spawnMachine, Set: freeHost,
			Policies: "flat," + baseline + ",spawn", Workloads: oneChange(), Columns: inputColumns(),
		},
		{
			Name: "matches", Title: "JOIN with 40 matches a tuple, not 200: speedup over flat", Head: "benchmark",
			GPU: spawnMachine, Set: freeHost,
			Policies: "flat," + baseline + "," + search + ",spawn", Workloads: fewMatches(),
			Columns: append(speedups("flat", baseline, search, "spawn"),
				Column{Name: "search at", Of: threshold(search)}, Column{Name: "offloaded there", Unit: "%", Digits: 1,
					Of: offloaded(search)}),
		},
		{
			Name: "search", Title: "SPAWN against the search: readings of n and n_con, calls that do not hold their warps, " +
				"and an L1 that holds the refused lanes' lists: speedup over flat", Head: "benchmark", GPU: spawnMachine,
			Set:      freeHost,
			Policies: controlPolicies + "," + search, Workloads: searched(), Columns: searchedColumns(),
		},
		{
			Name: "entries", Title: "256 entries of the distributor and work queues, not 32, and children launched before " +
				"a first one has ended: speedup over flat", Head: "benchmark", GPU: spawnMachine, Set: freeHost,
			Decisions: true, Policies: "flat," + baseline + "," + search + ",spawn", Workloads: byEntries(),
			Columns: append(append([]Column(nil), seedColumns()...), Column{Name: "children of spawn", Of: launched("spawn")},
				Column{Name: "launched before one ended", Unit: "%", Digits: 1, Of: blind("spawn")}),
		},
		{
			Name: "colouring", Title: "GC-citation's launch rule: 16 items and more, 64 (shownme) and 128 (dragonli)",
			Head: "rule", GPU: spawnMachine, Set: freeHost, Policies: "flat,cdp,spawn",
			Workloads: bySetting("dp-gc", "rule", []string{"input=citation", "scale=11"}, "dense", "shownme", "dragonli"),
			Columns:   append([]Column{{Name: "children of cdp", Of: launched("cdp")}}, speedups("flat", "cdp", "spawn")...),
		},
		{
			Name: "fill", Title: "Benchmarks that are small above, at larger sizes: speedup over flat", Head: "benchmark",
			GPU: spawnMachine, Set: freeHost, Counts: fills,
			Policies: controlPolicies, Workloads: spawnFill(), Columns: append([]Column{{Name: "parent warps", Of: parentWarps},
				{Name: "flat's occupancy", Unit: "%", Digits: 1, Of: occupancy("flat")}}, controlColumns()...),
		},
	}
}
