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
	Header []string
	Text   int // how many columns from the left are text; the others are numbers
	Rows   [][]string
	More   int // rows that are left out
}

// Long reports whether a table is shown in a box of its own that scrolls.
func (g grid) Long() bool { return len(g.Rows) > 24 }

// figure is a plot with the table of what it shows. One of its drawings is set.
type figure struct {
	ID          string
	Title, Note string
	Bars        *bars
	Stack       *stack
	Line        *lines
	Table       grid
}

// section is a part of the page.
type section struct {
	ID, Title, Note string
	Figures         []figure
	More            int // plots that are left out
}

// page is what the template is filled with.
type page struct {
	Title, Lead string
	Summary     *grid
	Sections    []section
	From        *provenance
	Diagnostics grid
	Audit       grid
	Style       template.CSS
}

// Stats says what a page holds.
type Stats struct{ Runs, Figures int }

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

var layout = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(pageHTML)) })

// Options say what a page shows.
type Options struct {
	Title    string // "": the traces
	Baseline string // policy that speed-ups refer to; "": what those of each trace and machine are compared with by their papers
}

// Write writes a page about the tables under dir, of a run or of a sweep. It returns an error that names the file if a table cannot
// be read, one if there are no runs, and that of ctx soon after it ends.
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
	s.named = opt.Baseline
	p := &page{Style: template.CSS(pageCSS)}
	if p.From, err = s.readProvenance(ctx); err != nil {
		return nil, Stats{}, err
	}
	if p.Diagnostics, p.Audit, err = s.findings(ctx); err != nil {
		return nil, Stats{}, err
	}
	groups := s.groups()
	p.Title, p.Lead = cmp.Or(opt.Title, s.title(groups)), s.lead(groups)
	p.Summary = s.summary(groups)
	if p.Sections, err = s.sections(ctx, groups); err != nil {
		return nil, Stats{}, err
	}
	stats := Stats{Runs: len(s.runs)}
	for i := range p.Sections {
		for j := range p.Sections[i].Figures {
			stats.Figures++
			p.Sections[i].Figures[j].ID = fmt.Sprintf("figure%d", stats.Figures)
			p.Sections[i].Figures[j].Table.Text = 1
		}
	}
	return p, stats, nil
}

// sections makes the plots.
func (s *source) sections(ctx context.Context, groups []*group) ([]section, error) {
	if err := s.readStalls(ctx); err != nil {
		return nil, err
	}
	var shown [][]*run
	of := map[*run]*group{}
	plots := 0
	for _, g := range groups {
		for _, runs := range g.timed() {
			if plots++; plots <= maxPlots/4 { // each is up to four plots
				shown = append(shown, runs)
				of[runs[0]] = g
			}
		}
	}
	if err := s.readTimeline(ctx, shown); err != nil {
		return nil, err
	}
	speedup := section{ID: "speed-up", Title: "Speed-up over the baseline"}
	settings := section{ID: "settings", Title: "Effect of settings"}
	stalls := section{ID: "stalls", Title: "Stalls"}
	speedup.add(overTraces(groups))
	for _, g := range groups {
		speedup.add(g.speedups())
		stalls.add(g.stalls())
		for axis := range s.axes {
			for _, f := range g.sensitivity(axis) {
				settings.add(f, true)
			}
		}
	}
	overTime := section{ID: "time", Title: "Use of the GPU over time"}
	for _, runs := range shown {
		overTime.add(occupancy(of[runs[0]], runs))
		overTime.add(issued(of[runs[0]], runs))
		overTime.add(concurrent(of[runs[0]], runs))
		overTime.add(bandwidth(of[runs[0]], runs))
	}
	if len(overTime.Figures) > 0 {
		overTime.More = 4 * max(0, plots-maxPlots/4)
	}
	return slices.DeleteFunc([]section{speedup, settings, stalls, overTime}, func(x section) bool { return len(x.Figures) == 0 }), nil
}

// add adds a plot, if there is one, up to the most that are shown.
func (x *section) add(f figure, ok bool) {
	switch {
	case !ok:
	case len(x.Figures) == maxPlots:
		x.More++
	default:
		x.Figures = append(x.Figures, f)
	}
}

// summary is the table of runs.
func (s *source) summary(groups []*group) *grid {
	g := &grid{Header: append([]string{"trace", "GPU"}, s.axes...), Text: 3 + len(s.axes)}
	g.Header = append(g.Header, "policy", "cycles", "time", "speed-up", "kernels", "CTAs", "warp insts", "occupancy %", "issue slots %", "L1 hits %", "L2 hits %", "child launches")
	for _, group := range groups {
		for _, runs := range group.timed() {
			for _, r := range runs {
				if len(g.Rows) == maxRows {
					g.More++
					continue
				}
				cells := append([]string{r.trace, r.gpu}, r.settings...)
				g.Rows = append(g.Rows, append(cells, r.name(), commas(r.cycles), duration(r.ns), r.speedup.ratio(), commas(r.kernels), commas(r.ctas), commas(r.insts),
					r.occupancy.percent(), r.issue.percent(), r.l1.percent(), r.l2.percent(), commas(r.launches)))
			}
		}
	}
	g.dropColumns("0")
	return g
}

// dropColumns leaves out columns of numbers in which every cell is the same word
// for nothing.
func (g *grid) dropColumns(zero string) {
	for i := len(g.Header) - 1; i >= max(1, g.Text); i-- {
		if slices.ContainsFunc(g.Rows, func(cells []string) bool { return cells[i] != zero }) {
			continue
		}
		g.Header = slices.Delete(g.Header, i, i+1)
		for j := range g.Rows {
			g.Rows[j] = slices.Delete(g.Rows[j], i, i+1)
		}
	}
}

// title names what the page is about.
func (s *source) title(groups []*group) string {
	switch len(groups) {
	case 1:
		return groups[0].title()
	case 2:
		return groups[0].title() + ", " + groups[1].title()
	}
	return fmt.Sprintf("%s and %d more", groups[0].title(), len(groups)-1)
}

// lead says in a sentence what was compared.
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
	text := count(len(s.runs), "replay", "replays") + ": " + count(len(traces), "trace", "traces") + ", " + count(len(gpus), "GPU", "GPUs") + ", " + count(len(policies), "policy", "policies")
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
	return strings.TrimSuffix(text, ".") + "."
}
