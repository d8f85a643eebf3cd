package report

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"gpureplay/trace"
)

// maxKernels is how many kernels a plot of progress shows.
const maxKernels = 8

// progress is how far a kernel of a run is over time.
type progress struct {
	name             string
	ctas, first, end int64
	done             []point // cycle and CTAs that have finished; at most one for each part of the run
}

// readProgress chooses the kernels that take longest under the first of the runs that
// are shown together, and finds them in the others.
func (s *source) readProgress(ctx context.Context, shown []compared) error {
	type long struct{ id, cycles int64 }
	longest := map[*run][]long{}
	firstOf := map[*run]*run{}
	for _, c := range shown {
		for _, r := range c.runs {
			firstOf[r] = c.runs[0]
		}
	}
	err := s.eachOf(ctx, "kernels", func(x *run, r row) {
		cycles := r.int("duration_cycles")
		if x != firstOf[x] || cycles == 0 || r.int("ctas") < 2 || x.over == nil {
			return // one CTA has no progress to show
		}
		all := append(longest[x], long{r.int("kernel"), cycles})
		slices.SortFunc(all, func(a, b long) int { return cmp.Or(cmp.Compare(b.cycles, a.cycles), cmp.Compare(a.id, b.id)) })
		longest[x] = all[:min(len(all), maxKernels)]
	})
	if err != nil {
		return err
	}
	for r, first := range firstOf {
		r.kernel = map[int64]*progress{}
		for _, k := range longest[first] {
			r.kernel[k.id] = nil
		}
	}
	return s.eachOf(ctx, "kernels", func(x *run, r row) {
		id := r.int("kernel")
		if _, wanted := x.kernel[id]; !wanted {
			return
		}
		first, started := r.float("first_cta_cycles")
		end, ended := r.float("end_cycles")
		if started && ended {
			x.kernel[id] = &progress{name: r.text("function"), ctas: r.int("ctas"), first: int64(first), end: int64(end)}
		}
	})
}

// advance notes how far the kernels are at the end of a sample window.
func (r *run) advance(at row) {
	v, w := at.Column("kernels"), at.Column("ctas_finished")
	if len(r.kernel) == 0 || v == nil || w == nil {
		return
	}
	ids, _ := v.List(at.at)
	done, _ := w.List(at.at)
	now := at.int("end_cycles")
	for i, id := range ids {
		k := r.kernel[id]
		if k == nil || i >= len(done) || now <= k.first || now >= k.end {
			continue
		}
		q := point{float64(now), float64(done[i])}
		if n := len(k.done); n > 0 && r.over.part(int64(k.done[n-1].X)) == r.over.part(now) {
			k.done[n-1] = q
			continue
		}
		k.done = append(k.done, q)
	}
}

// progress are the plots of kernels that run in turn or beside each other: a panel for
// each policy.
func (s *source) progress(_ []*group, shown []compared) (all []figure) {
	for _, c := range shown {
		if c.runs[0].recordedNs > 0 {
			continue // CTAs of a captured kernel end together; the plots of the capture show it
		}
		if f, ok := c.progress(); ok {
			all = append(all, f)
		}
	}
	return all
}

func (c *compared) progress() (figure, bool) {
	unit, per := clock(c.runs)
	f := figure{Title: "Progress of kernels: " + c.title() + c.runs[0].with(),
		Note: "CTAs of each kernel that have finished, from its first CTA to its end."}
	f.Table.Header = []string{"policy", "kernel", "CTAs", "first CTA, " + unit, "end, " + unit}
	plot := linePlot{X: unit, Y: "% of its CTAs", Top: 100}
	most := 0
	for _, r := range c.runs {
		q := panel{Title: r.policy}
		ids := make([]int64, 0, len(r.kernel))
		for id := range r.kernel {
			ids = append(ids, id)
		}
		slices.Sort(ids)
		for place, id := range ids {
			k := r.kernel[id]
			if k == nil || k.ctas == 0 {
				continue
			}
			line := []point{{float64(k.first) * per, 0}}
			for _, d := range k.done {
				line = append(line, point{d.X * per, 100 * d.Y / float64(k.ctas)})
			}
			name := trace.Shorten(trace.ShortName(k.name), 32) + " #" + strconv.FormatInt(id, 10)
			q.Lines = append(q.Lines, curve{Name: name, Points: append(line, point{float64(k.end) * per, 100}), style: place +
				1})
			f.Table.Rows = append(f.Table.Rows,
				[]string{r.policy, name, commas(k.ctas), instant(unit, float64(k.first)*per), instant(unit, float64(k.end)*per)})
		}
		if most = max(most, len(q.Lines)); q.Lines != nil {
			plot.Panels = append(plot.Panels, q)
		}
	}
	if most < 2 { // one kernel has nothing beside it
		return f, false
	}
	if n := c.runs[0].kernels; n > maxKernels {
		f.Note += " Of " + commas(n) + " kernels the " + strconv.Itoa(most) + " that take longest under " +
			c.runs[0].policy + "."
	}
	f.Table.Text = 2
	f.Line = plot.draw()
	return f, true
}
