package report

import "context"

// outcomes are the fates of a child launch.
var outcomes = [...]string{"work of the parent", "kernel of its own", "group of a kernel"}

// readWaiting reads how long the child launches of the runs that are shown wait.
func (s *source) readWaiting(ctx context.Context, _ []compared) error {
	return s.eachOf(ctx, "launches", func(x *run, r row) {
		if wait, ok := r.float("waiting_cycles"); ok && x.over != nil {
			x.waiting.add(int64(wait))
		}
	})
}

// launches are the plots of child launches: their fates, their waiting times, and their memory over time.
func (s *source) launches(groups []*group, shown []compared) (all []figure) {
	for _, g := range groups {
		if f, ok := g.outcomes(); ok {
			all = append(all, f)
		}
	}
	for _, c := range shown {
		if f, ok := c.distribution("Waiting of child launches", "cycles", 1, func(r *run) *spread { return &r.waiting }); ok {
			f.Note += " From the launch call to the first CTA of the child."
			all = append(all, f)
		}
		all = append(all, c.overTime("launches")...)
	}
	return all
}

// outcomes is the plot of a group: the number of launches by fate.
func (g *group) outcomes() (figure, bool) {
	f := figure{Title: "Outcome of child launches: " + g.title(),
		Note: "Share of the launches that the policy decided on. A group joined a kernel in the distributor (coalescing)."}
	f.Table.Header = []string{"policy", "launches"}
	stack := stackPlot{What: "share of child launches", Names: outcomes[:]}
	for _, o := range outcomes {
		f.Table.Header = append(f.Table.Header, o+" %")
	}
	c, note := g.sums(func(r *run) bool { return r.made+r.inlined > 0 })
	f.Note += note
	for _, p := range c.policies {
		var sums [len(outcomes)]float64
		for _, r := range c.of(p) {
			sums[0] += float64(r.inlined)
			sums[1] += float64(r.made - r.coalesced)
			sums[2] += float64(r.coalesced)
		}
		total := sums[0] + sums[1] + sums[2]
		if total == 0 {
			continue
		}
		cells := []string{p, commas(int64(total))}
		for i := range sums {
			sums[i] /= total
			cells = append(cells, decimals(sums[i]*100, 1))
		}
		stack.add(p, sums[:])
		f.Table.Rows = append(f.Table.Rows, cells)
	}
	f.Stack = stack.draw()
	return f, len(f.Table.Rows) > 0
}
