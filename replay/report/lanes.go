package report

import (
	"gpureplay/replay/capture"
	"gpureplay/trace"
	"math"
)

// Cells of a bar of a lane, and shades of a cell: a page stays small, however many kernels there are.
const (
	laneCells  = 240
	laneShades = 5
)

// lanePlot is a bar over time for each stream.
type lanePlot struct {
	X    string
	end  int64 // ns
	rows []laneRow
}

type laneRow struct {
	label  string
	spans  []capture.Span
	series int
}

// lanes is a drawn plot.
type lanes struct {
	Width, Height, Bottom, AxisY, Mid, X string
	Ticks                                []tickMark
	Rows                                 []laneShape
}

type laneShape struct {
	Label, Full, LabelX, TextY string
	Series                     int
	Parts                      []shadeShape
}

type shadeShape struct{ X, Y, W, H, Shade string }

func (p *lanePlot) draw() *lanes {
	marks := ticks(ms(p.end), 4)
	x := scale{0, marks[len(marks)-1], labelWidth, plotWidth - 28, false}
	bottom := float64(len(p.rows)) * rowHeight
	l := &lanes{
		Width: px(plotWidth), Height: px(bottom + axisHeight + 12), Bottom: px(bottom), AxisY: px(bottom + 14),
		Mid: px((x.start + x.end) / 2), X: p.X,
	}
	for _, m := range marks {
		l.Ticks = append(l.Ticks, tickMark{px(x.at(m)), tick(m)})
	}
	for i, r := range p.rows {
		y := float64(i) * rowHeight
		s := laneShape{Label: trace.ShortenMiddle(r.label, maxLabel), Full: r.label, LabelX: px(labelWidth - 8),
			TextY: px(y + rowHeight/2 + 4), Series: r.series}
		shades := p.shades(r.spans)
		for from := 0; from < laneCells; {
			to := from + 1
			for to < laneCells && shades[to] == shades[from] {
				to++
			}
			if n := shades[from]; n > 0 {
				left, right := x.at(ms(p.end)*float64(from)/laneCells), x.at(ms(p.end)*float64(to)/laneCells)
				s.Parts = append(s.Parts, shadeShape{px(left), px(y + 4), px(right - left), px(rowHeight - 8),
					decimals(float64(n)/laneShades, 1)})
			}
			from = to
		}
		l.Rows = append(l.Rows, s)
	}
	return l
}

// shades are how busy each part of the time is, from 0 to laneShades.
func (p *lanePlot) shades(spans []capture.Span) (all [laneCells]int) {
	var busy [laneCells]float64
	width := float64(max(1, p.end)) / laneCells
	for _, s := range spans {
		for i := max(0, int(float64(s.From)/width)); i < laneCells && float64(i)*width < float64(s.To); i++ {
			from, to := max(float64(s.From), float64(i)*width), min(float64(s.To), float64(i+1)*width)
			busy[i] += max(0, to-from) / width
		}
	}
	for i, b := range busy {
		all[i] = min(laneShades, int(math.Ceil(b*laneShades)))
	}
	return all
}
