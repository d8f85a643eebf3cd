package reproduce

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gpureplay/model"
	"gpureplay/replay"
)

// Table is one table of figures.
type Table struct {
	Name   string // paper and experiment
	Title  string
	Header []string
	Rows   [][]Cell // as long as Header
	Points []Point  // its figures, by column
}

// Cell is one entry: a value for machines (string, float64 or nil) and its text.
type Cell struct {
	Value any
	Text  string
}

func text(s string) Cell { return Cell{s, s} }

// number is a figure with a unit; not a number is none.
func number(v float64, digits int, unit string) Cell {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return Cell{nil, "-"}
	}
	s := strconv.FormatFloat(v, 'f', digits, 64)
	if unit != "" {
		s += " " + unit
	}
	return Cell{v, s}
}

// difference is ours against the paper's, in points where the paper's are.
func (c *Column) difference(ours, theirs float64) Cell {
	if d := ours - theirs; c.Points && !math.IsNaN(d) {
		return Cell{d, fmt.Sprintf("%+.3f", d)}
	}
	return difference(ours, theirs, c.Unit)
}

// difference is ours against the paper's (choice 2).
func difference(ours, theirs float64, unit string) Cell {
	switch {
	case math.IsNaN(ours) || math.IsNaN(theirs):
		return Cell{nil, "-"}
	case unit == "%" && math.Abs(ours-theirs) < 0.05:
		return Cell{ours - theirs, "none"}
	case unit == "%":
		return Cell{ours - theirs, fmt.Sprintf("%+.1f points", ours-theirs)}
	}
	d := 100 * (ours/theirs - 1)
	if math.Abs(d) < 0.05 {
		return Cell{d, "none"}
	}
	return Cell{d, fmt.Sprintf("%+.1f %%", d)}
}

// outcome turns the runs into tables.
func (p *plan) outcome(paper *Paper) (*Outcome, error) {
	o := &Outcome{Missing: p.missing}
	entries := map[string]map[string][]float64{} // experiment, column: by row
	counts := map[string][]bool{}                // experiment: rows that count in means
	rows := map[string][]string{}
	partial := false
	for _, t := range p.tables {
		var table Table
		counts[t.Name] = t.counts()
		table, entries[t.Name] = t.table(paper.Name, counts[t.Name])
		o.Tables = append(o.Tables, table)
		o.Times = append(o.Times, table.Name+": "+t.seconds())
		partial = partial || len(t.rows) < t.all
		for _, r := range t.rows {
			rows[t.Name] = append(rows[t.Name], r.workload.Name)
		}
	}
	for i := range o.Tables {
		o.Tables[i].publish(paper.Claims)
	}
	var err error
	if o.Published, err = paper.claims(entries, rows, counts, partial); err != nil {
		return nil, err
	}
	for _, u := range p.units {
		for _, r := range u.results {
			for _, v := range r.Violations {
				o.Violations = append(o.Violations, fmt.Sprintf("%s: cycle %d, %s: %s", u.name, v.Time, v.Rule, v.What))
			}
		}
	}
	return o, nil
}

// table is an experiment's, with the figures of each column by row.
func (t *planned) table(paper string, counts []bool) (Table, map[string][]float64) {
	out := Table{Name: paper + "/" + t.Name, Title: t.Title, Header: []string{t.Head}}
	if len(t.rows) < t.all {
		out.Title += fmt.Sprintf(" (%d of %d rows)", len(t.rows), t.all)
	}
	figures := map[string][]float64{}
	for i := range t.rows {
		name := text(t.rows[i].workload.Name)
		if !counts[i] {
			name.Text += notCounted
		}
		out.Rows = append(out.Rows, []Cell{name})
	}
	mean := []Cell{text("mean")}
	if t.Counts != nil {
		out.Title += " (*: its parents do not fill the GPU)"
		mean[0] = text(fmt.Sprintf("mean of the %d that fill the GPU", len(those(make([]float64, len(counts)), counts))))
	}
	for ci := range t.Columns {
		c := &t.Columns[ci]
		out.Header = append(out.Header, c.Name)
		if c.Published != nil {
			out.Header = append(out.Header, c.Name+": "+c.Where, c.Name+": difference")
		}
		var values []float64
		for i := range t.rows {
			row := t.row(&t.rows[i])
			v := c.Of(&row)
			values = append(values, v)
			out.Rows[i] = append(out.Rows[i], number(v, c.Digits, c.Unit))
			theirs, ok := c.Published[row.Workload.Name]
			if !ok {
				theirs = none
			}
			out.Points = append(out.Points, Point{Row: row.Workload.Name, Column: c.Name, Unit: c.Unit, Here: v,
				Paper: theirs, Where: c.Where})
			if c.Published == nil {
				continue
			}
			out.Rows[i] = append(out.Rows[i], number(theirs, c.Digits, c.Unit), c.difference(v, theirs))
		}
		figures[c.Name] = values
		mean = append(mean, t.mean(c, those(values, counts))...)
		if v, n := reduce(those(values, counts), MeanRow, t.meanOf(c)); t.Mean != NoMean && c.Mean && n > 0 {
			out.Points = append(out.Points, Point{Row: MeanRow, Column: c.Name, Unit: c.Unit, Here: v, Paper: none})
		}
	}
	if t.Mean != NoMean {
		out.Rows = append(out.Rows, mean)
	}
	return out, figures
}

