package report

import (
	"context"
	"slices"
)

// maxPoints is the most points of a curve over time.
const maxPoints = 240

// sampled are the curves over time that the table timeline has.
var sampled = [...]struct {
	section, title, y string
	columns           []string // whose sum it is
	amount            bool     // of a window, and not its level at the end
	perNs             bool     // over the time in ns, and not in cycles
	seldom            bool     // left out where it is 0 throughout
	inferred          bool     // it follows from work that may be inferred
}{
	{section: "time", title: "Resident warps", y: "resident warps", columns: []string{"active_warps"}},
	{section: "time", title: "Instructions", y: "warp instructions per cycle", columns: []string{"warp_instructions"},
		amount: true, seldom: true, inferred: true},
	{section: "time", title: "Resident CTAs", y: "resident CTAs", columns: []string{"parent_ctas", "child_ctas"}},
	{section: "time", title: "Resident child CTAs", y: "resident child CTAs", columns: []string{"child_ctas"},
		seldom: true},
	{section: "bandwidth", title: "DRAM traffic", y: "GB/s", columns: []string{"dram_read_bytes", "dram_write_bytes"},
		amount: true, perNs: true, seldom: true, inferred: true},
	{section: "bandwidth", title: "L2 traffic", y: "GB/s", columns: []string{"l2_bytes"}, amount: true, perNs: true,
		seldom: true, inferred: true},
	{section: "launches", title: "Kernels that wait", y: "kernels in the KMU", columns: []string{"pending_kernels"},
		seldom: true},
	{section: "launches", title: "Aggregated groups", y: "entries of the AGT", columns: []string{"agt_used"},
		seldom: true},
}

// series is one run over time: means over equal parts of a span of cycles.
type series struct {
	step   float64 // cycles of a part
	span   []float64
	of     [len(sampled)][]float64 // levels times cycles, and amounts
	pages  []float64               // that arrive, and
	handed []float64               // that go from a kernel to another
}

func newSeries(step float64, n int) *series {
	s := &series{step: step, span: make([]float64, n)}
	for i := range s.of {
		s.of[i] = make([]float64, n)
	}
	return s
}

// add spreads a sample window over the parts that it covers.
func (s *series) add(from, to float64, values *[len(sampled)]float64) {
	if !(to > from) || from < 0 {
		return
	}
	for i := int(from / s.step); i < len(s.span); i++ {
		lo, hi := max(from, float64(i)*s.step), min(to, float64(i+1)*s.step)
		if hi <= lo {
			return
		}
		s.span[i] += hi - lo
		for j, v := range values {
			if sampled[j].amount {
				v /= to - from
			}
			s.of[j][i] += v * (hi - lo)
		}
	}
}

// timed are the runs that one plot over time shows: runs of a group with the same settings, in the order of the
// policies.
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
		slices.SortStableFunc(runs, func(a, b *run) int {
			return slices.Index(g.policies, a.policy) - slices.Index(g.policies, b.policy)
		})
	}
	return all
}

// mostFirst are the same, sets with the most policies first: plots over time have room for a few.
func (g *group) mostFirst() [][]*run {
	all := g.timed()
	slices.SortStableFunc(all, func(a, b []*run) int { return len(b) - len(a) })
	return all
}

// span divides the longest run into parts, and every other into the same.
func (c *compared) span() {
	longest := int64(1)
	for _, r := range c.runs {
		longest = max(longest, r.cycles)
	}
	n := int(min(maxPoints, longest))
	for _, r := range c.runs {
		r.over = newSeries(float64(longest)/float64(n), n)
	}
}

// part is the one that a cycle lies in.
func (s *series) part(cycle int64) int {
	return max(0, min(int(float64(cycle)/s.step), len(s.span)-1))
}

// readTimeline reads the table timeline of the runs that are shown.
func (s *source) readTimeline(ctx context.Context, shown []compared) error {
	return s.eachOf(ctx, "timeline", func(x *run, r row) {
		if x.over == nil {
			return
		}
		var values [len(sampled)]float64
		for i := range sampled {
			for _, c := range sampled[i].columns {
				v, _ := r.float(c)
				values[i] += v
			}
		}
		x.over.add(float64(r.int("start_cycles")), float64(r.int("end_cycles")), &values)
		x.advance(r)
	})
}

// over makes the plots of a section that are over time.
func over(section string) func(*source, []*group, []compared) []figure {
	return func(_ *source, _ []*group, shown []compared) (all []figure) {
		for _, c := range shown {
			all = append(all, c.overTime(section)...)
		}
		return all
	}
}

func (c *compared) overTime(section string) (all []figure) {
	for i := range sampled {
		k := &sampled[i]
		if k.section != section {
			continue
		}
		f := figure{Title: k.title + " over time: " + c.title() + c.runs[0].with(),
			Note: "Means over equal parts of the longest run."}
		switch r := c.runs[0]; {
		case i == 0 && r.parallel > 0:
			f.Note += " The GPU holds " + commas(int64(r.parallel)) + " warps at most."
		case k.title == "DRAM traffic" && r.bandwidth > 0:
			f.Note += " The device memory moves " + significant(r.bandwidth) + " GB/s at most."
		}
		if k.inferred {
			f.Note += inferredNote(c.runs)
		}
		any := false
		of := func(r *run, at int) float64 {
			v := r.over.of[i][at]
			any = any || v != 0
			if k.perNs && r.ns > 0 {
				v *= float64(r.cycles) / float64(r.ns)
			}
			return v
		}
		if c.curves(&f, k.y, of) && (any || !k.seldom) {
			all = append(all, f)
		}
	}
	return all
}

// tenths of a plot over time are the rows of its table.
const tenths = 10

// curves fills a figure with one value of each run over time.
func (c *compared) curves(f *figure, y string, of func(*run, int) float64) bool {
	unit, per := clock(c.runs)
	plot := linePlot{X: unit, Y: y}
	f.Table.Header = []string{"up to " + unit}
	f.Note += " The table has tenths."
	for i, r := range c.runs {
		if r.over == nil || len(r.over.span) == 0 {
			continue
		}
		line, column := r.over.means(func(i int) float64 { return of(r, i) })
		if line == nil {
			continue
		}
		for i := range line {
			line[i].X *= per
		}
		plot.Lines = append(plot.Lines, curve{Name: r.policy, Points: line, style: i + 1})
		f.Table.column(r.policy, column, func(i int) string {
			return instant(unit, r.over.step*float64(len(r.over.span))*float64(i+1)/tenths*per)
		})
	}
	if len(plot.Lines) == 0 {
		return false
	}
	f.Line = plot.draw()
	return true
}

// column adds a column of numbers; the first has the rows' names with it.
func (g *grid) column(name string, cells []string, row func(int) string) {
	g.Header = append(g.Header, name)
	for i, cell := range cells {
		if i == len(g.Rows) {
			g.Rows = append(g.Rows, []string{row(i)})
		}
		g.Rows[i] = append(g.Rows[i], cell)
	}
}

// means returns the points of a curve, and the means of tenths; nil if there is
// nothing to show.
func (s *series) means(of func(int) float64) (line []point, column []string) {
	last := -1
	var sums, spans [tenths]float64
	for i := range s.span {
		if s.span[i] > 0 {
			last = i
			t := i * tenths / len(s.span)
			sums[t] += of(i)
			spans[t] += s.span[i]
		}
	}
	if last < 0 {
		return nil, nil
	}
	for i := range last + 1 {
		if s.span[i] > 0 {
			line = append(line, point{X: (float64(i) + 0.5) * s.step, Y: of(i) / s.span[i]})
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
