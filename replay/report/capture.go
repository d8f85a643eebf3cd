package report

import (
	"cmp"
	"fmt"
	"slices"

	"gpureplay/replay/capture"
	"gpureplay/trace"
)

// maxTop is how many device functions a page lists.
const maxTop = 15

// captures are the plots of each capture.
func (s *source) captures(groups []*group, _ []compared) (all []figure) {
	for _, g := range groups {
		list := g.activities()
		if len(list) == 0 || len(list[0].Kernels) == 0 {
			continue
		}
		all = append(all, g.times(list), g.parts(list), g.top(list), g.streams(list))
	}
	return all
}

func ms(ns int64) float64 { return float64(ns) / 1e6 }

func ofAll(part, all int64) string {
	return decimals(100*float64(part)/float64(max(1, all)), 1)
}

// times sets the recorded time beside the replayed ones.
func (g *group) times(list []*capture.Activity) figure {
	f := figure{Title: "Recorded and replayed: " + g.title(),
		Note: "Time from the program's first call to the end of its last work; less is faster."}
	f.Table.Header = []string{"run", "ms", "of recorded %"}
	plot := barPlot{What: "ms", mark: ms(list[0].Ns)}
	for _, a := range list {
		plot.rows = append(plot.rows, barRow{nameOf(a), ms(a.Ns), ms(a.Ns), ms(a.Ns)})
		f.Table.Rows = append(f.Table.Rows, []string{nameOf(a), decimals(ms(a.Ns), 3), ofAll(a.Ns, list[0].Ns)})
	}
	f.Bars = plot.draw()
	return f
}

// idleParts are the parts of a run's time, in the order of their bars.
var idleParts = []string{"kernels", "copies alone", "waits for the host", "gaps after a launch", "no call recorded"}

func idleOf(a *capture.Activity) []int64 {
	d := a.Idle()
	return []int64{d.Kernels, d.Copies, d.Host, d.Gaps, d.Unknown}
}

// parts divides the time by the GPU's work.
func (g *group) parts(list []*capture.Activity) figure {
	f := figure{Title: "Where the time goes: " + g.title(),
		Note: "Without a kernel or a copy the GPU waits for the host until the next kernel is launched, and for the " +
			"launch until it begins."}
	plot := stackPlot{What: "share of the run's time", Names: idleParts}
	f.Table.Header = []string{"run"}
	for _, name := range idleParts {
		f.Table.Header = append(f.Table.Header, name+" ms")
	}
	f.Table.Text = 1
	for _, a := range list {
		cells, shares := []string{nameOf(a)}, []float64{}
		for _, ns := range idleOf(a) {
			cells = append(cells, decimals(ms(ns), 3))
			shares = append(shares, float64(ns)/float64(max(1, a.Ns)))
		}
		plot.add(nameOf(a), shares)
		f.Table.Rows = append(f.Table.Rows, cells)
	}
	f.Table.dropColumns("0.000")
	f.Stack = plot.draw()
	return f
}

// top are the device functions that take longest, as recorded, with their replayed time.
func (g *group) top(list []*capture.Activity) figure {
	recorded := list[0].Functions()
	shown := recorded[:min(len(recorded), maxTop)]
	f := figure{Title: "Kernels that take longest: " + g.title(),
		Note: "Sum over all launches of a device function, as recorded."}
	if n := len(recorded); n > len(shown) {
		f.Note += fmt.Sprintf(" %d of %s functions.", len(shown), commas(int64(n)))
	}
	f.Table.Header = []string{"kernel", "launches", "recorded ms", "of all %", "mean µs"}
	var names []string
	for _, t := range shown {
		names = append(names, t.Name)
	}
	short := trace.ShortNames(names)
	var replayed map[string]int64
	if len(list) > 1 {
		f.Table.Header = append(f.Table.Header, list[1].Policy+" ms")
		replayed = map[string]int64{}
		for _, t := range list[1].Functions() {
			replayed[t.Name] = t.Ns
		}
	}
	plot := barPlot{What: "ms", mark: 0}
	for i, t := range shown {
		plot.rows = append(plot.rows, barRow{short[i], ms(t.Ns), ms(t.Ns), ms(t.Ns)})
		cells := []string{short[i], commas(int64(t.Count)), decimals(ms(t.Ns), 3), ofAll(t.Ns, list[0].Ns),
			decimals(float64(t.Ns)/1e3/float64(t.Count), 1)}
		if replayed != nil {
			cells = append(cells, decimals(ms(replayed[t.Name]), 3))
		}
		f.Table.Rows = append(f.Table.Rows, cells)
	}
	f.Bars = plot.draw()
	return f
}

// maxLanes is how many streams of a run a plot shows.
const maxLanes = 8

