package table

import "gpureplay/model"

func init() {
	register(table[model.Metric]{
		Name: "metrics", Row: "one figure that the policy adds to its run", Order: "as the policy lists them", Place: 20,
		Small: true,
		Columns: func() []column[model.Metric] {
			return []column[model.Metric]{
				text("name", "The figure, with its unit as a suffix; docs/policies lists the figures of each policy.", false,
					func(r *model.Metric) string { return r.Name }),
				f64("value", "Its value.", func(r *model.Metric) float64 { return r.Value }),
			}
		},
		From: func(f *feed, add func(*model.Metric)) {
			f.run.to(func(r *Run) {
				for i := range r.Extra {
					add(&r.Extra[i])
				}
			})
		},
	})
}
