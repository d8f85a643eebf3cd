package capture

import (
	"cmp"
	"slices"
)

// Idle divides the time of a run by the GPU's work. The parts add up to the run's time, in ns.
type Idle struct {
	Kernels int64 // a kernel runs
	Copies  int64 // a copy or an access of files, and no kernel
	Host    int64 // nothing, and the host has not launched the next kernel, or there is none
	Gaps    int64 // nothing, and the next kernel is launched and has not begun
	Unknown int64 // nothing, and the capture has no call that launched the next kernel
}

// Idle divides the time from a run's start to its end.
func (a *Activity) Idle() Idle {
	var d Idle
	kernels := slices.SortedFunc(slices.Values(a.Kernels), func(a, b Span) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Asked, b.Asked))
	})
	var links []Span // stretches with a copy or a file, in order
	union(slices.Concat(a.Copies, a.Files), func(from, to, _ int64) { links = append(links, Span{From: from, To: to}) })
	at := a.Start
	idle := func(next *Span, until int64) {
		for at < until {
			for len(links) > 0 && links[0].To <= at {
				links = links[1:]
			}
			to := until
			if len(links) > 0 && links[0].From <= at {
				to = min(to, links[0].To)
				d.Copies += to - at
				at = to
				continue
			}
			if len(links) > 0 {
				to = min(to, links[0].From)
			}
			switch {
			case next == nil:
				d.Host += to - at
			case next.Asked < 0:
				d.Unknown += to - at
			default:
				asked := min(max(next.Asked, at), to)
				d.Host, d.Gaps = d.Host+asked-at, d.Gaps+to-asked
			}
			at = to
		}
	}
	for i := range kernels {
		k := &kernels[i]
		idle(k, k.From)
		if k.To > at {
			d.Kernels += k.To - at
			at = k.To
		}
	}
	idle(nil, a.Start+a.Ns)
	return d
}
