package reproduce

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Figure is a figure or a table of a paper, and the experiment that follows it.
type Figure struct {
	Name       string   // as the command takes it: fig11, table3
	Experiment string   // of the paper
	Columns    []string // of the experiment that it shows; nil: all
}

// Named returns the figures of a name, and of the experiment of that name if it is none.
// The error lists all.
func (p *Paper) Named(name string) ([]Figure, error) {
	var some []Figure
	for _, f := range p.Figures {
		if f.Name == name {
			some = append(some, f)
		}
	}
	if len(some) == 0 && p.experiment(name) != nil {
		some = []Figure{{Name: name, Experiment: name}}
	}
	if len(some) > 0 {
		return some, nil
	}
	var names []string
	for _, f := range p.Figures {
		if !slices.Contains(names, f.Name) {
			names = append(names, f.Name)
		}
	}
	return nil, fmt.Errorf("%s has no figure or experiment %q; figures: %s; experiments: %s", p.Name, name,
		strings.Join(names, ", "), strings.Join(p.Names(), ", "))
}

// Listed is a line of the list of figures.
type Listed struct {
	Paper, Figure, Experiment, Title string // Figure is "" for an experiment that follows none
	Runs                             int
	Seconds                          float64 // of one core, about: measured, or Runs at the paper's mean time of one
}

// List returns the figures and experiments of a paper, in the order of its experiments. It returns
// an error if an experiment cannot be planned.
func (p *Paper) List(data string) ([]Listed, error) {
	var all []Listed
	for i := range p.Experiments {
		e := &p.Experiments[i]
		plan, err := newPlan(p, &Options{Only: []string{e.Name}, Data: data})
		if err != nil {
			return nil, err
		}
		var names []string
		for _, f := range p.Figures {
			if f.Experiment == e.Name {
				names = append(names, f.Name)
			}
		}
		each := p.SecondsPerRun
		if e.Large {
			each *= largeRuns
		}
		seconds := e.Seconds
		if seconds == 0 {
			seconds = each * float64(len(plan.units))
		}
		all = append(all, Listed{p.Name, strings.Join(names, ", "), e.Name, e.Title, len(plan.units), seconds})
	}
	return all, nil
}

// largeRuns is how many times as long a run of a large experiment takes, about.
const largeRuns = 20

// Point is one figure of a table, with the published one beside it where there is one.
type Point struct {
	Row, Column, Unit string
	Here, Paper       float64 // not a number: there is none
	Where             string  // in the paper
}

// publish sets the published figures of an experiment's claims beside its points.
func (t *Table) publish(claims []Claim) {
	_, experiment, _ := strings.Cut(t.Name, "/")
	for i := range claims {
		c := &claims[i]
		if c.Experiment != experiment || c.Relation != Equal {
			continue
		}
		for j := range t.Points {
			if p := &t.Points[j]; p.Row == c.Row && p.Column == c.Column {
				p.Paper, p.Where = c.Published, c.Where
			}
		}
	}
}

// Of returns the points of a figure that have a figure of ours, and how many have none.
func (f *Figure) Of(t *Table) (some []Point, without int) {
	for _, p := range t.Points {
		switch {
		case f.Columns != nil && !slices.Contains(f.Columns, p.Column):
		case math.IsNaN(p.Here):
			without++
		default:
			some = append(some, p)
		}
	}
	return some, without
}
