package table

import "gpureplay/model"

type sampleRow = model.SampleRecord

func init() {
	register(table[sampleRow]{
		Name: "timeline", Row: "one sample window of the GPU; resident and used amounts are values at its end",
		Order: "by time",
		Place: 80,
		Columns: func() []column[sampleRow] {
			return []column[sampleRow]{
				cycles("start_cycles", "Start of the window.", func(r *sampleRow) model.Time { return r.Start }),
				cycles("end_cycles", "End of the window.", func(r *sampleRow) model.Time { return r.End }),
				count("parent_ctas", "Resident CTAs of kernels that the host launched.", func(r *sampleRow) uint32 {
					return r.ParentCTAs
				}),
				count("child_ctas", "Resident CTAs of child kernels and groups.", func(r *sampleRow) uint32 { return r.ChildCTAs }),
				count("active_warps", "Resident warps.", func(r *sampleRow) uint32 { return r.ActiveWarps }),
				count("registers_used", "Registers allocated.", func(r *sampleRow) uint64 { return r.Registers }),
				count("shared_used_bytes", "Shared memory allocated.", func(r *sampleRow) uint64 { return r.SharedBytes }),
				count("resident_ctas", "Resident CTAs.", func(r *sampleRow) uint32 { return r.ResidentCTAs }),
				count("pending_kernels", "Kernels that wait in the KMU.", func(r *sampleRow) uint32 { return r.PendingKernels }),
				count("kde_used", "Entries of the kernel distributor in use.", func(r *sampleRow) uint32 { return r.KDEUsed }),
				count("agt_used", "Entries of the AGT in use.", func(r *sampleRow) uint32 { return r.AGTUsed }),
				count("warp_instructions", "Warp instructions issued in the window.", func(r *sampleRow) uint64 {
					return r.WarpInsts
				}),
				count("l2_bytes", "Moved between SMs and the L2 by accesses made in the window.", func(r *sampleRow) uint64 {
					return 32 * r.L2Sectors
				}),
				count("dram_read_bytes", "Read from DRAM by accesses made in the window. Over its time it is the bandwidth, "+
					"which machines has the peak of.", func(r *sampleRow) uint64 {
					return 32 * r.DRAMReads
				}),
				count("dram_write_bytes", "Written to DRAM by accesses made in the window.", func(r *sampleRow) uint64 {
					return 32 * r.DRAMWrites
				}),
				list("kernels", "The kernels that the lists that follow are of, in this order.", func(r *sampleRow) []uint32 {
					return r.Kernels
				}),
				list("pages_owned", "Pages that each kernel owns.", func(r *sampleRow) []uint32 { return r.PagesOwned }),
				list("sms_held", "SMs that hold a CTA of each kernel.", func(r *sampleRow) []uint32 { return r.SMsHeld }),
				list("ctas_finished", "CTAs of each kernel that have finished since it was launched.", func(r *sampleRow) []uint32 {
					return r.CTAsFinished
				}),
			}
		},
		From: func(f *feed, add func(*sampleRow)) { f.samples.to(add) },
	})
}
