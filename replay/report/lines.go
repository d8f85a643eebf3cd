package report

import (
	"math"
	"strings"
)

// Sizes of a line plot, in pixels of the drawing.
const (
	lineHeight = 260.0
	lineLeft   = 64.0
	lineRight  = plotWidth - 16
	lineTop    = 10.0
	lineBottom = lineHeight - 46
)

// palette is how many colours there are, dashes how many kinds of lines: curves
// that lie on each other are seen through each other's gaps, and told apart
// without colours.
const (
	palette = 8
	dashes  = 4
)

// linePlot is a curve for each policy.
type linePlot struct {
	X, Y   string // what the axes are
	Names  []string
	Marked bool // each point has a mark
	Lines  []curve
	AtX    []float64 // values of the horizontal axis that have a tick; nil: round ones from 0
	Words  []string  // of AtX, where the axis has no numbers
	Log    bool      // horizontally
}

type curve struct {
	Name   string
	Points []point
}

type point struct{ X, Y float64 }

// lines is a drawn line plot.
type lines struct {
	Width, Height, Left, Right, Top, Bottom, TickY, NameY, Mid, MidY string
	X, Y                                                             string
	XTicks, YTicks                                                   []tickMark
	Curves                                                           []curveShape
	Key                                                              []keyEntry
}

type curveShape struct {
	Path         string
	Name         string
	Series, Dash int
	Marks        []markShape
}

type markShape struct{ X, Y, Tip string }

func (p *linePlot) draw() *lines {
	left, right, top := math.Inf(1), math.Inf(-1), 0.0
	for _, c := range p.Lines {
		for _, q := range c.Points {
			left, right, top = min(left, q.X), max(right, q.X), max(top, q.Y)
		}
	}
	x := scale{left, right, lineLeft + 6, lineRight - 6, p.Log}
	marks := p.AtX
	if marks == nil {
		marks = ticks(right, 6)
		x.from, x.to = 0, max(right, marks[max(0, len(marks)-2)])
	}
	yMarks := ticks(top, 5)
	y := scale{0, yMarks[len(yMarks)-1], lineBottom, lineTop, false}
	l := &lines{
		Width: px(plotWidth), Height: px(lineHeight), Left: px(lineLeft), Right: px(lineRight), Top: px(lineTop), Bottom: px(lineBottom),
		TickY: px(lineBottom + 16), NameY: px(lineHeight - 8), Mid: px((lineLeft + lineRight) / 2), MidY: px((lineTop + lineBottom) / 2), X: p.X, Y: p.Y,
	}
	l.XTicks = p.xTicks(x, marks)
	for _, m := range yMarks {
		l.YTicks = append(l.YTicks, tickMark{px(y.at(m)), tick(m)})
	}
	for i, c := range p.Lines {
		s := curveShape{Name: c.Name, Series: i % palette, Dash: i % dashes}
		var path strings.Builder
		for j, q := range c.Points {
			path.WriteString([]string{"M", "L"}[min(j, 1)] + px(x.at(q.X)) + " " + px(y.at(q.Y)))
			if p.Marked {
				s.Marks = append(s.Marks, markShape{px(x.at(q.X)), px(y.at(q.Y)), c.Name + ", " + p.X + " " + p.word(q.X) + ": " + significant(q.Y)})
			}
		}
		s.Path = path.String()
		l.Curves = append(l.Curves, s)
		l.Key = append(l.Key, keyEntry{c.Name, s.Series, s.Dash})
	}
	return l
}

// xTicks leaves out ticks that stand too close to be read.
func (p *linePlot) xTicks(x scale, marks []float64) []tickMark {
	var all []tickMark
	last := math.Inf(-1)
	for _, m := range marks {
		if at := x.at(m); at-last >= 44 && at <= lineRight+1 {
			all = append(all, tickMark{px(at), shorten(p.word(m), 12)})
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