// notCounted marks a row that does not count in means.
const notCounted = " *"

// counts says which rows count in means.
func (t *planned) counts() []bool {
	all := make([]bool, len(t.rows))
	for i := range t.rows {
		row := t.row(&t.rows[i])
		all[i] = t.Counts == nil || t.Counts(&row)
	}
	return all
}

// those returns the values that count.
func those(values []float64, counts []bool) []float64 {
	var some []float64
	for i, v := range values {
		if counts[i] {
			some = append(some, v)
		}
	}
	return some
}

// mean is the line below a column.
func (t *planned) mean(c *Column, values []float64) []Cell {
	cells := []Cell{text("")}
	if c.Published != nil {
		cells = append(cells, text(""), text(""))
	}
	if !c.Mean {
		return cells
	}
	v, n := reduce(values, MeanRow, t.meanOf(c))
	cells[0] = number(v, c.Digits, c.Unit)
	if n > 0 && n < len(values) {
		cells[0].Text += fmt.Sprintf(" of %d", n)
	}
	return cells
}

// row gathers the runs of a row by label.
func (t *planned) row(r *plannedRow) Row {
	row := Row{Workload: r.workload, runs: map[string]*replay.Result{}, config: r.config, work: r.work.work,
		times: map[string][]window{}, took: map[string]map[model.Time]float64{}, made: map[string]map[string]float64{}}
	for label, u := range r.units {
		_, variant, _ := strings.Cut(label, "@")
		row.times[label], row.took[label], row.made[label] = u.times, u.took, u.made
		for i, x := range u.results {
			name := x.Policy
			switch {
			case i == len(u.results)-1:
				name = label
			case variant != "":
				name += "@" + variant
			}
			row.runs[name] = x
		}
	}
	return row
}

// claims sets the published figures beside ours.
func (p *Paper) claims(entries map[string]map[string][]float64, rows map[string][]string, counts map[string][]bool,
	partial bool) (Table, error) {
	out := Table{Name: p.Name + "/published", Title: "Published figures beside ours",
		Header: []string{"figure", "in the paper", "paper", "here", "difference"}}
	if partial {
		out.Title += ", over the rows that ran"
	}
	missing := 0
	for i := range p.Claims {
		c := &p.Claims[i]
		var ours float64
		switch {
		case c.Of != nil:
			var err error
			if ours, err = c.Of(); err != nil {
				return out, err
			}
		case entries[c.Experiment] == nil:
			continue
		default:
			values := entries[c.Experiment][c.Column]
			if c.Row == MeanRow {
				values = those(values, counts[c.Experiment])
			}
			ours = p.entry(c, values, rows[c.Experiment])
		}
		if math.IsNaN(ours) {
			missing++
			continue
		}
		theirs := number(c.Published, c.Digits, c.Unit)
		theirs.Text = relationNames[c.Relation] + theirs.Text
		out.Rows = append(out.Rows, []Cell{text(c.What), text(c.Where), theirs, number(ours, c.Digits, c.Unit),
			c.verdict(ours)})
	}
	if missing > 0 {
		out.Title += fmt.Sprintf(" (%d whose rows did not run are left out)", missing)
	}
	return out, nil
}

// entry is the figure of an experiment that a claim speaks of.
func (p *Paper) entry(c *Claim, values []float64, rows []string) float64 {
	switch c.Row {
	case MeanRow, LeastRow, MostRow:
		e := p.experiment(c.Experiment)
		v, _ := reduce(values, c.Row, e.meanOf(e.column(c.Column)))
		return v
	}
	for i, name := range rows {
		if name == c.Row {
			return values[i]
		}
	}
	return none
}

// verdict is the difference, or whether a bound holds.
func (c *Claim) verdict(ours float64) Cell {
	if c.Relation == Equal || math.IsNaN(ours) {
		return difference(ours, c.Published, c.Unit)
	}
	if (c.Relation == Below) == (ours < c.Published) && ours != c.Published {
		return text("holds")
	}
	return text("fails")
}
