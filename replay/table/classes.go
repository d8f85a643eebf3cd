package table

import "gpureplay/trace"

// Class is a class of kernels, or of waves of CTAs, that repeat each other. Some of them were not simulated.
type Class struct {
	Unit                               string
	Function                           string
	Grid, Block                        trace.Dim3
	WarpInsts                          uint64  // of each kernel
	Simulated, Skipped, Checks, Failed uint64  // kernels or waves
	MeanCycles, Spread, SkippedCycles  float64 // Spread is a share of MeanCycles
}

func init() {
	register(table[Class]{
		Name: "classes", Row: "one class of kernels, or of waves of their CTAs, that repeat each other, of a run with " +
			"--approximate",
		Order: "kernels, then waves; the most skipped time first", Place: 15, Small: true,
		Columns: func() []column[Class] {
			return []column[Class]{
				text("unit", "The class is of units: kernel or wave.", false, func(r *Class) string { return r.Unit }),
				text("function", "Name of the device function.", false, func(r *Class) string { return r.Function }),
				text("grid", "CTAs in x, y and z.", false, func(r *Class) string { return r.Grid.String() }),
				text("block", "Threads of a CTA in x, y and z.", false, func(r *Class) string { return r.Block.String() }),
				count("warp_instructions", "Warp instructions of each kernel, also where the units are waves.",
					func(r *Class) uint64 { return r.WarpInsts }),
				count("simulated", "Units that were simulated, checks too.", func(r *Class) uint64 { return r.Simulated }),
				count("skipped", "Units that were not.", func(r *Class) uint64 { return r.Skipped }),
				count("checks", "Units that were simulated as a check of the skipped ones.",
					func(r *Class) uint64 { return r.Checks }),
				count("checks_failed", "Checks that were off by more than the requested error.",
					func(r *Class) uint64 { return r.Failed }),
				f64("mean_cycles", "Cycles that a skipped unit takes: a kernel from its first CTA to its end.",
					func(r *Class) float64 { return r.MeanCycles }),
				f64("spread", "Deviation of the simulated stretches: units in a row, or one check; relative.",
					func(r *Class) float64 { return r.Spread }),
				f64("skipped_cycles", "Cycles of all skipped units: the weight of the class.",
					func(r *Class) float64 { return r.SkippedCycles }),
			}
		},
		From: func(f *feed, add func(*Class)) { f.classes.to(add) },
	})
}
