package table

import (
	"gpureplay/model"
	"gpureplay/trace"
)

var stageNames = []string{
	model.StagePrelude: "prelude", model.StageH2D: "h2d", model.StageKernel: "kernel",
	model.StageD2H: "d2h", model.StagePostlude: "postlude", model.StageProfiler: "profiler",
}

type stageRow = model.StageRecord

func init() {
	register(table[stageRow]{
		Name: "stages", Row: "one interval of the host's program", Order: "by end", Place: 40, Small: true,
		Columns: func() []column[stageRow] {
			return []column[stageRow]{
				enum("stage", "The work: file reads (prelude), copies, a kernel, file writes (postlude) or the "+
					"pre-profiler.", stageNames,
					func(r *stageRow) int { return int(r.Stage) }),
				id("kernel", "The kernel; of stages kernel and profiler.", model.NoKernel, func(r *stageRow) uint32 {
					return r.Kernel
				}),
				id("array_index", "Index in the trace of the array that is read, copied or written.", trace.NoArray,
					func(r *stageRow) uint32 {
						return r.Array
					}),
				at("start_cycles", "Start.", func(r *stageRow) model.Time { return r.Start }),
				at("end_cycles", "End.", func(r *stageRow) model.Time { return r.End }),
				betweenNs("duration_ns", "From start to end.", func(r *stageRow) (from, to model.Time) { return r.Start, r.End }),
				count("bytes", "Bytes moved.", func(r *stageRow) uint64 { return r.Bytes }),
			}
		},
		From: func(f *feed, add func(*stageRow)) { f.stages.to(add) },
	})
}
