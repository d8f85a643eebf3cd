package command

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gpureplay/replay/analyse"
	"gpureplay/replay/table"
)

var comparedRuns = rowsOf("compared_runs", "a pair of runs", `
trace string: name of the trace
policy_a string: policy of A
policy_b string: policy of B
gpu_a string: machine of A
gpu_b string: machine of B
set_a string: settings of A that differ from its preset
set_b string: settings of B that differ from its preset
cycles_a integer: cycles of A
cycles_b integer: cycles of B
time_ns_a integer: time of A
time_ns_b integer: time of B
change_pct number: time of B over that of A, less 100 %
differs array?: sentences about the differences`)

// showComparison prints pairs of runs, and over all of them the settings and the kernels
// that differ; with verbose also the ones of each pair.
func (a *app) showComparison(c *analyse.RunComparison, most int, verbose bool) error {
	if a.asJSON {
		return a.printRows(comparedRuns, pairRows(c))
	}
	a.showPairs(c)
	common, others, err := c.Settings()
	if err != nil {
		return err
	}
	a.showSettings(common, verbose)
	kernels, err := c.Kernels()
	if err != nil {
		return err
	}
	a.showKernels(kernels, most)
	if verbose && len(c.Pairs) > 1 {
		for i := range c.Pairs {
			if err := a.showPair(&c.Pairs[i], others[i], most); err != nil {
				return err
			}
		}
	}
	for _, s := range c.OnlyA {
		fmt.Fprintf(a.out, "only in A: %s\n", s)
	}
	for _, s := range c.OnlyB {
		fmt.Fprintf(a.out, "only in B: %s\n", s)
	}
	return nil
}

// pairRows are the pairs for machines.
func pairRows(c *analyse.RunComparison) []map[string]any {
	rows := []map[string]any{}
	for i := range c.Pairs {
		p := &c.Pairs[i]
		rows = append(rows, map[string]any{"trace": p.A.Trace, "policy_a": p.A.Policy,
			"policy_b": p.B.Policy,
			"gpu_a":    p.A.GPU, "gpu_b": p.B.GPU, "set_a": cmp.Or(p.A.Set, table.Unset), "set_b": cmp.Or(p.B.Set, table.Unset),
			"cycles_a": p.A.Cycles, "cycles_b": p.B.Cycles, "time_ns_a": p.A.Ns, "time_ns_b": p.B.Ns, "change_pct": p.Change(),
			"differs": p.Why})
	}
	return rows
}

// pairColumns are the texts by which pairs differ.
var pairColumns = []struct {
	title string
	of    func(*analyse.Pair) string
}{
	{"trace", func(p *analyse.Pair) string { return change(p.A.Trace, p.B.Trace) }},
	{"policy", func(p *analyse.Pair) string { return change(p.A.Policy, p.B.Policy) }},
	{"gpu", func(p *analyse.Pair) string { return change(p.A.GPU, p.B.GPU) }},
	{"set", func(p *analyse.Pair) string {
		return change(cmp.Or(p.A.Set, table.Unset), cmp.Or(p.B.Set, table.Unset))
	}},
}

// showPairs prints the times. A text that all pairs share stands above the table, with
// the tool and the trace's content where they differ.
func (a *app) showPairs(c *analyse.RunComparison) {
	var head []any
	var columns []func(*analyse.Pair) string
	for _, column := range pairColumns {
		first := column.of(&c.Pairs[0])
		same := !slices.ContainsFunc(c.Pairs, func(p analyse.Pair) bool { return column.of(&p) != first })
		switch {
		case !same:
			head, columns = append(head, column.title), append(columns, column.of)
		case column.title != "set" || first != table.Unset:
			fmt.Fprintf(a.out, "%s: %s\n", column.title, first)
		}
	}
	for _, why := range otherReasons(c) {
		fmt.Fprintln(a.out, why)
	}
	n := len(head)
	g := newGrid(a.out, append(head, "A", "B", "change")...)
	g.right(n+1, n+2, n+3)
	same := 0
	for i := range c.Pairs {
		p := &c.Pairs[i]
		if p.A.Cycles == p.B.Cycles && p.A.Ns == p.B.Ns && len(c.Pairs) > 1 {
			same++
			continue
		}
		var cells []any
		for _, of := range columns {
			cells = append(cells, of(p))
		}
		text := fmt.Sprintf("%+.2f %%", p.Change())
		g.row(append(cells, duration(p.A.Ns), duration(p.B.Ns), a.tinted(text, float64(p.A.Ns)/float64(p.B.Ns)))...)
	}
	if same < len(c.Pairs) {
		g.print()
	}
	if same > 0 {
		fmt.Fprintf(a.out, "%d of %d runs take the same cycles on both sides\n", same, len(c.Pairs))
	}
	if n := len(c.Pairs); n > 1 && same < n {
		fmt.Fprintf(a.out, "geometric mean of %d: %+.2f %% (95 %% interval %+.2f to %+.2f %%)\n", n,
			100*(c.Ratio-1), 100*(c.Low-1), 100*(c.High-1))
	}
}

