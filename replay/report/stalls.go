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

// readStalls sums the cycles of all CTAs of each run by what they went for.
func (s *source) readStalls(ctx context.Context) error {
	return s.eachOf(ctx, "ctas", func(x *run, r row) {
		x.hasCTAs = true
		for i, reason := range stallReasons {
			c, _ := r.float(reason.column)
			x.stalls[i] += c
		}
	})
}

// stalls is a plot of a group: the shares of each policy.
func (g *group) stalls() (figure, bool) {
	f := figure{Title: "What CTAs did: " + g.title(), Note: "Share of all cycles of all CTAs, from the first instruction to the end."}
	f.Table.Header = []string{"policy"}
	for _, reason := range stallReasons {
		f.Table.Header = append(f.Table.Header, reason.title+" %")
	}
	var stack stackPlot
	for _, reason := range stallReasons {
		stack.Names = append(stack.Names, reason.title)
	}
	for _, p := range g.policies {
		var sums [len(stallReasons)]float64
		total, known := 0.0, false
		for _, r := range g.of(p) {
			known = known || r.hasCTAs
			for i, c := range r.stalls {
				sums[i] += c
				total += c
			}
		}
		if !known || total == 0 {
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
	f.Table.dropColumns("0.0")
	f.Stack = stack.draw()
	return f, len(f.Table.Rows) > 0
}
