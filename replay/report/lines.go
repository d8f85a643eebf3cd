package report

import (
	"gpureplay/trace"
	"math"
	"strings"
)

// Sizes of a line plot, in pixels of the drawing.
const (
	lineHeight  = 230.0
	lineLeft    = 60.0
	panelHeight = 200.0
	panelLeft   = 50.0
	panelTop    = 24.0 // its name is above
	axisName    = 20.0
)

// palette is how many colours there are, dashes how many kinds of lines: curves
// that lie on each other are seen through each other's gaps, and told apart
// without colours.
const (
	palette = 8
	dashes  = 4
)

// maxCurves is the most that one plot shows; more get a panel each.
const maxCurves = 6

// linePlot is a curve for each policy, or a panel for each.
type linePlot struct {
	X, Y   string // names of the axes
	Marked bool   // each point has a mark
	Lines  []curve
	Panels []panel   // in place of Lines
	AtX    []float64 // values of the horizontal axis that have a tick; nil: round ones from 0
	Words  []string  // of AtX, where the axis has no numbers
	Log    bool      // horizontally
	Top    float64   // of the vertical axis; 0: the curves' largest value
}

// panel is a small plot on the axes of its neighbours.
type panel struct {
	Title string
	Lines []curve
}

type curve struct {
	Name   string
	Points []point
	style  int // colour and dashes, from 1 on: a policy has its own in all plots; 0: by its place
}

type point struct{ X, Y float64 }

// chart is a drawn line plot.
type chart struct {
	Width, Height string
	Panels        []lines
	Key           []keyEntry
	plot          *linePlot
}

// lines is a drawn panel.
type lines struct {
	AtX, AtY, Title                                   string
	Left, Right, Top, Bottom, TickY, NameY, Mid, MidY string
	X, Y                                              string
	XTicks, YTicks                                    []tickMark
	Curves                                            []curveShape
}

type curveShape struct {
	Path         string
	Name         string
	Series, Dash int
	Marks        []markShape
}

type markShape struct{ X, Y, Tip string }

// split gives each of many curves a panel of its own, with the first, which is the
// baseline, in each.
func (p *linePlot) split() {
	for i := range p.Lines {
		p.Lines[i].style = 1
	}
	base := p.Lines[0]
	base.style = palette
	p.Panels = []panel{{base.Name, []curve{base}}}
	for _, c := range p.Lines[1:] {
		p.Panels = append(p.Panels, panel{c.Name, []curve{base, c}})
	}
	p.Lines = nil
}

func (p *linePlot) draw() *chart {
	c := &chart{Width: px(plotWidth), plot: p}
	if len(p.Lines) > maxCurves {
		base := p.Lines[0].Name
		p.split()
		c.Key = []keyEntry{{base, palette - 1, (palette - 1) % dashes}, {"the policy above the panel", 0, 0}}
	}
	if p.Panels == nil {
		box := frame{0, 0, plotWidth, lineHeight, lineLeft, 10, 46}
		c.Panels = []lines{p.panel(panel{"", p.Lines}, box, p.axes())}
		c.Height = px(lineHeight)
		c.Key = keyOf(p.Lines)
		return c
	}
	if c.Key == nil {
		for _, q := range p.Panels {
			if key := keyOf(q.Lines); len(key) > len(c.Key) {
				c.Key = key
			}
		}
	}
	columns := min(2, len(p.Panels))
	rows := (len(p.Panels) + columns - 1) / columns
	axes := p.axes()
	for i, q := range p.Panels {
		width := plotWidth / float64(columns)
		box := frame{float64(i%columns) * width, float64(i/columns) * panelHeight, width, panelHeight, panelLeft, panelTop,
			26}
		if i%columns == 0 { // the name of the axis stands before the first
			box.left += 14
		}
		if i+columns >= len(p.Panels) {
			box.height, box.bottom = box.height+axisName, box.bottom+axisName
		}
		l := p.panel(q, box, axes)
		if i%columns > 0 {
			l.Y = ""
		}
		if i+columns < len(p.Panels) {
			l.X = ""
		}
		c.Panels = append(c.Panels, l)
	}
	c.Height = px(float64(rows)*panelHeight + axisName)
	return c
}

// keyOf explains curves.
func keyOf(all []curve) (key []keyEntry) {
	for i, c := range all {
		n := c.number(i)
		key = append(key, keyEntry{c.Name, n % palette, n % dashes})
	}
	return key
}

func (c *curve) number(place int) int {
	if c.style > 0 {
		return c.style - 1
	}
	return place
}