// otherReasons are the differences that are no column, each once.
func otherReasons(c *analyse.RunComparison) (all []string) {
	for i := range c.Pairs {
		for _, why := range c.Pairs[i].Why {
			if (strings.HasPrefix(why, "tool:") || strings.HasPrefix(why, "trace's content:")) && !slices.Contains(all, why) {
				all = append(all, why)
			}
		}
	}
	if len(all) == 0 && !slices.ContainsFunc(c.Pairs, func(p analyse.Pair) bool { return len(p.Why) > 0 }) {
		all = []string{"the same trace, policy, machine, settings and build of replay"}
	}
	return all
}

// mostSettings is how many settings are shown without -v.
const mostSettings = 12

// showSettings lists settings that differ. Parameters of one side's policy alone count as
// differences with -v only.
func (a *app) showSettings(list []analyse.SettingChange, verbose bool) {
	hidden := 0
	for i, s := range list {
		if !verbose && (s.OneSided() || i-hidden >= mostSettings) {
			hidden++
			continue
		}
		fmt.Fprintf(a.out, "  %s: %s → %s\n", s.Key, cmp.Or(s.A, "none"), cmp.Or(s.B, "none"))
	}
	if hidden > 0 {
		fmt.Fprintf(a.out, "  and %d settings that mostly only one side's policy has; -v lists them\n", hidden)
	}
}

// change shows a value that both runs share once.
func change(a, b string) string {
	if a == b {
		return a
	}
	return a + " → " + b
}

// showPair prints the settings and the kernels of one pair.
func (a *app) showPair(p *analyse.Pair, settings []analyse.SettingChange, most int) error {
	kernels, err := p.Kernels()
	if err != nil {
		return err
	}
	var names []string
	for _, column := range pairColumns {
		names = append(names, column.of(p))
	}
	fmt.Fprintf(a.out, "\n%s\n", strings.Join(names, ", "))
	a.showSettings(settings, true)
	a.showKernels(kernels, most)
	return nil
}

// showKernels prints the kernels that changed, at most so many.
func (a *app) showKernels(kernels []analyse.KernelChange, most int) {
	kernels = slices.DeleteFunc(kernels, func(k analyse.KernelChange) bool {
		return k.NsA == k.NsB && k.CountA == k.CountB
	})
	if len(kernels) == 0 {
		return
	}
	functions := make([]string, len(kernels))
	for i := range kernels {
		functions[i] = kernels[i].Function
	}
	name := a.functionNames(functions)
	g := newGrid(a.out, "kernel", "runs", "A", "B", "change")
	g.right(2, 3, 4, 5)
	for _, k := range kernels[:min(most, len(kernels))] {
		delta := "-"
		if k.NsA > 0 {
			delta = fmt.Sprintf("%+.1f %%", 100*(float64(k.NsB)/float64(k.NsA)-1))
		}
		g.row(name(k.Function), change(commas(k.CountA), commas(k.CountB)), duration(k.NsA), duration(k.NsB), delta)
	}
	g.print()
	if n := len(kernels) - most; n > 0 {
		fmt.Fprintf(a.out, "and %d more kernels; -n shows them\n", n)
	}
}
