package report

import "context"

// stallReasons are the parts of a CTA's life, in the order of their bars.
var stallReasons = [...]struct{ column, title string }{
	{"active_cycles", "issuing"},
	{"stalled_memory_cycles", "memory"},
	{"stalled_issue_cycles", "issue"},
	{"stalled_barrier_cycles", "barrier"},
	{"stalled_page_not_ready_cycles", "page not ready"},
	{"stalled_page_not_owned_cycles", "page not owned"},
	{"stalled_launch_call_cycles", "launch call"},
	{"stalled_child_wait_cycles", "child wait"},
}

// readStalls sums the cycles of all CTAs of each run by their use. A CTA's stalls are NULL where its work is
// inferred from its time.
func (s *source) readStalls(ctx context.Context, _ []compared) error {
	return s.eachOf(ctx, "ctas", func(x *run, r row) {
		var cycles [len(stallReasons)]float64
		found := false
		for i, reason := range stallReasons {
			c, ok := r.float(reason.column)
			cycles[i] = c
			found = found || ok && i > 0
		}
		if !found {
			x.unknown++
			return
		}
		x.known++
		for i, c := range cycles {
			x.stalls[i] += c
		}
	})
}

// stalls are the plots of the groups.
func (s *source) stalls(groups []*group, _ []compared) (all []figure) {
	for _, g := range groups {
		if f, ok := g.stalls(); ok {
			all = append(all, f)
		}
	}
	return all
}

// stalls is a plot of a group: the shares of each policy.
func (g *group) stalls() (figure, bool) {
	f := figure{Title: "What CTAs did: " + g.title(),
		Note: "Share of all cycles of all CTAs, from the first instruction to the end."}
	f.Table.Header = []string{"policy"}
	for _, reason := range stallReasons {
		f.Table.Header = append(f.Table.Header, reason.title+" %")
	}
	stack := stackPlot{What: "share of CTA cycles"}
	var known, unknown int64
	for _, reason := range stallReasons {
		stack.Names = append(stack.Names, reason.title)
	}
	c, note := g.sums(func(r *run) bool { return r.known > 0 })
	f.Note += note
	for _, p := range c.policies {
		var sums [len(stallReasons)]float64
		total := 0.0
		for _, r := range c.of(p) {
			known, unknown = known+r.known, unknown+r.unknown
			for i, c := range r.stalls {
				sums[i] += c
				total += c
			}
		}
		if total == 0 {
			continue
		}
		cells := []string{p}
		for i := range sums {
			sums[i] /= total
			cells = append(cells, decimals(sums[i]*100, 1))
		}
		stack.add(p, sums[:])
		f.Table.Rows = append(f.Table.Rows, cells)
	}
	if unknown > 0 {
		f.Note += " Without " + commas(unknown) + " of " + commas(known+unknown) +
			" CTAs, whose work is inferred from its time."
	}
	f.Table.dropColumns("0.0")
	f.Stack = stack.draw()
	return f, len(f.Table.Rows) > 0
}
