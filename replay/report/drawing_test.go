package report

import (
	"strings"
	"testing"
)

// The base's value, 1 of a speed-up, is a line through all rows; a plot without one has none.
func TestMarkOfBars(t *testing.T) {
	rows := []barRow{{label: "a", value: 1, low: 1, high: 1}, {label: "b", value: 0.5, low: 0.5, high: 0.5}}
	for _, mark := range []float64{0, 1, 2} {
		b := (&barPlot{rows: rows, mark: mark}).draw()
		if (b.Mark != "") != (mark > 0) || b.Rows[0].Base != (mark > 0) || b.Rows[1].Base {
			t.Errorf("mark %v: a line at %q, the base is %v and %v", mark, b.Mark, b.Rows[0].Base, b.Rows[1].Base)
		}
	}
}

// The vertical axis goes from 0 to its last tick, which is above all curves.
func TestAxesOfCurves(t *testing.T) {
	a := (&linePlot{Lines: []curve{{Points: []point{{1, 4}, {9, 7}}}}}).axes()
	if last := a.yMarks[len(a.yMarks)-1]; a.y.from != 0 || a.y.to != last || last < 7 {
		t.Errorf("from %v to %v, ticks %v", a.y.from, a.y.to, a.yMarks)
	}
}

// A column whose cells are all alike goes into the caption, of two rows on; one row keeps its columns.
func TestEqualColumns(t *testing.T) {
	for rows, want := range []string{1: "trace|kernels", 2: "kernels", 3: "kernels"} {
		if rows == 0 {
			continue
		}
		g := grid{Header: []string{"trace", "kernels"}, Text: 1}
		for i := range rows {
			g.Rows = append(g.Rows, []string{"t", string(rune('1' + i))})
		}
		g.dropEqual()
		if got := strings.Join(g.Header, "|"); got != want || strings.Contains(g.Caption, "trace t") != (rows > 1) {
			t.Errorf("%d rows: columns %s, caption %q", rows, got, g.Caption)
		}
	}
}

// A plot says which other settings it is of.
func TestNoteOfSettings(t *testing.T) {
	const mean = "Geometric mean over the other settings. "
	const left = "Settings that not all of these policies ran are left out. "
	for _, x := range []struct {
		c    covered
		want string
	}{
		{covered{others: 1}, ""}, {covered{others: 1, at: "a=1"}, "At a=1. "}, {covered{others: 2}, mean},
		{covered{others: 2, left: true}, mean + left}, {covered{others: 1, left: true}, ""},
	} {
		if got := x.c.note(); got != x.want {
			t.Errorf("%+v: %q, want %q", x.c, got, x.want)
		}
	}
}
