package command

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"gpureplay/replay/sweep"
)

// sweepFlags are the flags of a sweep.
type sweepFlags struct {
	output   string
	jobs     jobs
	launcher string
	dryRun   bool
	cells    string
	grid     string
	collect  bool
}

func init() { register((*app).sweepCommand) }

var sweepScripts = rowsOf("sweep_scripts", "the job scripts of a sweep", `
array string: path of the script of the cells
collect string: path of the script that collects
tasks integer: tasks of the array
cells integer: cells`)

var sweepJobs = rowsOf("sweep_jobs", "the jobs of a sweep", `
array_job string: id of the array
collect_job string: id of the collecting job
tasks integer: tasks of the array
cells integer: cells`)

func (a *app) sweepCommand() *cobra.Command {
	f := &sweepFlags{}
	c := &cobra.Command{
		Use:   "sweep SWEEP.toml",
		Short: "a grid of traces, GPUs, policies and settings, on all cores or by Slurm",
		Long: "sweep replays every combination of a TOML file, and merges each table of all cells into one file, with the\n" +
			"columns of the grid in front. A second start runs only unfinished cells. A cell is identified by its trace's\n" +
			"content, its configuration, its policy and this tool. Failed cells stop no other; they are listed at the end,\n" +
			"with exit status 1. A sweep's file:\n\n" +
			"  traces   = [\"traces/*.trace.zst\"]        # paths or patterns, from the file's folder\n" +
			"  gpus     = [\"k20c\", \"mine.toml\"]         # presets or files; default: each trace's captured GPU\n" +
			"  policies = [\"serial\", \"hyperq\", \"ppcs,guard=off\"]     # the first is the baseline; \"all\": all " +
			"that a trace can feed\n" +
			"  tables   = [\"runs\", \"ctas\", \"timeline\"]  # \"all\"; default: the small ones\n" +
			"  # baseline, format, sample, as_tasks, audit, output: as the flags of replay\n" +
			"  # sensitivity = \"launch\": as --sensitivity\n\n" +
			"  [set]                                   # keys of --set: a value, a list or a range\n" +
			"  kmu.hwqs = [1, 8, 32]\n" +
			"  host.launch_latency = { from = 0, to = 20000, step = 5000 }\n" +
			"  l2.ways = { from = 4, to = 16, factor = 2 }\n\n" +
			"  [params]                                # parameters of policies: policies that have it run with each\n" +
			"  prelude-seed = [1, 2]\n\n" +
			"  [slurm]\n" +
			"  options = [\"--partition=long\", \"--time=2:00:00\"]",
		Example: "  replay sweep sweep.toml\n  replay sweep --dry-run sweep.toml                     # list the cells\n " +
			" replay sweep --jobs=4 -o out sweep.toml\n" +
			"  replay sweep --launcher=slurm --dry-run sweep.toml    # show the scripts\n  replay sweep --launcher=slurm " +
			"sweep.toml",
		Args: exactly(1, "one TOML file"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.sweep(cmd.Context(), f, args[0]) },
	}
	s := c.Flags()
	s.StringVarP(&f.output, "output", "o", "", "`DIR` of the tables (default: the file's, or sweep-out)")
	f.jobs.register(s)
	s.StringVar(&f.launcher, "launcher", "local", "`LAUNCHER` of the cells: local, or slurm as a job array")
	s.BoolVar(&f.dryRun, "dry-run", false, "list the cells, or show the scripts for Slurm, and run nothing")
	s.StringVar(&f.cells, "cells", "", "run only these `CELLS` of the grid, by index (7 or 7-9), and merge nothing")
	s.BoolVar(&f.collect, "collect", false, "run nothing, only merge the tables of the cells that are finished")
	s.StringVar(&f.grid, "grid", "", "`HASH` that the grid must have; the scripts for Slurm use it")
	return c
}

func (a *app) sweep(ctx context.Context, f *sweepFlags, path string) error {
	if f.launcher != "local" && f.launcher != "slurm" {
		return usagef("--launcher=%s: there are local and slurm", f.launcher)
	}
	if f.collect && f.cells != "" {
		return usagef("--collect and --cells exclude each other")
	}
	file, err := sweep.Load(path)
	if err != nil {
		return err
	}
	tool, err := sweep.Tool(version())
	if err != nil {
		return err
	}
	g, err := file.Plan(ctx, version(), tool)
	if err != nil {
		return err
	}
	if f.grid != "" && f.grid != g.Hash() {
		return fmt.Errorf("%s: the grid is not the one of --grid=%s: the file, a trace or this tool has changed since",
			path, f.grid)
	}
	dir := cmp.Or(f.output, file.OutputDir(), "sweep-out")
	switch {
	case f.launcher == "slurm":
		return a.slurm(ctx, f, g, dir)
	case f.dryRun:
		return a.listCells(g, g.Cells, dir)
	}
	return a.runSweep(ctx, f, g, dir)
}

