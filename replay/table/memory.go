package table

import (
	"gpureplay/model"
	"gpureplay/model/memory"
)

type memoryRow = memory.Record

func init() {
	register(table[memoryRow]{
		Name: "memory", Row: "the L1 of an SM, a slice of the L2 or a DRAM channel, summed over the run",
		Order: "by level, then index", Place: 110, Small: true,
		Columns: func() []column[memoryRow] {
			return []column[memoryRow]{
				text("level", "l1, l2 or dram.", false, func(r *memoryRow) string { return r.Level }),
				count("unit", "The SM, slice or channel.", func(r *memoryRow) int64 { return int64(r.Index) }),
				count("accesses", "Accesses.", func(r *memoryRow) uint64 { return r.Accesses }),
				count("hits", "Accesses that hit.", func(r *memoryRow) uint64 { return r.Hits }),
				count("misses", "Accesses that missed.", func(r *memoryRow) uint64 { return r.Misses }),
				count("read_sectors", "Sectors read.", func(r *memoryRow) uint64 { return r.ReadSectors }),
				count("write_sectors", "Sectors written.", func(r *memoryRow) uint64 { return r.WriteSectors }),
				i64("row_hits", "DRAM: accesses that found their row open.", func(r *memoryRow) (int64, bool) {
					return int64(r.RowHits), r.Level == "dram"
				}),
				cycles("busy_cycles", "Cycles with a request pending.", func(r *memoryRow) model.Time { return r.BusyCycles }),
			}
		},
		From: func(f *feed, add func(*memoryRow)) {
			f.memory.to(func(r *memoryRow) {
				if r.Index >= 0 { // a sum beside its parts would be counted twice
					add(r)
				}
			})
		},
	})
}
