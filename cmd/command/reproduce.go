package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"gpureplay/replay/reproduce"
)

// reproduceFlags are the flags of reproduce.
type reproduceFlags struct {
	reproduce.Options
	jobs     jobs
	markdown bool
	list     bool
	into     string
	output   string // folder of charts
	figures  []reproduce.Figure
}

func init() { register((*app).reproduceCommand) }

var paperRows = rowsOf("papers", "a paper", `
paper string: its name
title string: its subject
experiments array: names of its experiments`)

func (a *app) reproduceCommand() *cobra.Command {
	f := &reproduceFlags{}
	c := &cobra.Command{
		Use:   "reproduce [PAPER [FIGURE]]",
		Short: "run the experiments of a paper, its published figures beside ours",
		Long: `reproduce makes the workloads of a paper and runs them, audited, under its policies on its
machine. It prints its tables and figures, and last its published figures beside ours with
the difference. Without a paper it lists the papers. Nothing is tuned to a paper;
docs/policies has the reasons of differences.

A whole paper takes minutes, with --large more; the times of rows are noted below the
tables. A figure, a table (fig11, table3) or an experiment behind the paper's name runs
alone. --list names them with their times. With -o each is written as CSV and as a chart
(SVG), published beside measured.`,
		Example: "  replay reproduce\n  replay reproduce --list dtbl\n  replay reproduce dtbl fig11 -o charts\n  replay " +
			"reproduce --quick spawn\n  replay reproduce --data=inputs --markdown dtbl > dtbl.md",
		Args: between(0, 2, "at most one paper and one figure of it"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.reproduced(cmd.Context(), f, args) },
	}
	s := c.Flags()
	s.BoolVar(&f.Quick, "quick", false, "only some small workloads: seconds")
	s.BoolVar(&f.Large, "large", false, "also the experiments whose inputs are large: an hour or so")
	s.StringSliceVar(&f.Only, "only", nil, "only these `EXPERIMENTS`, separated by commas, large ones too")
	s.StringVar(&f.Data, "data", os.Getenv("REPLAY_DATA"), "`DIR` of real inputs (default $REPLAY_DATA)")
	f.jobs.register(s)
	s.BoolVar(&f.markdown, "markdown", false, "tables as Markdown")
	s.BoolVar(&f.list, "list", false, "list the figures, tables and experiments of the paper, or of all, and the "+
		"time that they take on one core")
	s.StringVarP(&f.output, "output", "o", "", "write each figure to this `DIR` as CSV and as a chart (SVG)")
	s.StringVar(&f.into, "into", "", "write each table to its place in a Markdown `FILE` instead, between the lines "+
		"<!-- PAPER/TABLE --> and <!-- /PAPER/TABLE -->")
	return c
}

// reproduced lists, runs or draws, as the arguments say.
func (a *app) reproduced(ctx context.Context, f *reproduceFlags, args []string) error {
	if len(args) == 0 && f.list {
		return a.listFigures(reproduce.Papers(), f.Data)
	}
	if len(args) == 0 {
		return a.listPapers()
	}
	p, err := reproduce.Get(args[0])
	if err != nil {
		return usageError{err}
	}
	if f.list {
		return a.listFigures([]*reproduce.Paper{p}, f.Data)
	}
	if len(args) == 2 {
		if err := f.pick(p, args[1]); err != nil {
			return err
		}
	}
	if err := f.check(a, p); err != nil {
		return err
	}
	return a.reproduce(ctx, p, f)
}

// check refuses flags that do not go together, and experiments that there are not.
func (f *reproduceFlags) check(a *app, p *reproduce.Paper) error {
	for _, name := range f.Only {
		if !slices.Contains(p.Names(), name) {
			return usagef("no experiment %q of %s; there are: %s", name, p.Name, strings.Join(p.Names(), ", "))
		}
	}
	switch {
	case f.markdown && a.asJSON:
		return usagef("--markdown and --json: one of them")
	case f.into != "" && (f.markdown || a.asJSON):
		return usagef("--into writes Markdown to a file: neither --markdown nor --json goes with it")
	case f.into != "" && f.Quick:
		return usagef("--into and --quick: the file would lose rows")
	}
	return nil
}

