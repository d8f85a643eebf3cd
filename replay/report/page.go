package report

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"sync"
)

// Most that a page shows of a kind.
const (
	maxRows  = 400
	maxPlots = 16
)

// grid is a table of the page.
type grid struct {
	Caption string
	Header  []string
	Text    int // how many columns from the left are text; the others are numbers
	Rows    [][]string
	More    int // rows that are left out
}

// Long reports whether a table is shown in a box of its own that scrolls.
func (g grid) Long() bool { return len(g.Rows) > 24 }

// figure is a plot with the table of its values. One of its drawings is set.
type figure struct {
	ID          string
	Title, Note string
	Bars        *bars
	Stack       *stack
	Line        *chart
	Lanes       *lanes
	Table       grid
}

// section is a part of the page.
type section struct {
	ID, Title, Note string
	Figures         []figure
	More            int // plots that are left out
	Left            int // sets of runs with the same settings that have none
}

// page has the data of the template.
type page struct {
	Title, Lead string
	Summary     *grid
	Sections    []section
	From        *provenance
	Diagnostics grid
	Audit       grid
	Style       template.CSS
	Live        *Live
	Curves      []curves // of the plots, for a page that is live
}

// Stats counts the contents of a page.
type Stats struct{ Runs, Figures int }

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

var layout = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(pageHTML)) })

// Options choose the contents of a page.
type Options struct {
	Live    *Live    // nil: the page runs no script and needs no network
	Title   string   // "": the traces
	WhatIfs []WhatIf // of the one capture that the tables are of; the first is the recorded time
	// policy that speed-ups refer to; "": the baseline of the policies' papers
	Baseline string
}

// Write writes a page about the tables under dir, of a run or of a sweep. It returns an error that names the file
// if a table cannot be read, one if there are no runs, and ctx's error soon after it ends.
func Write(ctx context.Context, w io.Writer, dir string, opt Options) (Stats, error) {
	p, stats, err := build(ctx, dir, opt)
	if err != nil {
		return stats, err
	}
	if err := layout().Execute(w, p); err != nil {
		return stats, fmt.Errorf("report: %w", err)
	}
	return stats, nil
}

// build fills a page.
func build(ctx context.Context, dir string, opt Options) (*page, Stats, error) {
	s, err := open(ctx, dir)
	if err != nil {
		return nil, Stats{}, err
	}
	s.named, s.changes = opt.Baseline, opt.WhatIfs
	p := &page{Style: template.CSS(pageCSS), Live: opt.Live}
	if p.From, err = s.readProvenance(ctx); err != nil {
		return nil, Stats{}, err
	}
	if p.Diagnostics, p.Audit, err = s.findings(ctx); err != nil {
		return nil, Stats{}, err
	}
	groups := s.groups()
	p.Title, p.Lead = cmp.Or(opt.Title, s.title(groups)), s.lead(groups)+inferredNote(s.runs)
	if s.described && len(p.From.Machine) > 0 {
		p.Lead += " Machine: " + strings.Join(p.From.Machine[:min(2, len(p.From.Machine))], "; ")
		if n := len(p.From.Machine) - 2; n > 0 {
			p.Lead += "; and " + commas(int64(n)) + " more"
		}
		p.Lead += "."
	}
	p.Summary = s.summary(groups)
	if p.Sections, err = s.sections(ctx, groups); err != nil {
		return nil, Stats{}, err
	}
	stats := Stats{Runs: len(s.runs)}
	for i := range p.Sections {
		for j := range p.Sections[i].Figures {
			stats.Figures++
			p.Sections[i].Figures[j].ID = fmt.Sprintf("figure%d", stats.Figures)
			p.Sections[i].Figures[j].Table.Text = max(1, p.Sections[i].Figures[j].Table.Text)
		}
	}
	if p.Live != nil {
		p.Curves = p.curves()
	}
	return p, stats, nil
}

// part is a section as it is made: its reader for the runs in plots over time and of distributions, and its plots.
type part struct {
	id, title string
	read      func(*source, context.Context, []compared) error
	figures   func(*source, []*group, []compared) []figure
	each      bool // its plots show each set of runs; only the first sets are read
}

// parts are the sections of a page, in its order. One without plots is left out.
var parts = []part{
	{id: "captures", title: "Captures side by side", figures: (*source).ranks},
	{id: "capture", title: "The capture and its replay", read: (*source).readStories, figures: (*source).captures},
	{id: "what-if", title: "What if", figures: (*source).whatIfs},
	{id: "speed-up", title: "Speed-up over the baseline", figures: (*source).speedups},
	{id: "settings", title: "Effect of settings", figures: (*source).sensitivities},
	{id: "stalls", title: "Stalls", read: (*source).readStalls, figures: (*source).stalls},
	{id: "progress", title: "Progress of kernels", read: (*source).readProgress, figures: (*source).progress, each: true},
	{id: "time", title: "Use of the GPU over time", read: (*source).readTimeline, figures: over("time"), each: true},
	{id: "bandwidth", title: "Bandwidth", read: (*source).readMachines, figures: over("bandwidth"), each: true},
	{id: "launches", title: "Launches", read: (*source).readWaiting, figures: (*source).launches, each: true},
	{id: "pages", title: "Pages", read: (*source).readPages, figures: (*source).pages, each: true},
	{id: "tasks", title: "Latency of tasks", read: (*source).readLatency, figures: (*source).latencies, each: true},
}

