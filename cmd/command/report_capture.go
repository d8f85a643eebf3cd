package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"gpureplay/convert"
	"gpureplay/replay"
	"gpureplay/replay/analyse"
	recorded "gpureplay/replay/capture"
	"gpureplay/replay/report"
)

// tablesFor returns the folder of tables that a report is about: the input itself, or the folder for the replays of
// a capture, a trace or a folder of captures. Only a single capture has rows of `replay what-if`.
func (a *app) tablesFor(ctx context.Context, input string, side jobs) (dir string, changes []report.WhatIf, err error) {
	info, err := os.Stat(input)
	if err != nil {
		return "", nil, err
	}
	if info.IsDir() && isFolderOfTables(ctx, input) {
		return input, nil, nil
	}
	list, done, err := capturesOf(ctx, input, "", "")
	defer done()
	if err != nil {
		return "", nil, fmt.Errorf("%w, and it holds no tables: replay or sweep with -o %s first", err, input)
	}
	dir = replay.TraceName(filepath.Clean(input)) + "-report"
	a.note("replaying %d of %s into %s", len(list), input, dir)
	for _, c := range list {
		if err := a.replayInto(ctx, dir, c.path, side); err != nil {
			return "", nil, fmt.Errorf("%s: %w", c.name, err)
		}
	}
	if len(list) == 1 {
		changes, err = a.whatIfsOf(ctx, list[0].path, side)
	}
	return dir, changes, err
}

// isFolderOfTables reports whether a folder holds tables of replays or of a sweep, or nothing that could be a capture.
func isFolderOfTables(ctx context.Context, path string) bool {
	if isTables(path) {
		return true
	}
	if _, err := os.Stat(filepath.Join(path, "cells")); err == nil {
		return true
	}
	in, err := convert.Open(path, nil)
	if err != nil {
		return true
	}
	if _, err := convert.Detect(in); !errors.Is(err, convert.ErrUnknown) {
		return false
	}
	names, err := convert.CapturesIn(ctx, path)
	return err == nil && len(names) == 0
}

// replayInto replays a capture, as `replay` does by default.
func (a *app) replayInto(ctx context.Context, dir, path string, side jobs) error {
	f := &replayFlags{params: map[string]*string{}}
	c := &cobra.Command{Use: "replay"}
	c.SetContext(ctx)
	f.register(c)
	f.output, f.jobs = dir, side
	if err := f.check(); err != nil {
		return err
	}
	_, err := a.replayOne(c, f, path)
	return err
}

// whatIfsOf returns the rows of `replay what-if`; none where the trace has no recorded times.
func (a *app) whatIfsOf(ctx context.Context, path string, side jobs) ([]report.WhatIf, error) {
	r, err := a.openTrace(ctx, path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	one, err := recorded.RecordedActivity(r, path)
	if err != nil || len(one.Kernels) == 0 {
		return nil, err
	}
	bar := a.progress(0)
	all, err := analyse.RunWhatIfs(ctx, r, 0, nil, int(side), bar.done)
	bar.close()
	if err != nil {
		return nil, err
	}
	var rows []report.WhatIf
	for _, w := range all.Rows {
		rows = append(rows, report.WhatIf{Change: w.What, Ns: w.Ns, Bound: w.Bound, Limits: limitedBy(&w.Limits)})
	}
	return rows, nil
}
