package command

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"gpureplay/model"
	"gpureplay/replay"
)

// grid is a table for a terminal.
type grid struct {
	w     table.Writer
	width int     // of the terminal; 0: not known, or none
	rows  [][]any // the header first
	align map[int]text.Align
}

func newGrid(out io.Writer, header ...any) *grid {
	g := &grid{w: table.NewWriter(), width: terminalWidth(out), rows: [][]any{header}, align: map[int]text.Align{}}
	g.w.SetOutputMirror(out)
	g.w.SetStyle(table.StyleLight)
	g.w.Style().Options = table.OptionsNoBordersAndSeparators
	g.w.Style().Format.Header = text.FormatDefault
	titles := slices.Clone(header)
	if coloured(g.width, os.LookupEnv) {
		for i, title := range titles {
			titles[i] = paint(bold, fmt.Sprint(title))
		}
	}
	g.w.AppendHeader(titles)
	return g
}

// row adds a row. A name's own lines and tabs are escapes: a row is one line.
func (g *grid) row(cells ...any) {
	for i, cell := range cells {
		if text, ok := cell.(string); ok && strings.ContainsAny(text, "\n\t") {
			cells[i] = plain(text)
		}
	}
	g.w.AppendRow(cells)
	g.rows = append(g.rows, cells)
}

// right aligns columns of numbers, counted from 1.
func (g *grid) right(columns ...int) {
	for _, c := range columns {
		g.align[c] = text.AlignRight
	}
}

func (g *grid) print() {
	g.configure(g.fit())
	g.w.Render()
}

func (g *grid) markdown() {
	g.configure(0)
	g.w.RenderMarkdown()
}

func (g *grid) configure(most int) {
	var all []table.ColumnConfig
	for c := 1; c <= len(g.rows[0]); c++ {
		config := table.ColumnConfig{Number: c, Align: g.align[c], AlignHeader: g.align[c]}
		if most > 0 && g.align[c] != text.AlignRight {
			config.WidthMax, config.WidthMaxEnforcer = most, text.WrapSoft
		}
		all = append(all, config)
	}
	g.w.SetColumnConfigs(all)
}

// leastText is how narrow columns of text may become.
const leastText = 16

// fit is the width at which columns of text are wrapped so that a row has room in
// the terminal: 0 where it has, or where its numbers alone have not.
func (g *grid) fit() (most int) {
	if g.width == 0 {
		return 0
	}
	widths := make([]int, len(g.rows[0]))
	for _, row := range g.rows {
		for i, cell := range row {
			if i < len(widths) {
				widths[i] = max(widths[i], text.LongestLineLen(fmt.Sprint(cell)))
			}
		}
	}
	room := func(most int) int {
		sum := 0
		for i, w := range widths {
			if sum += 2; most > 0 && g.align[i+1] != text.AlignRight {
				w = min(w, most)
			}
			sum += w
		}
		return sum
	}
	if room(0) <= g.width || room(leastText) > g.width {
		return 0
	}
	for most = leastText; room(most+1) <= g.width; most++ {
	}
	return most
}

// printJSON writes a value for machines.
func (a *app) printJSON(v any) error {
	e := json.NewEncoder(a.out)
	e.SetEscapeHTML(false) // names of templates stay readable
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// ratio writes a speed-up, if there is one.
func ratio(v any) string {
	if x, ok := v.(float64); ok {
		return fmt.Sprintf("%.3f", x)
	}
	return "-"
}

// printStages prints each stage's share of the sum of all, for each run: the most that could overlap.
func (a *app) printStages(results []*replay.Result) {
	g := newGrid(a.out, "stages of", "prelude", "H2D", "kernels", "D2H", "postlude")
	g.right(2, 3, 4, 5, 6)
	for _, r := range results {
		stages := []model.StageKind{model.StagePrelude, model.StageH2D, model.StageKernel, model.StageD2H,
			model.StagePostlude}
		var all model.Time
		for _, k := range stages {
			all += r.Stages[k]
		}
		row := []any{r.Policy}
		for _, k := range stages {
			row = append(row, fmt.Sprintf("%.1f %%", 100*float64(r.Stages[k])/float64(max(1, all))))
		}
		g.row(row...)
	}
	g.print()
}

// commas writes a whole number with thousands separators.
func commas(v any) string {
	switch n := v.(type) {
	case int64:
		return humanize.Comma(n)
	case uint64:
		return humanize.Comma(int64(n))
	}
	return fmt.Sprint(v)
}

func percent(v any) string {
	f, ok := v.(float64)
	if !ok {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", f)
}

// duration writes nanoseconds in the unit that suits them.
func duration(v any) string {
	var ns float64
	switch n := v.(type) {
	case int64:
		ns = float64(n)
	case float64:
		ns = n
	default:
		return "-"
	}
	switch {
	case ns < 1e3:
		return fmt.Sprintf("%.0f ns", ns)
	case ns < 1e6:
		return fmt.Sprintf("%.3f µs", ns/1e3)
	case ns < 1e9:
		return fmt.Sprintf("%.3f ms", ns/1e6)
	}
	return fmt.Sprintf("%.3f s", ns/1e9)
}