// tables are the tables that go into a file. Where the experiments that ran do not have all published figures, their
// table is left out, since it would lose rows.
func (f *reproduceFlags) tables(p *reproduce.Paper, out *reproduce.Outcome) []reproduce.Table {
	if len(f.Only) > 0 && len(out.Published.Rows) < len(p.Claims) {
		return out.Tables
	}
	return append(out.Tables, out.Published)
}

// reproduce runs the experiments of a paper and shows their tables.
func (a *app) reproduce(ctx context.Context, p *reproduce.Paper, f *reproduceFlags) error {
	bar := a.progress(0)
	f.Done, f.Workers = bar.done, int(f.jobs)
	out, err := reproduce.Run(ctx, p, f.Options)
	bar.close()
	switch {
	case err != nil:
		return err
	case f.into != "" && len(out.Missing) > 0:
		return fmt.Errorf("--into %s: it would lose rows whose inputs are not under --data: %s", f.into,
			strings.Join(out.Missing, ", "))
	case f.into != "":
		err = into(f.into, f.tables(p, out))
	default:
		err = a.printTables(append(out.Tables, out.Published), f.markdown)
	}
	if err == nil && f.output != "" {
		err = f.charts(p, out)
	}
	if err != nil {
		return err
	}
	for _, t := range out.Times {
		a.note("%s", t)
	}
	for _, m := range out.Missing {
		a.note("without %s: no such file under --data", m)
	}
	if n := len(out.Violations); n > 0 {
		return fmt.Errorf("the auditor found %d violations, the first: %s", n, out.Violations[0])
	}
	return nil
}

func (a *app) listPapers() error {
	rows := []map[string]any{}
	g := newGrid(a.out, "paper", "subject", "experiments")
	for _, p := range reproduce.Papers() {
		names := p.Names()
		g.row(p.Name, p.Title, strings.Join(names, ", "))
		rows = append(rows, map[string]any{"paper": p.Name, "title": p.Title, "experiments": names})
	}
	if a.asJSON {
		return a.printRows(paperRows, rows)
	}
	g.print()
	return nil
}

// printTables shows tables one below the other.
func (a *app) printTables(tables []reproduce.Table, markdown bool) error {
	if a.asJSON {
		rows := []map[string]any{}
		for i := range tables {
			rows = append(rows, jsonRows(&tables[i])...)
		}
		return a.printJSON(rows)
	}
	for i := range tables {
		t := &tables[i]
		if len(t.Rows) == 0 {
			continue
		}
		if i > 0 {
			fmt.Fprintln(a.out)
		}
		fmt.Fprintf(a.out, "%s: %s\n", t.Name, t.Title)
		if markdown {
			fmt.Fprintln(a.out)
		}
		printTable(a.out, t, markdown)
	}
	return nil
}

// printTable writes one table; words stand left, figures right.
func printTable(out io.Writer, t *reproduce.Table, markdown bool) {
	header := make(table.Row, len(t.Header))
	for i, h := range t.Header {
		header[i] = h
	}
	g := newGrid(out, header...)
	var right []int
	for i := range t.Header {
		if i > 0 && t.Name[strings.LastIndexByte(t.Name, '/'):] != "/published" || i > 1 {
			right = append(right, i+1)
		}
	}
	g.right(right...)
	for _, r := range t.Rows {
		row := make([]any, len(r))
		for i, c := range r {
			row[i] = c.Text
		}
		g.row(row...)
	}
	if markdown {
		g.markdown()
		return
	}
	g.print()
}

// jsonRows are the rows of one table, keys as its columns.
func jsonRows(t *reproduce.Table) []map[string]any {
	var rows []map[string]any
	for _, r := range t.Rows {
		m := map[string]any{"table": t.Name}
		for i, c := range r {
			m[t.Header[i]] = c.Value
		}
		rows = append(rows, m)
	}
	return rows
}
