package report

import (
	"math"
	"slices"
	"strings"

	"gpureplay/replay/table"
)

// sensitivities are the plots of all groups over all settings.
func (s *source) sensitivities(groups []*group, _ []compared) (all []figure) {
	for _, g := range groups {
		for at := range s.axes {
			all = append(all, g.sensitivity(&s.scales[at], at)...)
		}
	}
	return all
}

// covered are the runs of a group that a plot over one setting shows. The other settings are
// the same at every point of a curve, or the curve is a mean over the same others.
type covered struct {
	runs   []*run
	values []string // of the setting, in its order
	others int      // combinations of the other settings
	at     string   // the one combination, if there is one and others vary; "": there is none to name
	left   bool     // runs at further settings are left out
}

// cover chooses the runs: of the combinations of other settings those with the most runs, and of
// these the ones that the same policies ran at the same values.
func (g *group) cover(a *axis, at int) covered {
	byOther, keys := map[string][]*run{}, []string{}
	for _, r := range g.runs {
		key := strings.Join(slices.Delete(slices.Clone(r.settings), at, at+1), "\x00")
		if byOther[key] == nil {
			keys = append(keys, key)
		}
		byOther[key] = append(byOther[key], r)
	}
	pattern := func(key string) string {
		var all []string
		for _, r := range byOther[key] {
			all = append(all, r.policy+"\x00"+r.settings[at])
		}
		slices.Sort(all)
		return strings.Join(all, "\x01")
	}
	best := keys[0]
	for _, key := range keys[1:] {
		if len(byOther[key]) > len(byOther[best]) {
			best = key
		}
	}
	c := covered{}
	for _, key := range keys {
		if pattern(key) != pattern(best) {
			c.left = true
			continue
		}
		c.others++
		c.runs = append(c.runs, byOther[key]...)
	}
	if c.others == 1 && len(keys) > 1 {
		c.at = c.runs[0].without(at)
	}
	for _, r := range c.runs {
		if !slices.Contains(c.values, r.settings[at]) {
			c.values = append(c.values, r.settings[at])
		}
	}
	slices.SortStableFunc(c.values, a.compare)
	return c
}

// curvesAlone keeps the policies that ran at several values: one point is no curve. It returns a note on
// the others.
func (c *covered) curvesAlone(at int) string {
	seen := map[string]map[string]bool{}
	for _, r := range c.runs {
		if seen[r.policy] == nil {
			seen[r.policy] = map[string]bool{}
		}
		seen[r.policy][r.settings[at]] = true
	}
	all := len(c.runs)
	c.runs = slices.DeleteFunc(c.runs, func(r *run) bool { return len(seen[r.policy]) < 2 })
	if len(c.runs) == all {
		return ""
	}
	return "Policies that ran at one value alone are left out. "
}

// policies are the runs' policies, in the group's order.
func (c *covered) policies(g *group) (all []string) {
	for _, p := range g.policies {
		if slices.ContainsFunc(c.runs, func(r *run) bool { return r.policy == p }) {
			all = append(all, p)
		}
	}
	return all
}

// without names the settings of a run but for one.
func (r *run) without(at int) string {
	var parts []string
	for i, name := range r.axes {
		if i != at {
			parts = append(parts, name+" = "+r.settings[i])
		}
	}
	return strings.Join(parts, ", ")
}

// note says which other settings a plot is of.
func (c *covered) note() string {
	text := ""
	switch {
	case c.at != "":
		text = "At " + c.at + ". "
	case c.others > 1:
		text = "Geometric mean over the other settings. "
	}
	if c.left && c.others > 1 {
		text += "Settings that not all of these policies ran are left out. "
	}
	return text
}

// sensitivity are the plots of a group over one setting: the effect on cycles,
// and on speedups where there are several policies.
func (g *group) sensitivity(a *axis, at int) []figure {
	c := g.cover(a, at)
	if len(c.values) < 2 {
		return nil
	}
	note := c.note() + c.curvesAlone(at)
	if a.numeric && !a.preset.ok && c.values[0] == table.Unset {
		note += "The preset's own value is in the table alone: it is no number of the machine. "
	}
	cycles := figure{Title: "Cycles over " + a.name + ": " + g.title(), Note: note + "Fewer is better."}
	g.over(&cycles, a, at, c, "cycles", func(r *run) number { return number{float64(r.cycles), r.cycles > 0} },
		func(x float64) string { return commas(int64(math.Round(x))) })
	all := []figure{cycles}
	if len(c.policies(g)) > 1 && g.base != "" {
		base := g.base
		gain := figure{Title: "Speed-up over " + a.name + ": " + g.title(), Note: note + "Cycles of " + base +
			" at the same setting over each policy's; more is better."}
		g.over(&gain, a, at, c, "speed-up over "+base, func(r *run) number { return r.speedup },
			func(x float64) string { return decimals(x, 3) })
		all = append(all, gain)
	}
	return all
}

// over fills a plot of a figure of each run over a setting.
func (g *group) over(f *figure, a *axis, at int, c covered, what string, of func(*run) number,
	text func(float64) string) {
	plot := linePlot{X: a.name, Y: what, Marked: true}
	f.Table.Header = append([]string{a.name}, c.policies(g)...)
	if !a.numeric {
		plot.Words = c.values
	}
	places := a.places(c.values)
	for i, v := range c.values {
		if places[i].ok {
			plot.AtX = append(plot.AtX, places[i].x)
		}
		f.Table.Rows = append(f.Table.Rows, []string{a.word(v)})
	}
	last := len(plot.AtX) - 1
	plot.Log = a.numeric && last > 0 && plot.AtX[0] > 0 && plot.AtX[last] >= 32*plot.AtX[0]
	for _, p := range c.policies(g) {
		line := curve{Name: p}
		for i, v := range c.values {
			var m mean
			for _, r := range c.runs {
				if n := of(r); r.policy == p && r.settings[at] == v && n.ok {
					m.add(n.x)
				}
			}
			cell := "–"
			if m.n > 0 {
				cell = text(m.value())
				if places[i].ok && !(i+1 < len(places) && places[i+1] == places[i] && c.ran(p, at, c.values[i+1])) {
					line.Points = append(line.Points, point{places[i].x, m.value()})
				}
			}
			f.Table.Rows[i] = append(f.Table.Rows[i], cell)
		}
		if line.Points != nil {
			plot.Lines = append(plot.Lines, line)
		}
	}
	f.Line = plot.draw()
}

// ran reports whether a policy ran at a value.
func (c *covered) ran(policy string, at int, value string) bool {
	return slices.ContainsFunc(c.runs, func(r *run) bool { return r.policy == policy && r.settings[at] == value })
}

// places are where values stand: at their numbers, or, as words, one behind the other.
func (a *axis) places(values []string) []number {
	all := make([]number, len(values))
	for i, v := range values {
		if all[i] = a.number(v); !a.numeric {
			all[i] = number{float64(i), true}
		}
	}
	return all
}
