package reproduce

// The figures and tables of the papers that experiments follow, by the papers' own numbers.

func dtblFigures() []Figure {
	return []Figure{
		{Name: "fig6", Experiment: "utilisation", Columns: []string{"warp activity, flat", "cdp less flat",
			"dtbl less flat"}},
		{Name: "fig7", Experiment: "utilisation", Columns: []string{"DRAM efficiency, flat", "cdp over flat",
			"dtbl over flat"}},
		{Name: "fig8", Experiment: "utilisation", Columns: []string{"occupancy, cdp", "dtbl", "cdp-ideal", "dtbl-ideal"}},
		{Name: "fig9", Experiment: "pending", Columns: []string{"dtbl over cdp", "dtbl-ideal over cdp-ideal"}},
		{Name: "fig10", Experiment: "pending", Columns: []string{"memory, dtbl over cdp"}},
		{Name: "fig11", Experiment: "speedup", Columns: []string{"cdp", "cdp-ideal", "dtbl", "dtbl-ideal"}},
		{Name: "fig12", Experiment: "agt", Columns: figure12},
	}
}

func spawnFigures() []Figure {
	return []Figure{
		{Name: "fig5", Experiment: "shares"},
		{Name: "fig6", Experiment: "bfs-time"},
		{Name: "fig6", Experiment: "launches-time", Columns: []string{baseline + ": utilisation"}},
		{Name: "fig7", Experiment: "blocks"}, {Name: "fig8", Experiment: "streams"}, {Name: "fig12", Experiment: "times"},
		{Name: "fig15", Experiment: "speedup", Columns: []string{"all", "offline-search", "spawn"}},
		{Name: "fig16", Experiment: "machine", Columns: []string{"occupancy, search over all", "occupancy, spawn over all"}},
		{Name: "fig17", Experiment: "machine", Columns: []string{"L2 hits, all", "L2 hits, spawn less all"}},
		{Name: "fig18", Experiment: "machine", Columns: []string{"search less all", "spawn less all"}},
		{Name: "fig19", Experiment: "bfs-time"},
		{Name: "fig20", Experiment: "launches-time", Columns: []string{"launched, " + baseline, "launched, spawn"}},
		{Name: "fig21", Experiment: "dtbl"},
	}
}

func ppcsFigures() []Figure {
	return []Figure{
		{Name: "fig2", Experiment: "stages"},
		{Name: "fig9", Experiment: "speedup", Columns: []string{"nocopy", "single-overlap", "crcs", "ppcs"}},
		{Name: "fig12", Experiment: "kernels", Columns: []string{"nocopy", "single-overlap", "crcs", "ppcs"}},
	}
}

func pagodaTables() []Figure {
	return []Figure{
		{Name: "fig5", Experiment: "whole", Columns: []string{"hyperq", "gemtc", "pthreads"}},
		{Name: "fig6", Experiment: "tasks"}, {Name: "fig6", Experiment: "tasks-each"},
		{Name: "fig7", Experiment: "threads"}, {Name: "fig7", Experiment: "threads-each"},
		{Name: "fig8", Experiment: "wide"},
		{Name: "fig9", Experiment: "irregular"}, {Name: "fig9", Experiment: "irregular-sides"},
		{Name: "fig10", Experiment: "latency"}, {Name: "fig10", Experiment: "latency-each"},
		{Name: "fig11", Experiment: "batching"},
		{Name: "table3", Experiment: "copies"}, {Name: "table5", Experiment: "shared-dct"},
		{Name: "table5", Experiment: "shared-mm"},
	}
}
