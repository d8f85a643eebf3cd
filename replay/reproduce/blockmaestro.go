package reproduce

import "gpureplay/replay"

// maestroMachine has the paper's 28 SMs, and a launch of 5 us that every dependent
// kernel pays behind the one before it.
func maestroMachine() []string {
	return append([]string{"sm.count=28", "kmu.dispatch_latency=5000"}, freeHost...)
}

// maestroWorkloads are the available workloads of its suite, and others of dependent kernels.
var maestroWorkloads = []Workload{
	{Name: "3MM", Sample: "3mm", Params: []string{"n=128"}},
	{Name: "HS", Sample: "hsp", Params: []string{"n=256"}, Quick: true},
	{Name: "PATH", Sample: "path", Params: []string{"cols=20000", "rows=50"}},
	{Name: "LPC", Sample: "lpc"},
	{Name: "STN", Sample: "stn", Params: []string{"kernels=10"}},
	{Name: "CONV", Sample: "conv"},
}

func init() { register(maestroPaper) }

// maestroPaper is the paper on dependences between the CTAs of kernels.
func maestroPaper() *Paper {
	return &Paper{
		Name: "blockmaestro", Title: "BlockMaestro: dependent kernels launched ahead, and in order CTA by CTA",
		SecondsPerRun: 6,
		Experiments: []Experiment{
			{
				Name: "speedup", Title: "Speedup over kernels in order (section IV.B)", Head: "workload", GPU: "titanx-maxwell",
				Set: maestroMachine(), Mean: Geometric,
				Policies: "hyperq,blockmaestro,deps=kernel,blockmaestro,blockmaestro,priority=consumer,blockmaestro," +
					"priority=consumer,window=4",
				Workloads: maestroWorkloads,
				Columns: []Column{
					{Name: "kernels", Of: of("hyperq", func(x *replay.Result) float64 { return float64(x.Run.Kernels) })},
					{Name: "launched ahead", Digits: 3, Of: over("blockmaestro,deps=kernel", "hyperq"), Mean: true},
					{Name: "producer", Digits: 3, Of: over("blockmaestro", "hyperq"), Mean: true},
					{Name: "consumer", Digits: 3, Of: over("blockmaestro,priority=consumer", "hyperq"), Mean: true},
					{Name: "consumer, window 4", Digits: 3, Of: over("blockmaestro,priority=consumer,window=4", "hyperq"), Mean: true},
				},
			},
		},
		Claims: []Claim{
			{What: "mean, of no named variant", Where: "abstract", Published: 1.5176, Digits: 2, Experiment: "speedup",
				Row: MeanRow, Column: "producer"},
			{What: "consumer priority, three kernels launched ahead, geometric mean", Where: "section IV.B",
				Published: 1.8028, Digits: 2, Experiment: "speedup", Row: MeanRow, Column: "consumer, window 4"},
		},
	}
}