// frame is where a panel lies, and how much of it is around the curves.
type frame struct{ x, y, width, height, left, top, bottom float64 }

// axes are the axes of all panels.
type axes struct {
	x, y           scale
	xMarks, yMarks []float64
}

func (p *linePlot) axes() axes {
	left, right, top := math.Inf(1), math.Inf(-1), p.Top
	see := func(all []curve) {
		for _, c := range all {
			for _, q := range c.Points {
				left, right, top = min(left, q.X), max(right, q.X), max(top, q.Y)
			}
		}
	}
	see(p.Lines)
	for _, q := range p.Panels {
		see(q.Lines)
	}
	a := axes{x: scale{from: left, to: right, log: p.Log}, xMarks: p.AtX, yMarks: ticks(top, 5)}
	if a.xMarks == nil {
		a.xMarks = ticks(right, 5)
		a.x.from, a.x.to = 0, max(right, a.xMarks[max(0, len(a.xMarks)-2)])
	} else {
		a.x.from, a.x.to = min(left, a.xMarks[0]), max(right, a.xMarks[len(a.xMarks)-1])
	}
	a.y = scale{from: 0, to: a.yMarks[len(a.yMarks)-1]}
	return a
}

// panel draws curves into a frame.
func (p *linePlot) panel(q panel, box frame, a axes) lines {
	right, bottom := box.width-16, box.height-box.bottom
	x, y := a.x, a.y
	x.start, x.end = box.left+6, right-6
	y.start, y.end = bottom, box.top
	l := lines{
		AtX: px(box.x), AtY: px(box.y), Title: trace.Shorten(q.Title, int((right-box.left)/7)),
		Left: px(box.left), Right: px(right), Top: px(box.top), Bottom: px(bottom),
		TickY: px(bottom + 16), NameY: px(box.height - 8), Mid: px((box.left + right) / 2),
		MidY: px((box.top + bottom) / 2), X: p.X, Y: p.Y,
	}
	l.XTicks = p.xTicks(x, a.xMarks, right)
	last := math.Inf(1)
	for _, m := range a.yMarks {
		if at := y.at(m); last-at >= 15 {
			l.YTicks = append(l.YTicks, tickMark{px(at), tick(m)})
			last = at
		}
	}
	for i, c := range q.Lines {
		n := c.number(i)
		s := curveShape{Name: c.Name, Series: n % palette, Dash: n % dashes}
		var path strings.Builder
		for j, q := range c.Points {
			path.WriteString([]string{"M", "L"}[min(j, 1)] + px(x.at(q.X)) + " " + px(y.at(q.Y)))
			if p.Marked {
				s.Marks = append(s.Marks, markShape{px(x.at(q.X)), px(y.at(q.Y)), c.Name + ", " + p.X + " " + p.word(q.X) +
					": " + significant(q.Y)})
			}
		}
		s.Path = path.String()
		l.Curves = append(l.Curves, s)
	}
	return l
}

// xTicks leaves out ticks that stand too close to be read.
func (p *linePlot) xTicks(x scale, marks []float64, right float64) []tickMark {
	var all []tickMark
	last := math.Inf(-1)
	for _, m := range marks {
		text := trace.Shorten(p.word(m), 12)
		half := float64(len([]rune(text))) * digitWidth / 2
		if at := x.at(m); at-last >= 44 && at >= x.start-1 && at+half <= right+16 {
			all = append(all, tickMark{px(at), text})
			last = at
		}
	}
	return all
}

// word is a value of the horizontal axis as text.
func (p *linePlot) word(x float64) string {
	if p.Words != nil {
		return p.Words[int(x)]
	}
	return tick(x)
}

// data are the points as a table: of each panel and curve, point by point.
func (p *linePlot) data() *grid {
	g := &grid{Header: []string{"panel", "curve", p.X, p.Y}, Text: 2}
	panels := p.Panels
	if panels == nil {
		panels = []panel{{"", p.Lines}}
	}
	number := func(x float64) string { return decimalsOf(x) }
	for _, q := range panels {
		for _, c := range q.Lines {
			for _, at := range c.Points {
				x := number(at.X)
				if p.Words != nil {
					x = p.word(at.X)
				}
				g.Rows = append(g.Rows, []string{q.Title, c.Name, x, number(at.Y)})
			}
		}
	}
	if p.Panels == nil {
		g.Header, g.Text = g.Header[1:], 1
		for i := range g.Rows {
			g.Rows[i] = g.Rows[i][1:]
		}
	}
	return g
}
