package report

import (
	"gpureplay/trace"
	"slices"
)

// Sizes of plots with a row for each policy, in pixels of the drawing.
const (
	plotWidth  = 480.0 // the text stays readable on a page of 400 pixels
	labelWidth = 160.0
	rowHeight  = 24.0
	valueWidth = 50.0 // at least
	digitWidth = 9.0  // of a value or tick, on a page of 400 pixels
	axisHeight = 34.0
	maxLabel   = 18 // runes
)

// barPlot is a bar for each policy, with the range that its value has.
type barPlot struct {
	What string
	rows []barRow
	mark float64 // a value with a line through all rows, the first row's; 0: none
}

type barRow struct {
	label            string
	value, low, high float64
}

// bars is a drawn bar plot.
type bars struct {
	Width, Height, Top, Bottom, AxisY, Mid string
	Ticks                                  []tickMark
	Mark                                   string
	Rows                                   []barShape
	What                                   string
}

type tickMark struct{ At, Text string }

type barShape struct {
	Label, Full, Tip                string
	LabelX, TextY, X, Y, W, H, EndX string
	Value                           string
	Range                           bool
	LowX, HighX, RangeY             string
	Base                            bool
}

func (p *barPlot) draw() *bars {
	top, room := p.mark, valueWidth
	for _, r := range p.rows {
		top = max(top, r.high)
		room = max(room, digitWidth*float64(len(decimals(r.value, 3)))+6)
	}
	marks := ticks(top, 4)
	x := scale{0, marks[len(marks)-1], labelWidth, plotWidth - room, false}
	bottom := float64(len(p.rows)) * rowHeight
	b := &bars{
		Width: px(plotWidth), Height: px(bottom + axisHeight + 12), Top: px(0),
		Bottom: px(bottom), AxisY: px(bottom + 14), Mid: px((x.start + x.end) / 2),
		What: p.What,
	}
	if p.mark > 0 {
		b.Mark = px(x.at(p.mark))
	}
	for _, m := range marks {
		b.Ticks = append(b.Ticks, tickMark{px(x.at(m)), tick(m)})
	}
	for i, r := range p.rows {
		y := float64(i) * rowHeight
		s := barShape{
			Label: trace.ShortenMiddle(r.label, maxLabel), Full: r.label, LabelX: px(labelWidth - 8),
			TextY: px(y + rowHeight/2 + 4), X: px(x.start), Y: px(y + 4),
			W: px(x.at(r.value) - x.start), H: px(rowHeight - 8),
			EndX: px(x.at(max(r.value, r.high)) + 5), Value: decimals(r.value, 3), Base: i == 0 && p.mark > 0,
		}
		s.Tip = r.label + ": " + s.Value
		if r.high > r.low {
			s.Range, s.LowX, s.HighX, s.RangeY = true, px(x.at(r.low)), px(x.at(r.high)), px(y+rowHeight/2)
			s.Tip += ", from " + decimals(r.low, 3) + " to " + decimals(r.high, 3)
		}
		b.Rows = append(b.Rows, s)
	}
	return b
}

// speedups are the plots of all traces and of each group.
func (s *source) speedups(groups []*group, _ []compared) (all []figure) {
	if f, ok := overTraces(groups); ok {
		all = append(all, f)
	}
	for _, g := range groups {
		all = append(all, g.speedups()...)
	}
	return all
}

// speedups are the plots of a group: each policy's gain over the baseline. A mean is over settings that all
// policies of its plot ran; policies that never met have a plot each.
func (g *group) speedups() (all []figure) {
	classes := alike(g.timed(), faster)
	for i, c := range classes {
		if slices.ContainsFunc(classes[:i], c.within) {
			continue
		}
		first := c.settings[0]
		f := figure{Title: "Speed-up: " + g.title(), Note: "Cycles of " + g.base +
			" over each policy's; more is better."}
		switch n := len(c.settings); {
		case n > 1 && len(classes) > 1:
			f.Note += " Geometric mean over the " + commas(int64(n)) + " settings that all of them ran, with its range."
		case n > 1:
			f.Note += " Geometric mean over the settings, with its range."
		case len(first) > 0 && len(classes) > 1:
			f.Title += first[0].with()
		}
		if f.bars(g.base, c) {
			all = append(all, f)
		}
	}
	return all
}

// bars fills a figure with the mean of each policy, if there are at least two.
func (f *figure) bars(base string, c *ran) bool {
	f.Table.Header = []string{"policy", "speed-up"}
	several := len(c.settings) > 1
	if several {
		f.Table.Header = append(f.Table.Header, "lowest", "highest", "runs")
	}
	plot := barPlot{What: "speed-up over " + base, mark: 1}
	for _, p := range c.policies {
		var m mean
		for _, r := range c.of(p) {
			m.add(r.speedup.x)
		}
		if m.n == 0 {
			continue
		}
		plot.rows = append(plot.rows, barRow{p, m.value(), m.low, m.high})
		cells := []string{p, decimals(m.value(), 3)}
		if several {
			cells = append(cells, decimals(m.low, 3), decimals(m.high, 3), commas(int64(m.n)))
		}
		f.Table.Rows = append(f.Table.Rows, cells)
	}
	if len(plot.rows) < 2 {
		return false
	}
	f.Bars = plot.draw()
	return true
}

// overTraces is the plot of several groups with one baseline: the geometric mean of each policy's gain, over the
// traces, machines and settings that all of them ran.
func overTraces(groups []*group) (figure, bool) {
	if len(groups) < 2 {
		return figure{}, false
	}
	base := groups[0].base
	var all [][]*run
	for _, g := range groups {
		if g.base != base || base == "" {
			return figure{}, false
		}
		all = append(all, g.timed()...)
	}
	classes := alike(all, faster)
	c := classes[0]
	for _, d := range classes[1:] { // one trace alone is no mean over traces
		if len(c.settings) < 2 && len(d.settings) > 1 {
			c = d
		}
	}
	f := figure{Title: "Speed-up over all traces and machines", Note: "Geometric mean of the cycles of " + base +
		" over each policy's, with its range; more is better."}
	if len(classes) > 1 {
		f.Title = "Speed-up over traces and machines"
		f.Note += " Over the " + commas(int64(len(c.settings))) + " of " + commas(int64(len(all))) +
			" that all of these policies ran."
	}
	return f, len(c.settings) > 1 && f.bars(base, c)
}
