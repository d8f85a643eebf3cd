package table

// Performance is how fast one replay went. Figures that were not measured are
// NaN, and a peak of 0 bytes is unknown.
type Performance struct {
	WallSeconds       float64
	EventsPerSecond   float64
	WarpInstsPerSec   float64
	L1SectorsPerSec   float64
	L2SectorsPerSec   float64
	DecodeMBPerSecond float64 // 1e6 bytes of decompressed trace
	PeakRSSBytes      int64
}

func init() {
	register(table[Performance]{
		Name: "performance", Row: "one replay; the only table whose bytes differ between two identical runs",
		Order: "one row", Place: 30, Small: true,
		Columns: func() []column[Performance] {
			return []column[Performance]{
				f64("wall_seconds", "Time that the replay took, without opening the trace and writing the ends of the tables.",
					func(r *Performance) float64 {
						return r.WallSeconds
					}),
				f64("events_per_second", "Events (column of runs) per second.", func(r *Performance) float64 {
					return r.EventsPerSecond
				}),
				f64("warp_instructions_per_second", "Warp instructions issued per second.", func(r *Performance) float64 {
					return r.WarpInstsPerSec
				}),
				f64("l1_hit_sectors_per_second", "Sectors of 32 B that hit an L1 per second.", func(r *Performance) float64 {
					return r.L1SectorsPerSec
				}),
				f64("l2_sectors_per_second", "Sectors of 32 B that left an SM for the L2 per second.",
					func(r *Performance) float64 {
						return r.L2SectorsPerSec
					}),
				f64("decode_mb_per_second", "Trace read, in 1e6 bytes per second, decompressed. Replays of one command share "+
					"traces in memory.", func(r *Performance) float64 {
					return r.DecodeMBPerSecond
				}),
				i64("peak_rss_bytes", "Most memory that the process held, of all replays in it.",
					func(r *Performance) (int64, bool) { return r.PeakRSSBytes, r.PeakRSSBytes > 0 }),
			}
		},
		From: func(f *feed, add func(*Performance)) { f.performance.to(add) },
	})
}
