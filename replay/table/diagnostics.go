package table

import "gpureplay/trace"

// Diagnostic is one counted oddity: of the trace, as its converter met it, or a
// warning of the run.
type Diagnostic = trace.Diagnostic

var severities = []string{trace.Info: "info", trace.DataLoss: "data_loss", trace.Error: "error"}

func init() {
	register(table[Diagnostic]{
		Name: "diagnostics", Row: "one kind of oddity of the trace, or of the run", Order: "the trace's first",
		Place: 120, Small: true,
		Columns: func() []column[Diagnostic] {
			return []column[Diagnostic]{
				text("name", "Its name.", false, func(r *Diagnostic) string { return r.Name }),
				enum("severity", "Nothing is lost, something is not in the trace, or a part could not be understood.", severities,
					func(r *Diagnostic) int { return int(r.Severity) }),
				count("count", "How often it was met.", func(r *Diagnostic) uint64 { return r.Count }),
				text("help", "Its meaning and a remedy.", false, func(r *Diagnostic) string { return r.Help }),
			}
		},
		From: func(f *feed, add func(*Diagnostic)) { f.diagnostics.to(add) },
	})
}
