package report

import "math/bits"

// spread counts values by size, to within one in 256: those below 256 exactly, others
// by their upper eight bits.
type spread struct {
	n, sum, low, high int64
	counts            []int64
}

func (s *spread) add(v int64) {
	v = max(v, 0)
	if s.n == 0 {
		s.low = v
	}
	s.n, s.sum, s.low, s.high = s.n+1, s.sum+v, min(s.low, v), max(s.high, v)
	at := int(v)
	if e := bits.Len64(uint64(v)) - 8; e > 0 {
		at = e*128 + int(v>>e)
	}
	if at >= len(s.counts) {
		s.counts = append(s.counts, make([]int64, at+1-len(s.counts))...)
	}
	s.counts[at]++
}

// value is the middle of the values counted at a place.
func (s *spread) value(at int) float64 {
	if at < 256 {
		return float64(at)
	}
	e := at/128 - 1
	return (float64(at-e*128) + 0.5) * float64(int64(1)<<e)
}

// quantile is the value that a share of all do not exceed.
func (s *spread) quantile(q float64) float64 {
	var below int64
	for at, c := range s.counts {
		if below += c; float64(below) >= q*float64(s.n) {
			return min(max(s.value(at), float64(s.low)), float64(s.high))
		}
	}
	return float64(s.high)
}

// points are the curve of the share in percent that does not exceed a value, each
// value times a factor. A logarithmic axis begins at 1 of the values.
func (s *spread) points(factor float64) (all []point) {
	var below int64
	shown := -1.0
	for at, c := range s.counts {
		if c == 0 {
			continue
		}
		below += c
		x := max(1, min(max(s.value(at), float64(s.low)), float64(s.high))) * factor
		if all == nil {
			all = append(all, point{x, 0})
		}
		if pct := 100 * float64(below) / float64(s.n); pct >= shown+0.5 || below == s.n {
			all = append(all, point{x, pct})
			shown = pct
		}
	}
	return all
}

// distribution is a plot of a spread of each run, in units of a factor.
func (c *compared) distribution(title, unit string, factor float64, of func(*run) *spread) (figure, bool) {
	f := figure{Title: title + ": " + c.title() + c.runs[0].with(),
		Note: "Share that took no longer. Percentiles to within 0.4 %."}
	f.Table.Header = []string{"policy", "number", "mean " + unit, "median " + unit, "95th pct. " + unit, "99th pct. " +
		unit, "longest " + unit}
	plot := linePlot{X: unit, Y: "% of all", Log: true, Top: 100}
	low, high := 0.0, 0.0
	for i, r := range c.runs {
		s := of(r)
		if s.n == 0 {
			continue
		}
		line := s.points(factor)
		plot.Lines = append(plot.Lines, curve{Name: r.policy, Points: line, style: i + 1})
		if low == 0 || line[0].X < low {
			low = line[0].X
		}
		high = max(high, line[len(line)-1].X)
		f.Table.Rows = append(f.Table.Rows, []string{
			r.policy, commas(s.n), significant(float64(s.sum) / float64(s.n) * factor), significant(s.quantile(0.5) * factor),
			significant(s.quantile(0.95) * factor), significant(s.quantile(0.99) * factor),
			significant(float64(s.high) * factor),
		})
	}
	if len(plot.Lines) == 0 {
		return f, false
	}
	plot.AtX = decades(low, high)
	f.Line = plot.draw()
	return f, true
}