// streams shows the kernels of each stream over time, recorded and replayed below each other.
func (g *group) streams(list []*capture.Activity) figure {
	f := figure{Title: "Streams over time: " + g.title(),
		Note: "A darker part of a bar has more kernels. Recorded and replayed stand below each other."}
	f.Table.Header = []string{"stream", "run", "kernels", "busy ms", "gaps ms", "longest gap ms"}
	f.Table.Text = 2
	if len(list) > 2 {
		list = list[:2]
	}
	plot := lanePlot{X: "ms"}
	for _, a := range list {
		plot.end = max(plot.end, a.Ns)
	}
	streams := list[0].Streams()
	byTime := slices.Clone(streams)
	slices.SortStableFunc(byTime, func(a, b capture.Times) int { return cmp.Compare(b.Ns, a.Ns) })
	if n := len(streams); n > maxLanes {
		f.Note += fmt.Sprintf(" The %d of %s streams that are busy longest.", maxLanes, commas(int64(n)))
		byTime = byTime[:maxLanes]
	}
	for _, t := range streams {
		if !slices.ContainsFunc(byTime, func(b capture.Times) bool { return b.Stream == t.Stream }) {
			continue
		}
		for i, a := range list {
			name := fmt.Sprintf("%d %s", t.Stream, nameOf(a))
			plot.rows = append(plot.rows, laneRow{name, laneOf(a, t.Stream), i})
			for _, u := range a.Streams() {
				if u.Stream == t.Stream {
					f.Table.Rows = append(f.Table.Rows, []string{fmt.Sprint(t.Stream), nameOf(a), commas(int64(u.Count)),
						decimals(ms(u.Ns), 3),
						decimals(ms(u.GapNs), 3), decimals(ms(u.MostGapNs), 3)})
				}
			}
		}
	}
	f.Lanes = plot.draw()
	return f
}

// laneOf are the kernels of a stream, from the start of the run on.
func laneOf(a *capture.Activity, stream int64) (all []capture.Span) {
	for _, k := range a.Kernels {
		if k.Stream == stream {
			k.From, k.To = k.From-a.Start, k.To-a.Start
			all = append(all, k)
		}
	}
	return all
}

// ranks sets captures of one job or of several side by side.
func (s *source) ranks(groups []*group, _ []compared) []figure {
	f := figure{Title: "Captures side by side", Note: "Time of each GPU, in shares of the longest recorded time."}
	f.Table.Header = []string{"capture", "recorded ms", "replayed ms"}
	for _, name := range idleParts {
		f.Table.Header = append(f.Table.Header, name+" ms")
	}
	plot := stackPlot{What: "share of the longest recorded time", Names: idleParts}
	type rank struct {
		name           string
		recorded, base *capture.Activity
	}
	var all []rank
	longest, at := int64(1), ""
	for _, g := range groups {
		if list := g.activities(); len(list) > 1 {
			all = append(all, rank{g.trace, list[0], list[1]})
			if list[0].Ns > longest {
				longest, at = list[0].Ns, g.trace
			}
		}
	}
	if len(all) < 2 {
		return nil
	}
	shortest := longest
	for _, r := range all {
		shortest = min(shortest, r.recorded.Ns)
		cells, shares := []string{r.name, decimals(ms(r.recorded.Ns), 3), decimals(ms(r.base.Ns), 3)}, []float64{}
		for _, ns := range idleOf(r.recorded) {
			cells = append(cells, decimals(ms(ns), 3))
			shares = append(shares, float64(ns)/float64(longest))
		}
		plot.add(r.name, shares)
		f.Table.Rows = append(f.Table.Rows, cells)
	}
	f.Note += fmt.Sprintf(" %s takes longest: %s ms more than the shortest.", at, decimals(ms(longest-shortest), 3))
	f.Table.dropColumns("0.000")
	f.Stack = plot.draw()
	return []figure{f}
}

// WhatIf is the time of a capture's program with one thing changed.
type WhatIf struct {
	Change string // "recorded": nothing
	Ns     int64
	Bound  string // "at most" or "at least" where the time is a bound; "": it is a prediction
	Limits string // the shares of the time by their limit
}

// whatIfs are the bars of changes; the first row is the recorded time.
func (s *source) whatIfs(_ []*group, _ []compared) []figure {
	if len(s.changes) < 2 {
		return nil
	}
	f := figure{Title: "One thing changed", Note: "Time of the captured program with one change at a time (replay " +
		"what-if); less is faster."}
	f.Table.Header, f.Table.Text = []string{"what if", "limited by", "ms", "of recorded %"}, 2
	plot := barPlot{What: "ms", mark: ms(s.changes[0].Ns)}
	for _, w := range s.changes {
		label := w.Change
		if w.Bound != "" {
			label += " (" + w.Bound + ")"
		}
		plot.rows = append(plot.rows, barRow{label, ms(w.Ns), ms(w.Ns), ms(w.Ns)})
		f.Table.Rows = append(f.Table.Rows, []string{label, w.Limits, decimals(ms(w.Ns), 3), ofAll(w.Ns, s.changes[0].Ns)})
	}
	f.Bars = plot.draw()
	return []figure{f}
}
