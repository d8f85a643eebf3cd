package report

import (
	"fmt"
	"slices"
	"strings"
)

// run is one replay.
type run struct {
	names
	fidelity, baseline string
	cycles, ns         int64
	speedup            number
	kernels, ctas      int64
	insts              int64
	occupancy, issue   number // per cent
	l1, l2             number
	launches           int64

	stalls   [len(stallReasons)]float64
	hasCTAs  bool
	over     *series
	parallel float64 // warps that the GPU holds at most; 0: unknown
}

// number is a figure that may be absent.
type number struct {
	x  float64
	ok bool
}

func (s *source) add(n names, r row) error {
	if !slices.Equal(n.axes, s.axes) {
		return fmt.Errorf("report: %s has the settings %v beside runs with %v: give each kind a folder of its own", n.part, n.axes, s.axes)
	}
	n.gpu = r.text("gpu")
	x := &run{
		names: n, fidelity: r.text("fidelity"), baseline: r.text("baseline"), cycles: r.int("cycles"), ns: r.int("time_ns"),
		kernels: r.int("kernels"), ctas: r.int("ctas"), insts: r.int("warp_instructions"), launches: r.int("launches_made"),
	}
	x.baseline, _, _ = strings.Cut(x.baseline, "@")
	for column, to := range map[string]*number{"speedup": &x.speedup, "occupancy_pct": &x.occupancy, "issue_utilisation_pct": &x.issue, "l1_hit_pct": &x.l1, "l2_hit_pct": &x.l2} {
		to.x, to.ok = r.float(column)
	}
	s.runs = append(s.runs, x)
	s.byKey[s.keyOf(n)] = x
	return nil
}

// keyOf is what the rows of other tables are matched by. A run's folder has one
// machine for each trace and policy, which other tables do not name.
func (s *source) keyOf(n names) string {
	if !s.merged {
		n.gpu = ""
	}
	return n.key()
}

// group is the runs that are compared with each other: of one trace on one GPU.
type group struct {
	trace, gpu string
	policies   []string // the baseline first, then as they come
	runs       []*run
}

func (g *group) title() string { return g.trace + " on " + g.gpu }

// of returns the runs of a policy.
func (g *group) of(policy string) []*run {
	var all []*run
	for _, r := range g.runs {
		if r.policy == policy {
			all = append(all, r)
		}
	}
	return all
}

// groups are in the order of the runs.
func (s *source) groups() []*group {
	var all []*group
	byName := map[string]*group{}
	for _, r := range s.runs {
		key := r.trace + "\x00" + r.gpu
		g := byName[key]
		if g == nil {
			g = &group{trace: r.trace, gpu: r.gpu}
			byName[key] = g
			all = append(all, g)
		}
		g.runs = append(g.runs, r)
	}
	for _, g := range all {
		for _, r := range g.runs {
			if !slices.Contains(g.policies, r.policy) {
				g.policies = append(g.policies, r.policy)
			}
		}
		base := g.runs[0].baseline
		if i := slices.Index(g.policies, base); i > 0 {
			g.policies = slices.Insert(slices.Delete(g.policies, i, i+1), 0, base)
		}
	}
	return all
}
