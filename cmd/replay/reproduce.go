package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"gpureplay/replay/reproduce"
)

func (a *app) reproduceCommand() *cobra.Command {
	opt := reproduce.Options{}
	markdown := false
	c := &cobra.Command{
		Use:   "reproduce [PAPER]",
		Short: "run the experiments of a paper, its published figures beside ours",
		Long: "reproduce makes the workloads of a paper, runs them under its policies on its machine, audited, on all processors, and prints\n" +
			"its tables and figures, and last its published figures beside ours with the difference. Without a paper it lists those there are.\n" +
			"Nothing is tuned to a paper; POLICIES.md says why figures differ. The whole takes minutes, --large more.",
		Example: "  replay reproduce\n  replay reproduce --quick spawn\n  replay reproduce --data=inputs --markdown dtbl > dtbl.md",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.listPapers()
			}
			p, err := reproduce.Get(args[0])
			if err != nil {
				return usageError{err}
			}
			if markdown && a.asJSON {
				return usagef("--markdown and --json: one of them")
			}
			bar := a.progress(0)
			opt.Done = bar.done
			out, err := reproduce.Run(cmd.Context(), p, opt)
			bar.close()
			if err != nil {
				return err
			}
			if err := a.printTables(out.Tables, markdown); err != nil {
				return err
			}
			for _, m := range out.Missing {
				a.note("without %s: no such file under --data", m)
			}
			if n := len(out.Violations); n > 0 {
				return fmt.Errorf("the auditor found %d violations, the first: %s", n, out.Violations[0])
			}
			return nil
		},
	}
	f := c.Flags()
	f.BoolVar(&opt.Quick, "quick", false, "only some small workloads: seconds")
	f.BoolVar(&opt.Large, "large", false, "also the experiments whose inputs are large: an hour or so")
	f.StringVar(&opt.Data, "data", os.Getenv("REPLAY_DATA"), "`DIR` of real inputs (default $REPLAY_DATA)")
	f.IntVar(&opt.Workers, "jobs", 0, "`RUNS` at a time; 0: one for each processor")
	f.BoolVar(&markdown, "markdown", false, "tables as Markdown")
	return c
}

func (a *app) listPapers() error {
	rows := []map[string]any{}
	g := newGrid(a.out, "paper", "what it is about", "experiments")
	for _, p := range reproduce.Papers() {
		var names []string
		for i := range p.Experiments {
			names = append(names, p.Experiments[i].Name)
		}
		g.row(p.Name, p.Title, strings.Join(names, ", "))
		rows = append(rows, map[string]any{"paper": p.Name, "title": p.Title, "experiments": names})
	}
	if a.asJSON {
		return a.printJSON(rows)
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
		if i > 0 {
			fmt.Fprintln(a.out)
		}
		fmt.Fprintf(a.out, "%s: %s\n", t.Name, t.Title)
		if markdown {
			fmt.Fprintln(a.out)
		}
		a.printTable(t, markdown)
	}
	return nil
}

func (a *app) printTable(t *reproduce.Table, markdown bool) {
	header := make(table.Row, len(t.Header))
	for i, h := range t.Header {
		header[i] = h
	}
	g := newGrid(a.out, header...)
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
