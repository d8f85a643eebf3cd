package report

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/xml"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"gpureplay/replay/table"
	"gpureplay/trace"
)

// Figures hands over each plot of the page about the tables under dir: as files of SVG and PDF that stand alone, in
// the colours of paper, and its points as CSV: of curves their points, else its table. Names follow the plots'
// titles, numbered as on the page. It returns the first error of write, or of reading the tables.
func Figures(ctx context.Context, dir string, opt Options, write func(name string, data []byte) error) (Stats, error) {
	p, stats, err := build(ctx, dir, opt)
	if err != nil {
		return stats, err
	}
	n := 0
	for _, s := range p.Sections {
		for i := range s.Figures {
			f := &s.Figures[i]
			n++
			name := fmt.Sprintf("%02d-%s", n, fileName(f.Title))
			drawing, err := f.svg()
			if err != nil {
				return stats, err
			}
			if err := write(name+".svg", drawing); err != nil {
				return stats, err
			}
			page, err := pdf(f.Title, drawing)
			if err != nil {
				return stats, err
			}
			if err := write(name+".pdf", page); err != nil {
				return stats, err
			}
			data := &f.Table
			if f.Line != nil {
				data = f.Line.plot.data()
			}
			if err := write(name+".csv", data.csv()); err != nil {
				return stats, err
			}
		}
	}
	return stats, nil
}

var noName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[^a-z0-9]+`)
})

// fileName makes a name of a title, at most 80 letters.
func fileName(title string) string {
	name := strings.Trim(noName().ReplaceAllString(strings.ToLower(title), "-"), "-")
	return strings.Trim(name[:min(80, len(name))], "-")
}

// csv is a table without the thousands separators of its numbers.
func (g *grid) csv() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write(g.Header)
	for _, row := range g.Rows {
		cells := make([]string, len(row))
		for i, c := range row {
			if cells[i] = table.CSVText(c); i >= g.Text {
				cells[i] = strings.ReplaceAll(c, ",", "")
			}
			if c == "–" {
				cells[i] = ""
			}
		}
		w.Write(cells)
	}
	w.Flush()
	return b.Bytes()
}

// Sizes of the key under a plot that stands alone.
const (
	keyRow   = 18.0
	keyWidth = 210.0
)

var (
	svgHead = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`<svg viewBox="(-?\d+) (-?\d+) ([\d.]+) ([\d.]+)"`)
	})
	cssVar = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`var\(--(\w+)\)`)
	})
	cssHex = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`--(\w+): (#\w{6})`)
	})
)

// svg draws a figure as a file of its own: with its style and its key.
func (f *figure) svg() ([]byte, error) {
	kind, key := "bars", []keyEntry(nil)
	switch {
	case f.Stack != nil:
		kind, key = "stack", f.Stack.Key
	case f.Lanes != nil:
		kind = "lanes"
	case f.Line != nil:
		kind, key = "line", f.Line.Key
	}
	var b strings.Builder
	if err := layout().ExecuteTemplate(&b, kind, f); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	text := b.String()
	m := svgHead().FindStringSubmatch(text)
	if m == nil {
		return nil, fmt.Errorf("report: the plot %q has no size", f.Title)
	}
	width, _ := strconv.ParseFloat(m[3], 64)
	height, _ := strconv.ParseFloat(m[4], 64)
	perRow := int(width / keyWidth)
	rows := (len(key) + perRow - 1) / perRow
	whole := height + float64(rows)*keyRow + 6
	head := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="%s %s %s %s"`, px(width), px(whole), m[1],
		m[2], px(width), px(whole))
	text = strings.TrimSpace(strings.Replace(text, m[0], head, 1))
	body, _ := strings.CutSuffix(text, "</svg>")
	at := strings.Index(body, ">") + 1
	var out bytes.Buffer
	out.WriteString(xml.Header + body[:at] + "\n<style>" + paperStyle() + "</style>" + body[at:])
	for i, k := range key {
		x, y := float64(i%perRow)*keyWidth+8, height+float64(i/perRow)*keyRow+4
		fmt.Fprintf(&out, "\n<g><line class=\"line s%d d%d\" x1=\"%s\" x2=\"%s\" y1=\"%s\" y2=\"%s\"/><text "+
			"x=\"%s\" y=\"%s\">", k.Series, k.Dash, px(x), px(x+24), px(y), px(y), px(x+30), px(y+4))
		xml.EscapeText(&out, []byte(trace.Shorten(k.Name, 28)))
		out.WriteString("</text></g>")
	}
	out.WriteString("\n</svg>\n")
	return out.Bytes(), nil
}

// paperStyle is the page's style of plots with the colours of the light theme in place
// of variables, which not every program that takes SVG knows.
func paperStyle() string {
	colour := map[string]string{}
	root, _, _ := strings.Cut(pageCSS, "}")
	for _, m := range cssHex().FindAllStringSubmatch(root, -1) {
		colour[m[1]] = m[2]
	}
	_, rules, _ := strings.Cut(pageCSS, "\nsvg {")
	rules, _, _ = strings.Cut(rules, "\n.key {")
	return "svg {" + cssVar().ReplaceAllStringFunc(rules, func(v string) string {
		return colour[cssVar().FindStringSubmatch(v)[1]]
	})
}
