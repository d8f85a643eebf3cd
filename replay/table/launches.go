package table

import "gpureplay/model"

type launchRow = model.LaunchRecord

var decisions = []string{model.Inline: "inline", model.DeviceKernel: "kernel", model.Group: "group"}

// estimate is a note of SPAWN's controller, NULL without one.
func estimate(name, doc string, place int) column[launchRow] {
	return i64(name, doc, func(r *launchRow) (int64, bool) {
		if r.Noted == nil {
			return 0, false
		}
		return r.Noted[place], true
	})
}

func init() {
	register(table[launchRow]{
		Name: "launches", Row: "one lane's request for a child kernel", Order: "by the time at which its outcome is final",
		Place: 70,
		Columns: func() []column[launchRow] {
			return []column[launchRow]{
				count("parent_kernel", "The kernel that asked.", func(r *launchRow) uint32 { return r.Parent }),
				count("cta", "Its CTA that asked.", func(r *launchRow) uint32 { return r.CTA }),
				count("warp", "The warp in the CTA.", func(r *launchRow) uint32 { return r.Warp }),
				count("lane", "The lane in the warp.", func(r *launchRow) uint8 { return r.Lane }),
				count("child_kernel", "The requested kernel in the trace.", func(r *launchRow) uint32 { return r.Child }),
				at("time_cycles", "Time of the call.", func(r *launchRow) model.Time { return r.Time }),
				count("workload_items", "Items of work.", func(r *launchRow) uint32 { return r.Workload }),
				count("child_ctas", "CTAs of the child.", func(r *launchRow) uint32 { return r.CTAs }),
				boolean("marked", "The program's own rule would launch it.", func(r *launchRow) bool { return r.Marked }),
				enum("decision", "Outcome: work of the parent, a kernel of its own, or a group of a kernel in the "+
					"distributor.", decisions,
					func(r *launchRow) int { return int(r.Decision) }),
				text("reason", "Why, in the policy's words.", true, func(r *launchRow) string { return r.Reason }),
				estimate("spawn_n_ctas", "SPAWN: n, the child CTAs queued or running.", 0),
				estimate("spawn_x_ctas", "SPAWN: x, the CTAs of this child.", 1),
				estimate("spawn_n_con_ctas", "SPAWN: n_con, the child CTAs that run at once.", 2),
				estimate("spawn_t_cta_cycles", "SPAWN: t_cta, the mean time of a child CTA.", 3),
				estimate("spawn_t_warp_cycles", "SPAWN: t_warp, the mean time of a child warp per item.", 4),
				estimate("spawn_t_child_cycles", "SPAWN: t_child, its estimate if launched.", 5),
				estimate("spawn_t_parent_cycles", "SPAWN: t_parent, its estimate if the parent does the work.", 6),
				boolean("eligible", "DTBL: a kernel in the distributor matches.", func(r *launchRow) bool { return r.Eligible }),
				i64("agt_index", "DTBL: its entry of the AGT.", func(r *launchRow) (int64, bool) {
					return int64(r.AGT), r.AGT >= 0
				}),
				boolean("spilled", "DTBL: its record stays in global memory.", func(r *launchRow) bool { return r.Spilled }),
				at("arrive_cycles", "Known to the KMU, or appended to its kernel.", func(r *launchRow) model.Time {
					return r.Arrive
				}),
				at("first_cta_cycles", "First CTA of the child placed.", func(r *launchRow) model.Time { return r.FirstCTA }),
				between("waiting_cycles", "From time to first_cta.", func(r *launchRow) (from, to model.Time) {
					return r.Time, r.FirstCTA
				}),
				count("footprint_bytes", "Memory that the pending launch takes.", func(r *launchRow) uint64 {
					return r.FootprintBytes
				}),
			}
		},
		From: func(f *feed, add func(*launchRow)) { f.launches.to(add) },
	})
}
