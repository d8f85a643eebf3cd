package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"gpureplay/internal/workers"
	"gpureplay/model"
	"gpureplay/policies"
	"gpureplay/replay"
	"gpureplay/replay/table"
	"gpureplay/trace/container"
)

// Options say how a grid is run.
type Options struct {
	Dir      string      // of the sweep's tables
	Jobs     int         // cells at once; 0: as many as fit
	Cells    []*Cell     // of the grid that are wanted; nil: all
	Started  func(*Cell) // called before a cell runs; may be nil
	Finished func(*Cell) // called after it, also if it failed; may be nil
}

// Outcome is the result of the cells.
type Outcome struct {
	Cells  int // that were wanted
	Reused int // were finished before
	Ran    int // finished now
	Failed []Failure
}

// Failure is one cell that did not finish, or has a finding against it.
type Failure struct {
	Cell *Cell
	Err  error
}

// Run runs the cells that are not finished yet. Cells that fail are told in the outcome, in the order of the grid,
// and stop no others. It returns an error of the folder, or ctx's error soon after ctx ends; the outcome then lists
// the finished cells.
func (g *Grid) Run(ctx context.Context, opt Options) (*Outcome, error) {
	if opt.Cells == nil {
		opt.Cells = g.Cells
	}
	out := &Outcome{Cells: len(opt.Cells)}
	if err := prepare(opt.Dir); err != nil {
		return out, err
	}
	failed := make([]error, len(opt.Cells))
	var pending [][]int // indices of cells of one key
	byKey := map[string]int{}
	for i, c := range opt.Cells {
		at, known := byKey[c.Key]
		switch {
		case c.Err != nil:
			failed[i] = c.Err
		case known:
			pending[at] = append(pending[at], i)
		case g.Finished(opt.Dir, c):
			out.Reused++
		default:
			byKey[c.Key] = len(pending)
			pending = append(pending, []int{i})
		}
	}
	g.work(ctx, opt, pending, failed, out)
	for i, err := range failed {
		if err != nil {
			out.Failed = append(out.Failed, Failure{opt.Cells[i], err})
		}
	}
	return out, ctx.Err()
}

// work runs the pending cells, opt.Jobs of them at a time. One that fails stops no
// others.
func (g *Grid) work(ctx context.Context, opt Options, pending [][]int, failed []error, out *Outcome) {
	var mu sync.Mutex
	tell := func(f func(*Cell), c *Cell) {
		if f != nil {
			f(c)
		}
	}
	pool := workers.Pool{Workers: opt.Jobs, Cost: func(i int) float64 { return opt.Cells[pending[i][0]].cost() }}
	_ = pool.Do(ctx, len(pending), func(_ context.Context, i int) error { // the end of ctx is for [Grid.Run] to tell
		c := opt.Cells[pending[i][0]]
		mu.Lock()
		tell(opt.Started, c)
		mu.Unlock()
		err := g.runCell(ctx, opt.Dir, c)
		mu.Lock()
		defer mu.Unlock()
		switch {
		case err == nil:
			out.Ran += len(pending[i])
		case ctx.Err() == nil:
			for _, cell := range pending[i] {
				failed[cell] = err
			}
		}
		tell(opt.Finished, c)
		return nil
	})
}

// cost is about how long the cell takes.
func (c *Cell) cost() float64 { return float64(c.trace.insts) * replay.Effort(c.choice) }

// cellDir is the folder of a finished cell.
func cellDir(dir, key string) string { return filepath.Join(dir, "cells", key) }

// Finished reports whether a cell's tables are in dir as they were written. Others
// are run again.
func (g *Grid) Finished(dir string, c *Cell) bool {
	at := cellDir(dir, c.Key)
	if _, err := os.Stat(at); err != nil {
		return false
	}
	files, wrong, err := table.Verify(at)
	return err == nil && len(wrong) == 0 && files > 0
}

// Unfinished returns a failure for each cell whose tables are not in dir.
func (g *Grid) Unfinished(dir string) []Failure {
	var all []Failure
	for _, c := range g.Cells {
		switch {
		case c.Err != nil:
			all = append(all, Failure{c, c.Err})
		case !g.Finished(dir, c):
			all = append(all, Failure{c, errors.New("is not finished (under Slurm the folder slurm has its log)")})
		}
	}
	return all
}

// runCell replays one cell into a partial folder, which gets its final name when
// all is written.
func (g *Grid) runCell(ctx context.Context, dir string, c *Cell) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r, err := container.Open(c.trace.path)
	if err != nil {
		return err
	}
	defer r.Close()
	if r.Hash() != c.trace.hash {
		return fmt.Errorf("%s has changed since the sweep began: start it again", c.trace.path)
	}
	temp, err := scratch(filepath.Join(dir, "cells"), c.Key)
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	f := g.File
	job := &replay.Job{
		Trace: r, Name: c.Trace, Config: c.config, Choices: []*policies.Choice{c.choice}, Alone: true, Audit: f.Audit,
		AsTasks: f.as, Approximate: float64(f.Approximate), Seed: uint64(f.Seed),
		Sample: model.SampleAuto, Output: &replay.Output{Dir: temp, Tables: f.Tables, Version: g.version},
	}
	if f.Sample > 0 {
		job.Sample = model.Time(f.Sample)
	}
	if _, err := replay.Run(ctx, job); err != nil {
		return err
	}
	at := cellDir(dir, c.Key)
	if g.Finished(dir, c) { // another process was first
		return nil
	}
	if err := os.RemoveAll(at); err != nil { // damaged, or of no manifest
		return fmt.Errorf("sweep: cannot replace a damaged cell: %w", err)
	}
	if err := os.Rename(temp, at); err != nil && !g.Finished(dir, c) {
		return fmt.Errorf("sweep: cannot give a cell its final name: %w", err)
	}
	return nil
}

// part returns the file of a table of a finished cell. A search has tables of its tries beside the policy's.
func (c *Cell) part(dir, name string) (string, error) {
	parts, err := table.Find(cellDir(dir, c.Key), name)
	if err != nil {
		return "", err
	}
	for _, p := range parts {
		if p.Policy == c.Policy {
			return p.Path, nil
		}
	}
	return "", fmt.Errorf("sweep: %s has no table %s of policy %s: remove it, and sweep again", cellDir(dir, c.Key),
		name, c.Policy)
}
