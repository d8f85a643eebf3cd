package reproduce

import (
	"gpureplay/model"
	"gpureplay/replay"
)

const (
	ppcsTable2  = "table 2"
	ppcsResults = "section 5.2"
	ppcsMachine = "gk110-ppcs"
)

// ppcsWorkloads are the workloads of table 2 at the paper's problem sizes.
func ppcsWorkloads(names ...string) []Workload {
	all := []Workload{
		{Name: "3MM", Sample: "3mm"}, {Name: "STN", Sample: "stn"}, {Name: "HSP", Sample: "hsp"},
		{Name: "BFS", Sample: "bfs", Quick: true},
		{Name: "LPC", Sample: "lpc", Quick: true}, {Name: "CONV", Sample: "conv"}, {Name: "PATH", Sample: "path"},
	}
	if len(names) == 0 {
		return all
	}
	var some []Workload
	for _, n := range names {
		for _, w := range all {
			if w.Name == n {
				some = append(some, w)
			}
		}
	}
	return some
}

func init() { register(ppcs) }

// ppcs is the paper on CRCS and PPCS.
func ppcs() *Paper {
	return &Paper{
		Name: "ppcs", Title: "CRCS and PPCS: dependent kernels overlap with each other and with file accesses",
		Experiments:   ppcsExperiments(),
		Claims:        ppcsClaims(),
		Figures:       ppcsFigures(),
		SecondsPerRun: 5,
	}
}

func ppcsExperiments() []Experiment {
	return append([]Experiment{
		{
			Name: "speedup", Title: "Speedup over serial, workloads of table 2 (differences in points of speedup; figure 9)",
			Head: "workload", GPU: ppcsMachine, Workloads: ppcsWorkloads(), Mean: Arithmetic,
			Policies: "serial,nocopy,single-overlap,crcs,ppcs,oracle",
			Columns: []Column{
				{Name: "kernels", Of: of("serial", func(x *replay.Result) float64 {
					return float64(x.Run.Kernels)
				}), Where: ppcsTable2,
					Published: map[string]float64{"3MM": 3, "STN": 50, "HSP": 10, "BFS": 16, "LPC": 10, "CONV": 6, "PATH": 20}},
				{Name: "nocopy", Digits: 3, Of: over("nocopy", "serial"), Mean: true},
				{Name: "single-overlap", Digits: 3, Of: over("single-overlap", "serial"), Mean: true, Where: ppcsResults,
					Points: true, Published: map[string]float64{"BFS": 1.254}},
				{Name: "crcs", Digits: 3, Of: over("crcs", "serial"), Mean: true, Where: ppcsResults, Points: true,
					Published: map[string]float64{"3MM": 1.72, "HSP": 1.10, "BFS": 1.254, "LPC": 1.20, "CONV": 1.10, "PATH": 1.04}},
				{Name: "ppcs", Digits: 3, Of: over("ppcs", "serial"), Mean: true, Where: ppcsResults, Points: true,
					Published: map[string]float64{"3MM": 1.67, "HSP": 1.50, "BFS": 1.254, "LPC": 1.39, "CONV": 1.51, "PATH": 1.04}},
				{Name: "oracle", Digits: 3, Of: over("oracle", "serial"), Mean: true},
				{Name: "ppcs less crcs", Digits: 3, Of: ahead("ppcs", "crcs", "serial"), Mean: true},
			},
		},
		{
			Name: "pages", Title: "Available pages of PPCS, and PPCS past the prelude (section 4.4): speedup over serial",
			Head: "workload", GPU: ppcsMachine, Workloads: ppcsWorkloads("HSP", "LPC", "CONV"),
			Policies: "serial,ppcs,ppcs,switch=off,ppcs,pages=text,ppcs,pages=text,switch=off",
			Columns:  speedups("serial", "ppcs", "ppcs,switch=off", "ppcs,pages=text", "ppcs,pages=text,switch=off"),
		},
		{
			Name: "profilers", Title: "Pre-profilers under crcs, per cent of the runtime (section 4.2.4)", Head: "workload",
			GPU: ppcsMachine, Workloads: ppcsWorkloads(), Mean: Arithmetic,
			Policies: "crcs",
			Columns:  []Column{{Name: "pre-profilers", Unit: "%", Digits: 2, Of: of("crcs", profilerShare), Mean: true}},
		},
		{
			Name: "stages", Title: "Stages of the serial program, per cent of its time (figure 2 for HSP)", Head: "workload",
			GPU:      ppcsMachine,
			Policies: "serial",
			Workloads: append([]Workload{
				{Name: "HSP 128", Sample: "hsp", Params: []string{"n=128"}, Quick: true},
				{Name: "HSP 256", Sample: "hsp", Params: []string{"n=256"}},
				{Name: "HSP 512", Sample: "hsp"}, {Name: "HSP 1024", Sample: "hsp", Params: []string{"n=1024"}},
			}, ppcsWorkloads("3MM", "STN", "BFS", "LPC", "CONV", "PATH")...),
			Columns: []Column{
				{Name: "prelude", Unit: "%", Digits: 1, Of: stageShare("serial", model.StagePrelude)},
				{Name: "H2D", Unit: "%", Digits: 1, Of: stageShare("serial", model.StageH2D)},
				{Name: "kernels", Unit: "%", Digits: 1, Of: stageShare("serial", model.StageKernel)},
				{Name: "D2H", Unit: "%", Digits: 1, Of: stageShare("serial", model.StageD2H)},
				{Name: "postlude", Unit: "%", Digits: 1, Of: stageShare("serial", model.StagePostlude)},
				{Name: "prelude and postlude", Unit: "%", Digits: 1,
					Of: stageShare("serial", model.StagePrelude, model.StagePostlude)},
			},
		},
	}, append(ppcsOrders(), ppcsCauses()...)...)
}

