package table

import "gpureplay/model"

type memoryRow = model.MemoryRecord

func init() {
	register(table[memoryRow]{
		Name: "memory", Row: "one cache level or DRAM channel, summed over the run", Order: "by level, then index", Place: 110, Small: true,
		Columns: []column[memoryRow]{
			text("level", "l1, l2 or dram.", false, func(r *memoryRow) string { return r.Level }),
			i32("unit", "The SM, slice or channel; NULL: all of them.", func(r *memoryRow) (int32, bool) { return r.Index, r.Index >= 0 }),
			u64("accesses", "Accesses.", func(r *memoryRow) uint64 { return r.Accesses }),
			u64("hits", "Accesses that hit.", func(r *memoryRow) uint64 { return r.Hits }),
			u64("misses", "Accesses that missed.", func(r *memoryRow) uint64 { return r.Misses }),
			u64("read_sectors", "Sectors read.", func(r *memoryRow) uint64 { return r.ReadSectors }),
			u64("write_sectors", "Sectors written.", func(r *memoryRow) uint64 { return r.WriteSectors }),
			i64("row_hits", "DRAM: accesses that found their row open.", func(r *memoryRow) (int64, bool) { return int64(r.RowHits), r.Level == "dram" }),
			cycles("busy_cycles", "Cycles with a request pending.", func(r *memoryRow) model.Time { return r.BusyCycles }),
		},
		From: func(f *feed, add func(*memoryRow)) { f.memory.to(add) },
	})
}
