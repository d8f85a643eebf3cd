package table

import "gpureplay/model"

type taskRow = model.TaskRecord

func init() {
	register(table[taskRow]{
		Name: "tasks", Row: "one narrow task", Order: "by the time at which its output is back", Place: 100,
		Columns: func() []column[taskRow] {
			return []column[taskRow]{
				count("kernel", "The kernel in the trace that is its work.", func(r *taskRow) uint32 { return r.Kernel }),
				at("spawn_cycles", "The host spawned it.", func(r *taskRow) model.Time { return r.Spawn }),
				at("copied_cycles", "Its entry is on the device.", func(r *taskRow) model.Time { return r.Copied }),
				at("schedulable_cycles", "Released.", func(r *taskRow) model.Time { return r.Schedulable }),
				at("first_warp_cycles", "First warp started.", func(r *taskRow) model.Time { return r.FirstWarp }),
				at("end_cycles", "Last warp ended.", func(r *taskRow) model.Time { return r.End }),
				at("back_cycles", "Its output is on the host.", func(r *taskRow) model.Time { return r.Back }),
				i64("worker", "The MTB that ran it, or the SM where there are none.", func(r *taskRow) (int64, bool) {
					return int64(r.Worker), r.Worker >= 0
				}),
				count("warps", "Warps.", func(r *taskRow) uint32 { return r.Warps }),
				count("shared_bytes", "Shared memory.", func(r *taskRow) uint32 { return r.SharedBytes }),
				between("latency_cycles", "From spawn to back.", func(r *taskRow) (from, to model.Time) { return r.Spawn, r.Back }),
				betweenNs("latency_ns", "From spawn to back.", func(r *taskRow) (from, to model.Time) { return r.Spawn, r.Back }),
			}
		},
		From: func(f *feed, add func(*taskRow)) { f.tasks.to(add) },
	})
}
