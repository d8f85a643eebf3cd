package command

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"gpureplay/replay/measured"
	"gpureplay/replay/table"
	"gpureplay/trace"
)

var correlatedCases = rowsOf("correlated_cases", "a measured kernel of a repository of measurements", `
gpu string: GPU of the measurement
kernel string: its name
tool string: tool that measured
ctas integer: CTAs
threads integer: threads of a CTA
iterations integer: iterations of its loop
role string: use of the case: fitted or held out
predicted number: predicted cycles
measured number: measured cycles
error_pct number?: predicted over measured, less 100 %`)

// cases reads measurements; nil if the first argument is the folder of a replay's tables.
func (f *correlateFlags) cases(args []string) (list []measured.Case, skipped measured.Skipped, err error) {
	want := map[string]string{}
	for _, w := range f.where {
		key, value, ok := strings.Cut(w, "=")
		if !ok {
			return nil, nil, usagef("--where %s: want KEY=VALUE", w)
		}
		want[key] = value
	}
	skipped = measured.Skipped{}
	for i, path := range args {
		info, err := os.Stat(path)
		if err != nil {
			return nil, nil, err
		}
		var more []measured.Case
		var no measured.Skipped
		if info.IsDir() {
			if parts, err := table.Find(path, "kernels"); i == 0 && err == nil && len(parts) > 0 {
				return nil, nil, nil
			}
			more, no, err = measured.Folder(path, want)
			if err == nil && len(more)+len(no) == 0 && len(want) == 0 {
				err = fmt.Errorf("%s has no kernels table of a replay (--tables=kernels or all), no table of measurements "+
					"(*.txt) and no capture with its measured cycles in a file gt", path)
			}
		} else {
			more, no, err = measured.Read(path, want)
		}
		if err != nil {
			return nil, nil, err
		}
		skipped.Add(no)
		list = append(list, more...)
	}
	if len(list) == 0 {
		return nil, nil, fmt.Errorf("no record of %s can be replayed%s", strings.Join(args, ", "), unknown(skipped))
	}
	if f.add != 0 {
		return nil, nil, usagef("--add is for the tables of a replay: here the machine's launch latency is part of each " +
			"prediction")
	}
	return list, skipped, nil
}

// unknown says which records were left out.
func unknown(skipped measured.Skipped) string {
	if len(skipped) == 0 {
		return ""
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(skipped)) {
		names = append(names, fmt.Sprintf("%d of %q", skipped[name], name))
	}
	return fmt.Sprintf(" (%s: no generator makes them; trace=PATH in a record says where its trace is)",
		strings.Join(names[:min(8, len(names))], ", "))
}

// correlateCases predicts cases and prints each with its error.
func (a *app) correlateCases(ctx context.Context, f *correlateFlags, cases []measured.Case,
	skipped measured.Skipped) error {
	bar := a.progress(len(cases))
	results, err := measured.Run(ctx, cases,
		&measured.Options{GPU: f.gpu, Workers: int(f.jobs), Open: a.openTrace, Done: bar.done})
	bar.close()
	if err != nil {
		return err
	}
	if a.asJSON {
		rows := []map[string]any{}
		for i := range results {
			r := &results[i]
			rows = append(rows, map[string]any{"gpu": r.GPU, "kernel": r.Kernel, "tool": r.Tool, "ctas": r.CTAs,
				"threads":    r.Threads,
				"iterations": r.Iterations, "role": r.Role, "predicted": r.Predicted, "measured": r.Cycles,
				"error_pct": errorPct(r)})
		}
		return a.printRows(correlatedCases, rows)
	}
	g := newGrid(a.out, "gpu", "kernel", "CTAs", "threads", "iterations", "role", "predicted", "measured", "error")
	g.right(3, 4, 5, 7, 8, 9)
	for i := range results {
		r := &results[i]
		iterations := "-"
		if r.Iterations > 0 {
			iterations = commas(int64(r.Iterations))
		}
		g.row(r.GPU, trace.Shorten(r.Kernel, 40), commas(int64(r.CTAs)), commas(int64(r.Threads)), iterations, r.Role,
			commas(int64(math.Round(r.Predicted))), commas(int64(math.Round(r.Cycles))), fmt.Sprintf("%+.1f %%", errorPct(r)))
	}
	g.print()
	fmt.Fprintln(a.out)
	a.printGroups(measured.Groups(results))
	if len(skipped) > 0 {
		a.note("left out%s", unknown(skipped))
	}
	return nil
}

func errorPct(r *measured.Result) float64 { return 100 * (r.Predicted/r.Cycles - 1) }

// printGroups shows the errors of groups of cases, and which of them set a preset.
func (a *app) printGroups(groups []measured.Group) {
	g := newGrid(a.out, "gpu", "kernel", "role", "cases", "mean abs. error", "median", "90th pct.", "total", "correlation")
	g.right(4, 5, 6, 7, 8, 9)
	var gpus []string
	for i := range groups {
		x := &groups[i]
		name, r := trace.Shorten(x.Kernel, 40), "-"
		if name == "" {
			name = "all that test"
		}
		if !math.IsNaN(x.Pearson) {
			r = fmt.Sprintf("%.4f", x.Pearson)
		}
		g.row(x.GPU, name, x.Role, x.Kernels, fmt.Sprintf("%.1f %%", x.MeanPct), fmt.Sprintf("%.1f %%", x.MedianPct),
			fmt.Sprintf("%.1f %%", x.P90Pct), fmt.Sprintf("%+.1f %%", x.TotalPct), r)
		gpus = append(gpus, x.GPU)
	}
	g.print()
	if s := measured.Setting(gpus); s != "" {
		fmt.Fprintln(a.out, s)
	}
}
