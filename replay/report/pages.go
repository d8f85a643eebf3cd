package report

import "context"

// readPages counts by time the pages of the runs that are shown which arrive on the
// device, and those that go from a kernel to another.
func (s *source) readPages(ctx context.Context, _ []compared) error {
	return s.eachOf(ctx, "pages", func(x *run, r row) {
		if x.over == nil {
			return
		}
		if x.over.pages == nil {
			x.over.pages, x.over.handed = make([]float64, len(x.over.span)), make([]float64, len(x.over.span))
		}
		at := x.over.part(r.int("time_cycles"))
		switch from, to := r.text("from_kernel"), r.text("to_kernel"); {
		case from != to:
			x.over.handed[at]++
		case r.text("ready") == "true":
			x.over.pages[at]++
		}
	})
}

// pages are the plots of resident pages, and of their way from kernel to kernel.
func (s *source) pages(_ []*group, shown []compared) (all []figure) {
	for _, c := range shown {
		for _, p := range []struct {
			title, y, note string
			of             func(*series) []float64
		}{
			{"Pages on the device", "pages that have arrived", "Input pages whose transfer has ended.",
				func(s *series) []float64 {
					return s.pages
				}},
			{"Pages handed on", "changes of owner", "Pages that went from a kernel to one that depends on it, since " +
				"the start.", func(s *series) []float64 {
				return s.handed
			}},
		} {
			f := figure{Title: p.title + " over time: " + c.title() + c.runs[0].with(), Note: p.note}
			if c.sums(&f, p.y, p.of) {
				all = append(all, f)
			}
		}
	}
	return all
}

// sums fills a figure with a running sum of each run.
func (c *compared) sums(f *figure, y string, of func(*series) []float64) bool {
	unit, per := clock(c.runs)
	plot := linePlot{X: unit, Y: y}
	f.Table.Header = []string{"up to " + unit}
	for place, r := range c.runs {
		counts := of(r.over)
		sum, line, column := 0.0, []point{{0, 0}}, []string{}
		last := r.over.part(r.cycles)
		for i, n := range counts {
			if sum += n; i <= last {
				line = append(line, point{float64(i+1) * r.over.step * per, sum})
			}
			if (i+1)*tenths/len(counts) > i*tenths/len(counts) {
				column = append(column, commas(int64(sum)))
			}
		}
		if sum == 0 {
			continue
		}
		plot.Lines = append(plot.Lines, curve{Name: r.policy, Points: line, style: place + 1})
		f.Table.column(r.policy, column, func(i int) string {
			return instant(unit, r.over.step*float64(len(counts))*float64(i+1)/tenths*per)
		})
	}
	if len(plot.Lines) == 0 {
		return false
	}
	f.Line = plot.draw()
	return true
}
