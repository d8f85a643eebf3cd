package table

import (
	"gpureplay/model"
	"gpureplay/trace"
)

type pageRow = model.PageRecord

func init() {
	register(table[pageRow]{
		Name: "pages", Row: "one change of a page's state", Order: "by time", Place: 90,
		Columns: func() []column[pageRow] {
			return []column[pageRow]{
				cycles("time_cycles", "Time of the change.", func(r *pageRow) model.Time { return r.Time }),
				u64("page", "Device address over the size of a page.", func(r *pageRow) uint64 { return r.Page }),
				id("array_index", "Index in the trace of the array that it lies in.", trace.NoArray, func(r *pageRow) uint32 {
					return r.Array
				}),
				id("from_kernel", "The kernel that owned it.", model.NoKernel, func(r *pageRow) uint32 { return r.From }),
				id("to_kernel", "The kernel that owns it now.", model.NoKernel, func(r *pageRow) uint32 { return r.To }),
				boolean("ready", "It has been transferred.", func(r *pageRow) bool { return r.Ready }),
				count("readers", "CTAs of the owner that have yet to read it.", func(r *pageRow) uint32 { return r.Readers }),
				count("writers", "CTAs of the owner that have yet to write it.", func(r *pageRow) uint32 { return r.Writers }),
			}
		},
		From: func(f *feed, add func(*pageRow)) { f.pages.to(add) },
	})
}
