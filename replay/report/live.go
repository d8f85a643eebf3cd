package report

// Live are the scripts and styles, by their paths, that a page loads from the server that serves it: they make its
// tables sortable and its plots zoomable. A page without scripts shows the same.
type Live struct{ Scripts, Styles []string }

// curves are the points of a plot.
type curves struct {
	ID     string      `json:"id"`
	X      string      `json:"x"`
	Y      string      `json:"y"`
	Log    bool        `json:"log"`
	Words  []string    `json:"words"` // of whole numbers of the horizontal axis; none: it has numbers
	Panels []liveCurve `json:"curves"`
}

// liveCurve is one curve. Series and Dash are the drawn plot's.
type liveCurve struct {
	Name   string       `json:"name"`
	Series int          `json:"series"`
	Points [][2]float64 `json:"points"`
}

// curves are the curves of all line plots of a page.
func (p *page) curves() []curves {
	all := []curves{}
	for _, s := range p.Sections {
		for _, f := range s.Figures {
			if f.Line != nil {
				all = append(all, f.Line.plot.live(f.ID))
			}
		}
	}
	return all
}

func (p *linePlot) live(id string) curves {
	out := curves{ID: id, X: p.X, Y: p.Y, Log: p.Log, Words: p.Words}
	add := func(prefix string, lines []curve) {
		for i, c := range lines {
			l := liveCurve{Name: prefix + c.Name, Series: c.number(i) % palette, Points: [][2]float64{}}
			for _, q := range c.Points {
				l.Points = append(l.Points, [2]float64{q.X, q.Y})
			}
			out.Panels = append(out.Panels, l)
		}
	}
	add("", p.Lines)
	for i, q := range p.Panels {
		prefix := q.Title + ": "
		lines := q.Lines
		switch {
		case len(lines) == 1 && lines[0].Name == q.Title:
			prefix = "" // the baseline's own panel
		case len(lines) == 2 && lines[1].Name == q.Title:
			own := lines[1] // the baseline is the first panel's
			own.style = i + 1
			prefix, lines = "", []curve{own}
		}
		add(prefix, lines)
	}
	return out
}