// runSweep runs the cells here, and merges their tables.
func (a *app) runSweep(ctx context.Context, f *sweepFlags, g *sweep.Grid, dir string) error {
	for _, n := range g.Notes {
		a.note("%s", n)
	}
	cells, err := f.choose(g)
	if err != nil {
		return err
	}
	out := &sweep.Outcome{Cells: len(g.Cells), Failed: g.Unfinished(dir)}
	if !f.collect {
		progress := a.progress(len(cells))
		out, err = g.Run(ctx, sweep.Options{
			Dir: dir, Jobs: int(f.jobs), Cells: cells,
			Started:  func(c *sweep.Cell) { progress.started(c.Policy) },
			Finished: func(c *sweep.Cell) { progress.finished(c.Policy) },
		})
		progress.close()
		if ctx.Err() != nil {
			return fmt.Errorf("%w: %d of %d cells are finished; the same command goes on with the rest", context.Canceled,
				out.Ran+out.Reused, out.Cells)
		}
		if err != nil {
			return err
		}
		a.note("%d cells: %d replayed now, %d finished before, %d failed", out.Cells, out.Ran, out.Reused, len(out.Failed))
	}
	if f.cells != "" {
		if a.asJSON {
			if err := a.listCells(g, cells, dir); err != nil {
				return err
			}
		}
		return a.failures(out, "")
	}
	rows, violated, err := g.Collect(ctx, dir)
	if ctx.Err() != nil {
		return fmt.Errorf("%w: the tables of %d finished cells are not merged; the same command does that",
			context.Canceled, out.Cells-len(out.Failed))
	}
	if err != nil {
		return err
	}
	out.Failed = append(out.Failed, violated...)
	if err := a.printCells(g, rows); err != nil {
		return err
	}
	if g.File.Approximate > 0 {
		a.note("sampled within %s: table metrics has half the width of each cell's interval", &g.File.Approximate)
	}
	a.note("merged tables in %s, each cell's own under %s/cells", dir, dir)
	return a.failures(out, "; the tables hold the others")
}

// choose resolves --cells.
func (f *sweepFlags) choose(g *sweep.Grid) ([]*sweep.Cell, error) {
	if f.cells == "" {
		return g.Cells, nil
	}
	first, last, isRange := strings.Cut(f.cells, "-")
	from, err := strconv.Atoi(first)
	to := from
	if isRange && err == nil {
		to, err = strconv.Atoi(last)
	}
	if err != nil || from < 0 || to < from || from >= len(g.Cells) {
		return nil, usagef("--cells=%s: want an index or a range of the grid's %d cells (0-%d)", f.cells, len(g.Cells),
			len(g.Cells)-1)
	}
	return g.Cells[from:min(to+1, len(g.Cells))], nil
}

// failures lists the cells that failed, and is the error that they come to.
func (a *app) failures(out *sweep.Outcome, others string) error {
	if len(out.Failed) == 0 {
		return nil
	}
	for _, x := range out.Failed {
		fmt.Fprintf(a.err, "cell %d, %s: %s\n", x.Cell.Index, x.Cell, oneLine(x.Err))
	}
	return fmt.Errorf("%d of %d cells failed, listed above%s", len(out.Failed), out.Cells, others)
}

// slurm shows the scripts, or hands them over.
func (a *app) slurm(ctx context.Context, f *sweepFlags, g *sweep.Grid, dir string) error {
	if f.cells != "" || f.collect {
		return usagef("--launcher=slurm takes neither --cells nor --collect")
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	s, err := g.Script(program, dir)
	if err != nil {
		return err
	}
	if f.dryRun {
		if a.asJSON {
			return a.printRows(sweepScripts, []map[string]any{{"array": s.Array, "collect": s.Collect, "tasks": s.Tasks,
				"cells": s.Cells}})
		}
		_, err = io.WriteString(a.out, strings.TrimPrefix(s.Array+"\n"+s.Collect, "\n"))
		return err
	}
	if s.Tasks == 0 {
		a.note("all cells are finished: nothing is left for Slurm")
		return a.runSweep(ctx, &sweepFlags{collect: true}, g, dir)
	}
	array, collect, err := s.Submit(ctx)
	if err != nil {
		return err
	}
	if a.asJSON {
		return a.printRows(sweepJobs, []map[string]any{{"array_job": array, "collect_job": collect, "tasks": s.Tasks,
			"cells": s.Cells}})
	}
	fmt.Fprintf(a.out, "array job %s: %d tasks for %d cells; job %s merges their tables in %s\n", array, s.Tasks,
		s.Cells, collect, dir)
	return nil
}
