package table

import (
	"gpureplay/model"
	"gpureplay/model/exec"
)

type ctaRow = model.CTARecord

func stalled(reason exec.Stall, name, doc string) column[ctaRow] {
	return cycles("stalled_"+name+"_cycles", "Cycles in which none did, because "+doc+".",
		func(r *ctaRow) model.Time { return r.StallTimes[reason] })
}

var ctaKinds = []string{"native", "aggregated"}

func init() {
	register(table[ctaRow]{
		Name: "ctas", Row: "one CTA", Order: "by end", Place: 60,
		Columns: func() []column[ctaRow] {
			return []column[ctaRow]{
				count("kernel", "The kernel in the distributor that it ran for.", func(r *ctaRow) uint32 { return r.Kernel }),
				count("cta", "Linear index in its grid, or in its group if aggregated.", func(r *ctaRow) uint32 { return r.CTA }),
				enum("kind", "Of the kernel's own grid, or of a group that was aggregated to it.", ctaKinds, func(r *ctaRow) int {
					if r.Child != model.NoKernel {
						return 1
					}
					return 0
				}),
				id("child_kernel", "Aggregated: the kernel in the trace that the launch requested.", model.NoKernel,
					func(r *ctaRow) uint32 { return r.Child }),
				count("sm", "The SM that it ran on.", func(r *ctaRow) uint32 { return r.SM }),
				at("dispatch_cycles", "Placed on the SM.", func(r *ctaRow) model.Time { return r.Dispatch }),
				at("start_cycles", "First instruction issued.", func(r *ctaRow) model.Time { return r.Start }),
				at("end_cycles", "Last warp ended, and stores acknowledged where they keep it (`sm.stores_hold_cta`).",
					func(r *ctaRow) model.Time {
						return r.End
					}),
				count("warp_instructions", "Warp instructions issued.", func(r *ctaRow) uint64 { return r.WarpInsts }),
				cycles("active_cycles", "Cycles in which one of its warps issued.", func(r *ctaRow) model.Time { return r.Active }),
				stalled(exec.StallPageNotReady, "page_not_ready", "a page has not been transferred"),
				stalled(exec.StallPageNotOwned, "page_not_owned", "a page belongs to an earlier kernel"),
				stalled(exec.StallMemory, "memory", "operands come from memory"),
				stalled(exec.StallIssue, "issue", "its scheduler chose another warp or operands come from an ALU"),
				stalled(exec.StallBarrier, "barrier", "its warps wait at a barrier"),
				stalled(exec.StallLaunch, "launch_call", "a launch call holds its warps"),
				stalled(exec.StallChild, "child_wait", "it waits for children"),
			}
		},
		From: func(f *feed, add func(*ctaRow)) { f.ctas.to(add) },
	})
}
