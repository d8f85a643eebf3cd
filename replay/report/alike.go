package report

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// mean is a geometric mean with its range.
type mean struct {
	logs, low, high float64
	n               int
}

func (m *mean) add(x float64) {
	if !(x > 0) {
		return
	}
	if m.n == 0 {
		m.low, m.high = x, x
	}
	m.low, m.high = min(m.low, x), max(m.high, x)
	m.logs += math.Log(x)
	m.n++
}

func (m *mean) value() float64 {
	if m.low == m.high {
		return m.low // exactly, not through a logarithm
	}
	return math.Exp(m.logs / float64(m.n))
}

// ran are runs at settings that the same policies ran, so that their means compare.
type ran struct {
	key      string
	policies []string
	settings [][]*run // the runs at each
}

// faster reports whether a run has a speed-up.
func faster(r *run) bool { return r.speedup.ok }

// alike divides runs at the same settings by the policies with a run there that counts: the most policies first,
// then the most settings.
func alike(all [][]*run, counts func(*run) bool) (classes []*ran) {
	for _, runs := range all {
		var with []*run
		var names []string
		for _, r := range runs {
			if counts(r) {
				with, names = append(with, r), append(names, r.policy)
			}
		}
		key := strings.Join(slices.Sorted(slices.Values(names)), "\x00")
		at := slices.IndexFunc(classes, func(c *ran) bool { return c.key == key })
		if at < 0 {
			at = len(classes)
			classes = append(classes, &ran{key: key, policies: names})
		}
		classes[at].settings = append(classes[at].settings, with)
	}
	slices.SortStableFunc(classes, func(a, b *ran) int {
		return cmp.Or(len(b.policies)-len(a.policies), len(b.settings)-len(a.settings))
	})
	return classes
}

// of returns the runs of a policy.
func (c *ran) of(policy string) (all []*run) {
	for _, runs := range c.settings {
		for _, r := range runs {
			if r.policy == policy {
				all = append(all, r)
			}
		}
	}
	return all
}

// sums returns the runs that sums compare: those at the settings that the most policies ran. The
// note says which these are, if there are others.
func (g *group) sums(counts func(*run) bool) (c *ran, note string) {
	classes := alike(g.timed(), counts)
	if c = classes[0]; len(classes) > 1 && len(c.settings[0]) > 0 {
		note = " Over the settings that all of these policies ran"
		if len(c.settings) == 1 {
			note = " Of the runs" + strings.Replace(c.settings[0][0].with(), ",", " with", 1)
		}
		note += "."
	}
	return c, note
}

// within reports whether another class has all policies of this one.
func (c *ran) within(d *ran) bool {
	return !slices.ContainsFunc(c.policies, func(p string) bool { return !slices.Contains(d.policies, p) })
}
