package report

import (
	"context"
	"math"
	"slices"
)

// maxPoints is the most points of a curve over time.
const maxPoints = 240

// series is one run over time: means over equal parts of a span of cycles.
type series struct {
	step  float64 // cycles of a part
	span  []float64
	warps []float64 // resident warps times cycles
	insts []float64 // warp instructions
	ctas  []float64 // resident CTAs times cycles
	dram  []float64 // bytes read and written
}

func newSeries(step float64, n int) *series {
	return &series{step, make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)}
}

// add spreads a sample window over the parts that it covers.
func (s *series) add(from, to, warps, insts, ctas, dram float64) {
	if !(to > from) || from < 0 {
		return
	}
	for i := int(from / s.step); i < len(s.span); i++ {
		lo, hi := max(from, float64(i)*s.step), min(to, float64(i+1)*s.step)
		if hi <= lo {
			return
		}
		s.span[i] += hi - lo
		s.warps[i] += warps * (hi - lo)
		s.insts[i] += insts * (hi - lo) / (to - from)
		s.ctas[i] += ctas * (hi - lo)
		s.dram[i] += dram * (hi - lo) / (to - from)
	}
}

// timed are the runs that one plot over time shows: those of a group with the
// same settings, in the order of the policies.
func (g *group) timed() [][]*run {
	var all [][]*run
	at := map[string]int{}
	for _, r := range g.runs {
		n := r.names
		n.policy = ""
		i, ok := at[n.key()]
		if !ok {
			i = len(all)
			at[n.key()] = i
			all = append(all, nil)
		}
		all[i] = append(all[i], r)
	}
	for _, runs := range all {
		slices.SortStableFunc(runs, func(a, b *run) int { return slices.Index(g.policies, a.policy) - slices.Index(g.policies, b.policy) })
	}
	return all
}

// readTimeline reads the table timeline of the runs that are shown.
func (s *source) readTimeline(ctx context.Context, shown [][]*run) error {
	for _, runs := range shown {
		longest := int64(1)
		for _, r := range runs {
			longest = max(longest, r.cycles)
		}
		for _, r := range runs {
			n := int(min(maxPoints, longest))
			r.over = newSeries(float64(longest)/float64(n), n)
		}
	}
	return s.eachOf(ctx, "timeline", func(x *run, r row) {
		if x.over == nil {
			return
		}
		warps, _ := r.float("active_warps")
		insts, _ := r.float("warp_instructions")
		read, _ := r.float("dram_read_bytes")
		written, _ := r.float("dram_write_bytes")
		ctas, _ := r.float("resident_ctas")
		x.over.add(float64(r.int("start_cycles")), float64(r.int("end_cycles")), warps, insts, ctas, read+written)
	})
}

// occupancy is the plot of resident warps over time, issued that of instructions
// per cycle.
func occupancy(g *group, runs []*run) (figure, bool) {
	f := figure{Title: "Resident warps over time: " + g.title() + runs[0].with()}
	return f, overTime(&f, runs, "resident warps", func(s *series, i int) float64 { return s.warps[i] })
}

func issued(g *group, runs []*run) (figure, bool) {
	f := figure{Title: "Instructions over time: " + g.title() + runs[0].with()}
	return f, overTime(&f, runs, "warp instructions per cycle", func(s *series, i int) float64 { return s.insts[i] })
}

// concurrent is the plot of CTAs, bandwidth that of DRAM.
func concurrent(g *group, runs []*run) (figure, bool) {
	f := figure{Title: "Resident CTAs over time: " + g.title() + runs[0].with()}
	return f, overTime(&f, runs, "resident CTAs", func(s *series, i int) float64 { return s.ctas[i] })
}

func bandwidth(g *group, runs []*run) (figure, bool) {
	f := figure{Title: "DRAM traffic over time: " + g.title() + runs[0].with()}
	return f, overTime(&f, runs, "DRAM bytes per cycle", func(s *series, i int) float64 { return s.dram[i] })
}

// tenths of a plot over time are the rows of its table.
const tenths = 10

func overTime(f *figure, runs []*run, what string, of func(*series, int) float64) bool {
	plot := linePlot{X: "cycles", Y: what}
	f.Table.Header = []string{"up to cycle"}
	var columns [][]string
	var ends []string
	for _, r := range runs {
		if r.over == nil || len(r.over.span) == 0 {
			continue
		}
		line, column := r.over.means(of)
		if line == nil {
			continue
		}
		plot.Lines = append(plot.Lines, curve{Name: r.policy, Points: line})
		f.Table.Header = append(f.Table.Header, r.policy)
		columns = append(columns, column)
		if ends == nil {
			for i := range tenths {
				ends = append(ends, commas(int64(math.Round(r.over.step*float64(len(r.over.span))*float64(i+1)/tenths))))
			}
		}
	}
	if len(columns) == 0 {
		return false
	}
	f.Note = "Means over equal parts of the longest run; the table has tenths."
	if top := runs[0].parallel; top > 0 && what == "resident warps" {
		f.Note += " The GPU holds " + commas(int64(top)) + " warps at most."
	}
	for i, end := range ends {
		cells := []string{end}
		for _, c := range columns {
			cells = append(cells, c[i])
		}
		f.Table.Rows = append(f.Table.Rows, cells)
	}
	f.Line = plot.draw()
	return true
}

// means returns the points of a curve, and the means of tenths; nil if there is
// nothing to show.
func (s *series) means(of func(*series, int) float64) (line []point, column []string) {
	last := -1
	var sums, spans [tenths]float64
	for i := range s.span {
		if s.span[i] > 0 {
			last = i
			t := i * tenths / len(s.span)
			sums[t] += of(s, i)
			spans[t] += s.span[i]
		}
	}
	if last < 0 {
		return nil, nil
	}
	for i := range last + 1 {
		if s.span[i] > 0 {
			line = append(line, point{X: (float64(i) + 0.5) * s.step, Y: of(s, i) / s.span[i]})
		}
	}
	for t := range sums {
		if spans[t] == 0 {
			column = append(column, "–")
			continue
		}
		column = append(column, significant(sums[t]/spans[t]))
	}
	return line, column
}
