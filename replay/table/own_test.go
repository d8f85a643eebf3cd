package table

import (
	"testing"

	"gpureplay/model"
)

// share is a row of the table that the test adds: how many CTAs an SM ran.
type share struct{ sm, ctas uint32 }

// AddOwn registers a table for the time of a test, as a file of its own would in
// init. It has no place, and its rows are made of records that are not its own.
func AddOwn(t *testing.T) {
	register(table[share]{
		Name: "shares", Row: "one SM that ran a CTA", Order: "by SM",
		Columns: func() []column[share] {
			return []column[share]{
				count("sm", "The SM.", func(r *share) uint32 { return r.sm }),
				count("ctas", "CTAs that it ran.", func(r *share) uint32 { return r.ctas }),
			}
		},
		From: func(f *feed, add func(*share)) {
			var counts []uint32
			f.ctas.to(func(r *model.CTARecord) {
				for len(counts) <= int(r.SM) {
					counts = append(counts, 0)
				}
				counts[r.SM]++
			})
			f.run.to(func(*Run) {
				for sm, n := range counts {
					if n > 0 {
						add(&share{uint32(sm), n})
					}
				}
			})
		},
	})
	t.Cleanup(func() { delete(tables, "shares") })
}
