package reproduce

import "gpureplay/model"

// ppcsCauses are experiments that change one thing alone, to show its effect.
func ppcsCauses() []Experiment {
	return append([]Experiment{
		ppcsCause("sectors", "Caches that fetch sectors of 32 B, not lines", ppcsWorkloads("HSP", "LPC"),
			"l1.sector_bytes=32", "l2.sector_bytes=32"),
		ppcsCause("write-back", "An L2 that keeps stored data, fetching as before", ppcsWorkloads("HSP", "LPC"),
			"l2.write_back=true"),
		ppcsCause("l1", "Global loads past the L1, as on the hardware of a GK110",
			append(ppcsWorkloads("3MM", "HSP", "LPC", "CONV", "BFS"), bySearch), "l1.global_loads=false"),
		ppcsCause("crossbar", "A crossbar of half the width, flits of 16 bytes", ppcsWorkloads("3MM", "HSP", "LPC"),
			"icnt.flit_bytes=16"),
		{
			Name: "sum", Title: "3MM whose running sum stays in a register, as NVIDIA's compiler has it, and whose loop " +
				"loads it, as the source is written: speedup over serial", Head: "workload", GPU: ppcsMachine,
			Workloads: []Workload{{Name: "3MM", Sample: "3mm"},
				{Name: "3MM, sum in memory", Sample: "3mm", Params: []string{"sum=memory"}}},
			Policies: "serial,single-overlap,crcs,ppcs",
			Columns:  append(speedups("serial", "single-overlap", "crcs", "ppcs"), kernelsOfSerial()),
		},
		{
			Name: "slow", Title: "A GPU of a quarter of its clocks, speedup over serial: kernels that take more of " +
				"the program", Head: "workload", GPU: ppcsMachine, Set: quarterClocks,
			Workloads: ppcsWorkloads("3MM", "BFS"), Policies: "serial,single-overlap,crcs,ppcs",
			Columns: append(speedups("serial", "single-overlap", "crcs", "ppcs"), kernelsOfSerial()),
		},
		{
			Name: "stencil", Title: "STN with pages of 64 KB, which have fewer counters, and with a CTA for each row in x, " +
				"whose ranges are short: speedup over serial", Head: "workload", GPU: ppcsMachine,
			Workloads: []Workload{{Name: "STN", Sample: "stn"},
				{Name: "STN, pages of 64 KB", Sample: "stn", Set: []string{"host.page_bytes=65536"}},
				{Name: "STN, base", Sample: "stn", Params: []string{"version=base"}}},
			Policies: "serial,crcs,ppcs",
			Columns: append(speedups("serial", "crcs", "ppcs"),
				Column{Name: "pre-profilers", Unit: "%", Digits: 2, Of: of("crcs", profilerShare)}, kernelsOfSerial()),
		},
		{
			Name: "flits", Title: "HSP's kernels by the width of the crossbar: flits of 16 bytes, not 32", Head: "kernels",
			GPU: ppcsMachine, Set: []string{"icnt.flit_bytes=16"},
			Workloads: hspKernels("5", "100"), Policies: "serial",
			Columns: []Column{{Name: "kernels of serial", Unit: "%", Digits: 1, Of: stageShare("serial", model.StageKernel),
				Where: "section 5.3", Published: map[string]float64{"5": 9, "100": 66}}},
		},
	}, searchCauses()...)
}

// searchCauses are the causes of BFS, whose kernels run one at a time.
func searchCauses() []Experiment {
	both := bySearch
	both.Name, both.Set = "BFS, both", quarterClocks
	return []Experiment{
		{
			Name: "bfs", Title: "BFS whose nodes are numbered as the search comes to them, so that its first levels read " +
				"the beginning of the file, and a GPU of a quarter of its clocks: speedup over serial",
			Head: "workload", GPU: ppcsMachine, Policies: "serial,single-overlap,crcs,ppcs",
			Workloads: []Workload{
				{Name: "BFS", Sample: "bfs"},
				bySearch,
				{Name: "BFS, a quarter of the clocks", Sample: "bfs", Set: quarterClocks},
				both,
			},
			Columns: append(speedups("serial", "single-overlap", "crcs", "ppcs"), kernelsOfSerial()),
		},
		{
			Name: "one", Title: "Kernels one at a time, each as its pages come (a distributor and a queue of one entry): " +
				"speedup over serial", Head: "workload", GPU: ppcsMachine, Set: []string{"kmu.entries=1", "kmu.hwqs=1"},
			Policies: "serial,single-overlap,crcs", Workloads: append(ppcsWorkloads("BFS"), bySearch, both),
			Columns: speedups("serial", "single-overlap", "crcs"),
		},
	}
}

// bySearch is BFS on a graph whose first levels lie at the beginning of its file.
var bySearch = Workload{Name: "BFS, by the search", Sample: "bfs", Params: []string{"numbering=search"}}

// quarterClocks are a quarter of the machine's.
var quarterClocks = []string{"clock.core_mhz=175", "clock.icnt_mhz=175", "clock.l2_mhz=231", "clock.dram_mhz=400"}

func kernelsOfSerial() Column {
	return Column{Name: "kernels of serial", Unit: "%", Digits: 1, Of: stageShare("serial", model.StageKernel)}
}

// ppcsCause runs workloads on another machine.
func ppcsCause(name, title string, workloads []Workload, set ...string) Experiment {
	return Experiment{
		Name: name, Title: title + ": speedup over serial", Head: "workload", GPU: ppcsMachine, Set: set,
		Workloads: workloads, Policies: "serial,crcs,ppcs", Columns: append(speedups("serial", "crcs", "ppcs"),
			kernelsOfSerial()),
	}
}

// ahead is by how many points of speedup over base one policy is before another.
func ahead(policy, other, base string) func(*Row) float64 {
	one, two := over(policy, base), over(other, base)
	return func(r *Row) float64 { return one(r) - two(r) }
}
