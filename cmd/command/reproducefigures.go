package command

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gpureplay/internal/durable"
	"gpureplay/replay/reproduce"
)

// pick makes a figure or an experiment of a paper the only one that is run.
func (f *reproduceFlags) pick(p *reproduce.Paper, name string) error {
	if len(f.Only) > 0 {
		return usagef("--only and the figure %s: one of them", name)
	}
	var err error
	if f.figures, err = p.Named(name); err != nil {
		return usageError{err}
	}
	for _, x := range f.figures {
		f.Only = append(f.Only, x.Experiment)
	}
	return nil
}

// charts writes the figures that were requested, or each table that there is.
func (f *reproduceFlags) charts(p *reproduce.Paper, out *reproduce.Outcome) error {
	if err := os.MkdirAll(f.output, 0o777); err != nil {
		return err
	}
	for i := range out.Tables {
		t := &out.Tables[i]
		_, experiment, _ := strings.Cut(t.Name, "/")
		some := f.figures
		if some == nil {
			some = []reproduce.Figure{{Name: experiment, Experiment: experiment}}
		}
		for j := range some {
			x := &some[j]
			if x.Experiment != experiment {
				continue
			}
			name := p.Name + "-" + x.Name
			if len(some) > 1 {
				name += "-" + experiment
			}
			if err := chart(filepath.Join(f.output, name), x, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// chart writes one figure in both forms.
func chart(path string, f *reproduce.Figure, t *reproduce.Table) error {
	if err := durable.Write(path+".csv", func(w io.Writer) error { return f.WriteCSV(w, t) }); err != nil {
		return err
	}
	return durable.Write(path+".svg", func(w io.Writer) error { return f.WriteSVG(w, t) })
}

var figureRows = rowsOf("figures", "a figure or an experiment of a paper", `
paper string: its name
figure string: figures and tables of the paper that the experiment follows; empty: none
experiment string: its name
title string: one line
runs number: runs
core_seconds number: the time that they take on one core, about`)

// listFigures lists the figures and experiments of papers.
func (a *app) listFigures(papers []*reproduce.Paper, data string) error {
	rows := []map[string]any{}
	g := newGrid(a.out, "paper", "figure", "experiment", "runs", "minutes of a core, about", "title")
	for _, p := range papers {
		all, err := p.List(data)
		if err != nil {
			return err
		}
		for _, l := range all {
			g.row(l.Paper, l.Figure, l.Experiment, l.Runs, fmt.Sprintf("%.1f", l.Seconds/60), l.Title)
			rows = append(rows, map[string]any{"paper": l.Paper, "figure": l.Figure, "experiment": l.Experiment,
				"title": l.Title,
				"runs":  l.Runs, "core_seconds": l.Seconds})
		}
	}
	if a.asJSON {
		return a.printRows(figureRows, rows)
	}
	g.right(4, 5)
	g.print()
	return nil
}
