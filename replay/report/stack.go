package report

import "gpureplay/trace"

// stackPlot is a bar of shares for each policy.
type stackPlot struct {
	What  string // that a bar is the whole of
	Names []string
	rows  []stackRow
}

type stackRow struct {
	label  string
	shares []float64
}

// stack is a drawn stack plot.
type stack struct {
	What, Width, Height, Bottom, AxisY, Mid string
	Ticks                                   []tickMark
	Rows                                    []stackShape
	Key                                     []keyEntry
}

type stackShape struct {
	Label, Full, LabelX, TextY string
	Parts                      []partShape
}

type partShape struct {
	X, Y, W, H, Tip string
	Series          int
}

// keyEntry explains a colour.
type keyEntry struct {
	Name   string
	Series int // of the palette
	Dash   int
}

func (p *stackPlot) add(label string, shares []float64) {
	p.rows = append(p.rows, stackRow{label, shares})
}

func (p *stackPlot) draw() *stack {
	x := scale{0, 1, labelWidth, plotWidth - 36, false}
	bottom := float64(len(p.rows)) * rowHeight
	s := &stack{
		What: p.What, Width: px(plotWidth), Height: px(bottom + axisHeight + 12), Bottom: px(bottom),
		AxisY: px(bottom + 14), Mid: px((x.start + x.end) / 2),
	}
	for i := 0; i <= 100; i += 20 {
		s.Ticks = append(s.Ticks, tickMark{px(x.at(float64(i) / 100)), decimals(float64(i), 0) + " %"})
	}
	used := make([]bool, len(p.Names))
	for i, r := range p.rows {
		y := float64(i) * rowHeight
		shape := stackShape{Label: trace.ShortenMiddle(r.label, maxLabel), Full: r.label, LabelX: px(labelWidth - 8),
			TextY: px(y + rowHeight/2 + 4)}
		at := 0.0
		for j, share := range r.shares {
			if share > 0 {
				used[j] = true
				shape.Parts = append(shape.Parts, partShape{
					X: px(x.at(at)), Y: px(y + 3), W: px(x.at(at+share) - x.at(at)), H: px(rowHeight - 6),
					Tip: r.label + ", " + p.Names[j] + ": " + decimals(share*100, 1) + " %", Series: j,
				})
			}
			at += share
		}
		s.Rows = append(s.Rows, shape)
	}
	for j, name := range p.Names {
		if used[j] {
			s.Key = append(s.Key, keyEntry{Name: name, Series: j})
		}
	}
	return s
}
