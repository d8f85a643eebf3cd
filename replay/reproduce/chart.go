package reproduce

import (
	"encoding/csv"
	"fmt"
	"html"
	"io"
	"math"
	"strconv"
	"strings"
)

// WriteCSV writes the points of a figure, one a line. It returns an error if out does.
func (f *Figure) WriteCSV(out io.Writer, t *Table) error {
	w := csv.NewWriter(out)
	points, _ := f.Of(t)
	lines := [][]string{{"table", "row", "column", "unit", "measured", "published", "in_the_paper"}}
	for _, p := range points {
		lines = append(lines, []string{t.Name, p.Row, p.Column, p.Unit, plain(p.Here), plain(p.Paper), p.Where})
	}
	return w.WriteAll(lines)
}

// plain is a number for machines; none: nothing.
func plain(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// Sizes of a chart, in pixels: a bar, the rows' names, the longest bar, and the text behind it.
const (
	barHeight = 14
	nameWidth = 330
	barWidth  = 520
	tailWidth = 130
	headRoom  = 56
)

// WriteSVG draws the points of a figure as bars, the published ones hollow below ours. Columns of
// another unit than the first are left out. It returns an error if out does.
func (f *Figure) WriteSVG(out io.Writer, t *Table) error {
	points, without := f.Of(t)
	most, height := 0., headRoom
	var bars []Point
	for _, p := range points {
		if p.Unit != points[0].Unit {
			continue
		}
		bars = append(bars, p)
		most, height = max(most, p.Here), height+barHeight+4
		if !math.IsNaN(p.Paper) {
			most, height = max(most, p.Paper), height+barHeight
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"11\">\n", nameWidth+barWidth+tailWidth, height+8)
	fmt.Fprintf(&b, "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n<text x=\"8\" y=\"18\" "+
		"font-size=\"13\">%s</text>\n", html.EscapeString(shorter(t.Name+": "+t.Title)))
	note := "filled: measured; hollow: published"
	if without > 0 {
		note += fmt.Sprintf("; %d figures that are not there are left out", without)
	}
	fmt.Fprintf(&b, "<text x=\"8\" y=\"36\" fill=\"#555\">%s</text>\n", html.EscapeString(note))
	y := headRoom
	for _, p := range bars {
		fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", nameWidth-6, y+barHeight-4,
			html.EscapeString(p.Row+", "+p.Column))
		bar(&b, y, p.Here/most, "fill=\"#4878a8\"", p.Here, p.Unit)
		if y += barHeight; !math.IsNaN(p.Paper) {
			bar(&b, y, p.Paper/most, "fill=\"none\" stroke=\"#a03030\"", p.Paper, p.Unit)
			y += barHeight
		}
		y += 4
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(out, b.String())
	return err
}

// bar draws one; a figure below 0 has none.
func bar(b *strings.Builder, y int, share float64, style string, v float64, unit string) {
	width := max(0, share) * barWidth
	fmt.Fprintf(b, "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" %s/>\n", nameWidth, y, width, barHeight-3, style)
	fmt.Fprintf(b, "<text x=\"%.1f\" y=\"%d\">%s</text>\n", nameWidth+width+5, y+barHeight-4,
		strings.TrimSpace(strconv.FormatFloat(v, 'g', 4, 64)+" "+unit))
}

// shorter cuts a title that a chart has no room for.
func shorter(s string) string {
	const most = 140
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
