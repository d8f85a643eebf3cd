package capture

import (
	"cmp"
	"slices"
)

// A Pause is a stretch of time in which a GPU did nothing, between two spans.
type Pause struct {
	From, Ns      int64
	After, Before string // names of the spans; "": the begin
}

// Pauses returns the longest pauses, at most so many, the longest first.
func (a *Activity) Pauses(most int) []Pause {
	spans := slices.Concat(a.Kernels, a.Copies, a.Files)
	slices.SortStableFunc(spans, func(x, y Span) int { return cmp.Compare(x.From, y.From) })
	var all []Pause
	end, after := int64(0), ""
	for _, s := range spans {
		if s.From > end {
			all = append(all, Pause{end, s.From - end, after, s.Name})
		}
		if s.To > end {
			end, after = s.To, s.Name
		}
	}
	slices.SortStableFunc(all, func(x, y Pause) int {
		return cmp.Or(cmp.Compare(y.Ns, x.Ns), cmp.Compare(x.From, y.From))
	})
	return all[:min(most, len(all))]
}