// compared are the runs of a group with the same settings, which plots over time and
// of distributions show together.
type compared struct {
	*group
	runs []*run
}

// maxCompared is how many of them are read.
const maxCompared = 4

// sections makes the plots.
func (s *source) sections(ctx context.Context, groups []*group) ([]section, error) {
	var shown []compared
	left := 0
	for _, g := range groups {
		for _, runs := range g.mostFirst() {
			if len(shown) == maxCompared {
				left++
				continue
			}
			shown = append(shown, compared{g, runs})
		}
	}
	for _, c := range shown {
		c.span()
	}
	for _, p := range parts {
		if p.read == nil {
			continue
		}
		if err := p.read(s, ctx, shown); err != nil {
			return nil, err
		}
	}
	var all []section
	for _, p := range parts {
		x := section{ID: p.id, Title: p.title}
		for _, f := range p.figures(s, groups, shown) {
			x.add(f)
		}
		if len(x.Figures) == 0 {
			continue
		}
		if p.each {
			x.Left = left
		}
		all = append(all, x)
	}
	return all, nil
}

// add adds a plot, up to the most that are shown.
func (x *section) add(f figure) {
	if len(x.Figures) == maxPlots {
		x.More++
		return
	}
	x.Figures = append(x.Figures, f)
}

// summary is the table of runs.
func (s *source) summary(groups []*group) *grid {
	g := &grid{Header: append([]string{"trace", "GPU"}, s.axes...), Text: 3 + len(s.axes)}
	g.Header = append(g.Header, "policy", "cycles", "time", "speed-up", "kernels", "CTAs", "warp insts", "occupancy %",
		"issue slots %", "L1 hits %", "L2 hits %", "child launches", "kernels inferred")
	for _, group := range groups {
		for _, runs := range group.timed() {
			for _, r := range runs {
				if len(g.Rows) == maxRows {
					g.More++
					continue
				}
				cells := []string{r.trace, r.gpu}
				for i, v := range r.settings {
					cells = append(cells, s.scales[i].word(v))
				}
				g.Rows = append(g.Rows, append(cells, r.name(), commas(r.cycles), duration(r.ns), r.speedup.ratio(),
					commas(r.kernels),
					commas(r.ctas), commas(r.insts), r.occupancy.percent(), r.issue.percent(), r.l1.percent(), r.l2.percent(),
					commas(r.made),
					commas(r.inferred)))
			}
		}
	}
	g.dropColumns("0")
	g.dropColumns("–")
	g.dropColumns("0.0")
	g.dropEqual()
	if n := len(s.runs); n > 1 {
		g.Caption = commas(int64(n)) + " rows" + g.Caption
	}
	return g
}

// dropEqual moves values that all rows share, of a program or its machine, into the caption.
func (g *grid) dropEqual() {
	if len(g.Rows) < 2 {
		return
	}
	for i := 0; i < len(g.Header); i++ {
		word := g.Rows[0][i]
		if !slices.Contains([]string{"trace", "GPU", "kernels", "CTAs", "warp insts"}, g.Header[i]) ||
			slices.ContainsFunc(g.Rows, func(cells []string) bool { return cells[i] != word }) {
			continue
		}
		g.Caption += ", " + g.Header[i] + " " + word
		g.dropColumn(i)
		i--
	}
	if g.Caption != "" {
		g.Caption += " in all of them"
	}
}

// dropColumn leaves out a column.
func (g *grid) dropColumn(i int) {
	g.Header = slices.Delete(g.Header, i, i+1)
	for j := range g.Rows {
		g.Rows[j] = slices.Delete(g.Rows[j], i, i+1)
	}
	if i < g.Text {
		g.Text--
	}
}

// dropColumns leaves out columns of numbers in which every cell is the same word
// for nothing.
func (g *grid) dropColumns(zero string) {
	for i := len(g.Header) - 1; i >= max(1, g.Text); i-- {
		if slices.ContainsFunc(g.Rows, func(cells []string) bool { return cells[i] != zero }) {
			continue
		}
		g.dropColumn(i)
	}
}

// title names the page by its traces and machines.
func (s *source) title(groups []*group) string {
	switch len(groups) {
	case 1:
		return groups[0].title()
	case 2:
		return groups[0].title() + ", " + groups[1].title()
	}
	return fmt.Sprintf("%s and %d more", groups[0].title(), len(groups)-1)
}

// lead describes the comparison in a sentence.
func (s *source) lead(groups []*group) string {
	traces, gpus, policies := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, r := range s.runs {
		traces[r.trace], gpus[r.gpu], policies[r.policy] = true, true, true
	}
	count := func(n int, one, many string) string {
		if n == 1 {
			return "1 " + one
		}
		return commas(int64(n)) + " " + many
	}
	text := count(len(s.runs), "replay", "replays") + ": " + count(len(traces), "trace", "traces") + ", " +
		count(len(gpus), "GPU", "GPUs") + ", " + count(len(policies), "policy", "policies")
	for _, axis := range s.axes {
		values := map[string]bool{}
		i := slices.Index(s.axes, axis)
		for _, r := range s.runs {
			values[r.settings[i]] = true
		}
		text += ", " + count(len(values), "value", "values") + " of " + axis
	}
	if base := groups[0].base; base != "" {
		text += ". Baseline: " + base
	}
	if len(s.fixed) > 0 {
		text += ". All with " + strings.Join(s.fixed, ", ")
	}
	return strings.TrimSuffix(text, ".") + "."
}
