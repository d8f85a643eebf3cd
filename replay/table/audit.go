package table

import "gpureplay/model"

// Audit is one violated rule of the model.
type Audit struct {
	Rule string
	Time model.Time // model.Unset if it is of the whole run
	What string     // the finding
}

func init() {
	register(table[Audit]{
		Name: "audit", Row: "one violated rule of the model; no rows is the good case", Order: "by time", Place: 130,
		Small: true,
		Columns: func() []column[Audit] {
			return []column[Audit]{
				text("rule", "The rule.", false, func(r *Audit) string { return r.Rule }),
				at("time_cycles", "When.", func(r *Audit) model.Time { return r.Time }),
				text("what", "The violation.", false, func(r *Audit) string { return r.What }),
			}
		},
		From: func(f *feed, add func(*Audit)) { f.audit.to(add) },
	})
}