// ppcsOrders vary the number of kernels and the first file that is read.
func ppcsOrders() []Experiment {
	return []Experiment{
		{
			Name: "kernels", Title: "HSP by number of kernels, speedup over serial (figure 12)", Head: "kernels",
			GPU: ppcsMachine, Seconds: 814,
			Policies: "serial,nocopy,single-overlap,crcs,ppcs",
			Columns: append(speedups("serial", "nocopy", "single-overlap", "crcs", "ppcs"),
				Column{Name: "kernels of serial", Unit: "%", Digits: 1,
					Of: stageShare("serial", model.StageKernel), Where: "section 5.3",
					Published: map[string]float64{"5": 9, "100": 66}}),
			Workloads: hspKernels("5", "10", "20", "100"),
		},
		{
			Name: "order", Title: "Order of the file reads under ppcs, speedup over serial (random: seeds 1 and 2)",
			Head: "workload", GPU: ppcsMachine,
			Workloads: ppcsWorkloads(),
			Policies: "serial,ppcs,ppcs,prelude-order=sequential,ppcs,prelude-order=random-arrays,ppcs," +
				"prelude-order=random-arrays,prelude-seed=2,ppcs,prelude-order=random,ppcs,prelude-order=random,prelude-seed=2",
			Columns: []Column{
				{Name: "interleaved", Digits: 3, Of: over("ppcs", "serial")},
				{Name: "sequential", Digits: 3, Of: over("ppcs,prelude-order=sequential", "serial")},
				{Name: "random-arrays 1", Digits: 3, Of: over("ppcs,prelude-order=random-arrays", "serial")},
				{Name: "random-arrays 2", Digits: 3, Of: over("ppcs,prelude-order=random-arrays,prelude-seed=2", "serial")},
				{Name: "random 1", Digits: 3, Of: over("ppcs,prelude-order=random", "serial")},
				{Name: "random 2", Digits: 3, Of: over("ppcs,prelude-order=random,prelude-seed=2", "serial")},
			},
		},
	}
}

// ppcsClaims are its published figures.
func ppcsClaims() []Claim {
	return []Claim{
		{What: "ppcs over serial, mean", Where: "section 1", Published: 1.33, Digits: 2, Experiment: "speedup",
			Row: MeanRow, Column: "ppcs"},
		{What: "ppcs over serial, most", Where: "section 1", Published: 1.67, Digits: 2, Experiment: "speedup",
			Row: MostRow, Column: "ppcs"},
		{What: "single-overlap over serial, mean", Where: ppcsResults, Published: 1.11, Digits: 2, Experiment: "speedup",
			Row: MeanRow, Column: "single-overlap"},
		{What: "ppcs less crcs, points of speedup, mean", Where: ppcsResults, Published: 0.14, Digits: 2,
			Experiment: "speedup", Row: MeanRow, Column: "ppcs less crcs"},
		{What: "pre-profilers, mean share of the runtime", Where: "section 4.2.4", Published: 0.85, Unit: "%", Digits: 2,
			Experiment: "profilers", Row: MeanRow, Column: "pre-profilers"},
		{What: "pre-profilers, largest share of the runtime", Where: "section 4.2.4", Published: 2.7, Unit: "%", Digits: 2,
			Experiment: "profilers", Row: MostRow, Column: "pre-profilers"},
		{What: "prelude and postlude, largest share", Where: "section 2.1, figure 2 (an M2050; Gaussian and HSP)",
			Published: 86, Unit: "%", Digits: 1, Experiment: "stages", Row: MostRow, Column: "prelude and postlude"},
		{What: "storage added to an SM", Where: "section 5.4", Published: 1, Unit: "KB", Digits: 2,
			Of: cost("ppcs", ppcsMachine, "TLB of an SM", 1./1024)},
		{What: "storage of the kernels' records", Where: "section 5.4", Published: 3.25, Unit: "KB", Digits: 2,
			Of: cost("ppcs", ppcsMachine, "kernel records", 1./1024)},
		{What: "storage added to the GPU", Where: "section 5.4", Published: 0.77, Unit: "%", Digits: 2,
			Of: cost("ppcs", ppcsMachine, "added to the GPU's storage", 1)},
	}
}

// hspKernels is HSP with other numbers of kernels.
func hspKernels(counts ...string) []Workload {
	var all []Workload
	for _, n := range counts {
		w := Workload{Name: n, Sample: "hsp", Params: []string{"kernels=" + n}}
		if n == "10" { // the default
			w.Params = nil
		}
		all = append(all, w)
	}
	return all
}

// profilerShare is the pre-profilers' share of a run, in per cent.
func profilerShare(x *replay.Result) float64 {
	return 100 * float64(x.Stages[model.StageProfiler]) / float64(x.Run.Cycles)
}
