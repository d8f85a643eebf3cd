package command

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gpureplay/convert"
	"gpureplay/replay/analyse"
	"gpureplay/trace/container"
)

var comparedCaptures = rowsOf("compared_captures",
	"a part of two captures: the whole, a step, a kernel, a copy or a range", `
of string: capture, step, kernel, copy or range
name string: of the part
count_a integer: occurrences in A
count_b integer: occurrences in B
time_ns_a integer: sum of the times in A
time_ns_b integer: sum of the times in B
mean_ns_a integer: mean time in A
mean_ns_b integer: mean time in B`)

// isCapture tells a capture or its trace from a folder of tables.
func isCapture(ctx context.Context, path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return err == nil
	}
	if isTables(path) {
		return false
	}
	in, err := convert.Open(path, nil)
	if err != nil {
		return false
	}
	_, err = convert.Detect(in.Until(ctx))
	return err == nil
}

// isTables reports whether a folder has tables of runs.
func isTables(path string) bool {
	for _, name := range []string{".runs", "runs", "kernels"} {
		if info, err := os.Stat(filepath.Join(path, name)); err == nil && info.IsDir() {
			return true
		}
	}
	return false
}

// compareCaptures compares the records of two captures.
func (a *app) compareCaptures(ctx context.Context, part *chooser, paths []string, most int, limit float64) error {
	var sides [2]*container.Reader
	for i, path := range paths {
		r, err := part.open(ctx, a, path)
		if err != nil {
			return err
		}
		defer r.Close()
		sides[i] = r
	}
	c, err := analyse.CompareCaptures(sides[0], sides[1])
	if err != nil {
		return fmt.Errorf("compare: %s and %s: %w", paths[0], paths[1], err)
	}
	c.A.Name, c.B.Name = paths[0], paths[1]
	if a.asJSON {
		err = a.printRows(comparedCaptures, changeRows(c))
	} else {
		a.showCaptures(c, most)
	}
	if x := c.Span.Pct(); err == nil && x > limit {
		err = fmt.Errorf("%s took %.2f %% longer than %s, more than %g %%", c.B.Name, x, c.A.Name, limit)
	}
	return err
}

// changeRows are the changes as rows for machines.
func changeRows(c *analyse.CaptureComparison) []map[string]any {
	rows := []map[string]any{}
	add := func(of string, list ...analyse.Change) {
		for i := range list {
			x := &list[i]
			if x.CountA+x.CountB == 0 {
				continue
			}
			rows = append(rows, map[string]any{"of": of, "name": x.Name, "count_a": x.CountA, "count_b": x.CountB,
				"time_ns_a": x.NsA,
				"time_ns_b": x.NsB,
				"mean_ns_a": x.MeanA(), "mean_ns_b": x.MeanB()})
		}
	}
	add("capture", c.Span)
	add("step", c.Steps)
	add("kernel", c.Kernels...)
	add("copy", c.Copies...)
	add("range", c.Ranges...)
	return rows
}

func (a *app) showCaptures(c *analyse.CaptureComparison, most int) {
	fmt.Fprintf(a.out, "A %s%s\nB %s%s\n", c.A.Name, on(c.A.GPU), c.B.Name, on(c.B.GPU))
	a.showChanges("", []analyse.Change{c.Span, c.Steps}, 2, func(s string) string { return s })
	if !differ(c) {
		fmt.Fprintln(a.out, "no kernel, copy or range differs")
	}
	var names []string
	for i := range c.Kernels {
		names = append(names, c.Kernels[i].Name)
	}
	name := a.functionNames(names)
	a.showChanges("kernel", c.Kernels, most, name)
	a.showChanges("copy", c.Copies, most, func(s string) string { return s })
	a.showChanges("kernels of range", c.Ranges, most, last)
	a.showOnly("A", c.Kernels, most, name, (*analyse.Change).Gone)
	a.showOnly("B", c.Kernels, most, name, (*analyse.Change).New)
}

// differ reports whether anything took another time or ran another number of times.
func differ(c *analyse.CaptureComparison) bool {
	for _, list := range [3][]analyse.Change{c.Kernels, c.Copies, c.Ranges} {
		for i := range list {
			if x := &list[i]; x.NsA != x.NsB || x.CountA != x.CountB {
				return true
			}
		}
	}
	return false
}

// showOnly says which kernels one capture alone has, the longest first.
func (a *app) showOnly(side string, list []analyse.Change, most int, name func(string) string,
	only func(*analyse.Change) bool) {
	var names []string
	n, ns := 0, int64(0)
	for i := range list {
		if x := &list[i]; only(x) {
			n++
			ns += x.NsA + x.NsB
			if s := name(x.Name); len(names) < most && !slices.Contains(names, s) {
				names = append(names, s)
			}
		}
	}
	if n > 0 {
		fmt.Fprintf(a.out, "only in %s: %d kernels, %s: %s\n", side, n, duration(ns), strings.Join(names, ", "))
	}
}

// last cuts a path in front.
func last(s string) string {
	if r := []rune(s); len(r) > widestName {
		return "…" + string(r[len(r)-widestName+1:])
	}
	return s
}

func on(gpu string) string {
	if gpu == "" {
		return ""
	}
	return " on " + gpu
}

// showChanges prints changes, at most so many rows.
func (a *app) showChanges(title string, list []analyse.Change, most int, name func(string) string) {
	g := newGrid(a.out, title, "runs", "A", "B", "change", "mean A", "mean B", "change")
	g.right(2, 3, 4, 5, 6, 7, 8)
	n, more := 0, 0
	for i := range list {
		x := &list[i]
		if x.CountA+x.CountB == 0 || title != "" && x.NsA == x.NsB && x.CountA == x.CountB {
			continue
		}
		if n++; n > most {
			more++
			continue
		}
		runs := commas(x.CountA)
		if x.CountA != x.CountB {
			runs += " → " + commas(x.CountB)
		}
		delta := func(a, b int64) string {
			switch {
			case x.New():
				return "new"
			case x.Gone():
				return "gone"
			case a == 0:
				return "-"
			}
			return fmt.Sprintf("%+.1f %%", 100*(float64(b)/float64(a)-1))
		}
		g.row(name(x.Name), runs, duration(x.NsA), duration(x.NsB), delta(x.NsA, x.NsB), duration(x.MeanA()),
			duration(x.MeanB()), delta(x.MeanA(), x.MeanB()))
	}
	if n == 0 {
		return
	}
	g.print()
	if more > 0 {
		fmt.Fprintf(a.out, "and %d more; -n shows them\n", more)
	}
}
