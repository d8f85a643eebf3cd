package command

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"gpureplay/convert"
	"gpureplay/internal/workers"
	"gpureplay/replay/analyse"
)

var correlatedCaptures = rowsOf("correlated_captures", "a capture, recorded and replayed", `
capture string: name of the file
machine string: machine that replayed it, and its source
kernels integer: kernels
recorded_ns integer: recorded end
captured_ns integer: end under the policy captured
captured_error_pct number: the same over the recorded end, less 100 %
replayed_ns integer: end under hyperq with the host as recorded
replayed_error_pct number: the same over the recorded end, less 100 %
inverted integer: kernels that began before one in front of them in their stream
overlaps integer: kernels that began before the one in front of them had ended
overlaps_kept integer: the same, as replayed
host string: source of the host's times`)

// captures reports whether all arguments are captures or traces: each of them has
// its measured times in itself.
func captures(ctx context.Context, args []string) bool {
	for _, path := range args {
		if info, err := os.Stat(path); err != nil || info.IsDir() {
			return false
		}
		if isTrace(ctx, path) {
			continue
		}
		in, err := convert.Open(path, nil)
		if err != nil {
			return false
		}
		if _, err := convert.Detect(in.Until(ctx)); err != nil {
			return false
		}
	}
	return true
}

// correlateCaptures replays captures and prints how far the ends are from the
// recorded ones.
func (a *app) correlateCaptures(ctx context.Context, f *correlateFlags, paths []string) error {
	all := make([]*analyse.CaptureResult, len(paths))
	bar := a.progress(len(paths))
	pool := workers.Pool{Workers: int(f.jobs), Done: bar.done, Name: func(i int) string { return filepath.Base(paths[i]) }}
	err := pool.Do(ctx, len(paths), func(ctx context.Context, i int) error {
		r, err := a.openTrace(ctx, paths[i])
		if err != nil {
			return err
		}
		defer r.Close()
		if all[i], err = analyse.CorrelateCapture(ctx, r, filepath.Base(paths[i])); err != nil {
			return fmt.Errorf("%s: %w", paths[i], err)
		}
		return nil
	})
	bar.close()
	if err != nil {
		return err
	}
	if a.asJSON {
		return a.printRows(correlatedCaptures, captureRows(all))
	}
	g := newGrid(a.out, "capture", "kernels", "recorded", "captured", "error", "replayed", "error", "inverted",
		"overlaps", "kept", "host", "machine")
	g.right(2, 3, 4, 5, 6, 7, 8, 9, 10)
	for _, c := range all {
		g.row(c.Capture, commas(c.Kernels), duration(c.RecordedNs), duration(c.CapturedNs),
			fmt.Sprintf("%+.2f %%", c.CapturedPct()),
			duration(c.ReplayedNs), fmt.Sprintf("%+.1f %%", c.ReplayedPct()), commas(c.Inverted), commas(c.Overlaps),
			commas(c.Kept),
			hostOf(c), c.Machine)
	}
	g.print()
	for _, c := range all {
		for _, d := range c.Lost {
			fmt.Fprintf(a.out, "%s: %s (%s) %s: %s\n", c.Capture, d.Name, d.Severity, commas(d.Count), d.Help)
		}
	}
	return nil
}

func hostOf(c *analyse.CaptureResult) string {
	switch {
	case !c.HostTimes:
		return "not captured"
	case c.NoCall > 0:
		return fmt.Sprintf("recorded, %s without a call", commas(c.NoCall))
	}
	return "recorded"
}

func captureRows(all []*analyse.CaptureResult) []map[string]any {
	rows := []map[string]any{}
	for _, c := range all {
		rows = append(rows, map[string]any{"capture": c.Capture, "machine": c.Machine, "kernels": c.Kernels,
			"recorded_ns": c.RecordedNs,
			"captured_ns": c.CapturedNs, "captured_error_pct": c.CapturedPct(), "replayed_ns": c.ReplayedNs,
			"replayed_error_pct": c.ReplayedPct(), "inverted": c.Inverted, "overlaps": c.Overlaps,
			"overlaps_kept": c.Kept, "host": hostOf(c)})
	}
	return rows
}
