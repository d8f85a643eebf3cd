package report

import (
	"math"
	"slices"
	"strconv"
)

// sensitivities are the plots of all groups over all settings.
func (s *source) sensitivities(groups []*group, _ []compared) (all []figure) {
	for _, g := range groups {
		for axis := range s.axes {
			all = append(all, g.sensitivity(axis)...)
		}
	}
	return all
}

// sensitivity are the plots of a group over one setting: the effect on cycles,
// and on speedups where there are several policies.
func (g *group) sensitivity(axis int) []figure {
	name := g.runs[0].axes[axis]
	values, numeric := g.values(axis)
	if len(values) < 2 {
		return nil
	}
	others := ""
	for i := range g.runs[0].axes {
		if all, _ := g.values(i); i != axis && len(all) > 1 {
			others = "Geometric mean over the other settings. "
		}
	}
	cycles := figure{Title: "Cycles over " + name + ": " + g.title(), Note: others + "Fewer is better."}
	g.over(&cycles, axis, values, numeric, "cycles", func(r *run) number { return number{float64(r.cycles), r.cycles > 0} },
		func(x float64) string { return commas(int64(math.Round(x))) })
	all := []figure{cycles}
	if len(g.policies) > 1 && g.base != "" {
		base := g.base
		gain := figure{Title: "Speed-up over " + name + ": " + g.title(), Note: others + "Cycles of " + base + " at the same setting over those of each policy; more is better."}
		g.over(&gain, axis, values, numeric, "speed-up over "+base, func(r *run) number { return r.speedup },
			func(x float64) string { return decimals(x, 3) })
		all = append(all, gain)
	}
	return all
}

// over fills a plot of a figure of each run over a setting.
func (g *group) over(f *figure, axis int, values []string, numeric bool, what string, of func(*run) number, text func(float64) string) {
	plot := linePlot{X: g.runs[0].axes[axis], Y: what, Marked: true}
	f.Table.Header = append([]string{g.runs[0].axes[axis]}, g.policies...)
	if !numeric {
		plot.Words = values
	}
	for i, v := range values {
		x := float64(i)
		if numeric {
			x, _ = strconv.ParseFloat(v, 64)
		}
		plot.AtX = append(plot.AtX, x)
		f.Table.Rows = append(f.Table.Rows, []string{v})
	}
	plot.Log = numeric && plot.AtX[0] > 0 && plot.AtX[len(values)-1] >= 32*plot.AtX[0]
	for _, p := range g.policies {
		c := curve{Name: p}
		for i, v := range values {
			var m mean
			for _, r := range g.of(p) {
				if n := of(r); r.settings[axis] == v && n.ok {
					m.add(n.x)
				}
			}
			cell := "–"
			if m.n > 0 {
				c.Points = append(c.Points, point{plot.AtX[i], m.value()})
				cell = text(m.value())
			}
			f.Table.Rows[i] = append(f.Table.Rows[i], cell)
		}
		if c.Points != nil {
			plot.Lines = append(plot.Lines, c)
		}
	}
	f.Line = plot.draw()
}

// values are those of a setting, in the order of numbers if all are.
func (g *group) values(axis int) (all []string, numeric bool) {
	numeric = true
	seen := map[string]bool{}
	for _, r := range g.runs {
		v := r.settings[axis]
		if seen[v] {
			continue
		}
		seen[v] = true
		all = append(all, v)
		x, err := strconv.ParseFloat(v, 64)
		numeric = numeric && err == nil && !math.IsInf(x, 0) && !math.IsNaN(x)
	}
	if numeric {
		slices.SortStableFunc(all, func(a, b string) int {
			x, _ := strconv.ParseFloat(a, 64)
			y, _ := strconv.ParseFloat(b, 64)
			switch {
			case x < y:
				return -1
			case x > y:
				return 1
			}
			return 0
		})
	}
	return all, numeric
}
