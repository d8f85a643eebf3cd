package command

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gpureplay/model"
	"gpureplay/policies"
	"gpureplay/replay"
	"gpureplay/replay/analyse"
	"gpureplay/trace/container"
)

var explainedSteps = rowsOf("explained_steps", "a policy between two others, whose decisions are switched in turn", `
policy string: the policy
against string: the policy that it is compared with
switched string: decision that this step takes over; "": none
cycles integer: cycles of the step
change_cycles integer: against the step before
waiting_for_copies_cycles integer: no kernel runs and a copy goes on, and waits of kernels for pages
gaps_between_kernels_cycles integer: no kernel runs, for launches and the host
kernels_cycles integer: sum of the durations of the host's kernels, without waits for pages
overlap_of_kernels_cycles integer: the part of durations beside other kernels, negative
children_alone_cycles integer: only kernels that the device launched run
after_the_last_kernel_cycles integer: from the end of the last kernel on`)

// explainAgainst says where the difference of two policies comes from.
func (a *app) explainAgainst(cmd *cobra.Command, f *replayFlags, r *container.Reader, against string) error {
	cfg, _, err := f.machine(a, r)
	if err != nil {
		return err
	}
	choices, err := f.choices(cmd, a, r, cfg)
	if err != nil {
		return err
	}
	others, err := policies.Parse(against, nil)
	switch {
	case err != nil:
		return usageError{fmt.Errorf("--against=%s: %w", against, err)}
	case len(choices) != 1 || len(others) != 1:
		return usagef("explain: want one policy and one that it is held against, got %d and %d", len(choices), len(others))
	case choices[0].Label == others[0].Label:
		return usagef("explain: --policy and --against are both %s", against)
	}
	timing, err := f.timing(r, &replay.Job{})
	if err != nil {
		return err
	}
	bar := a.progress(0)
	c, err := analyse.ExplainAgainst(cmd.Context(), r, cfg, choices[0], others[0], timing, int(f.jobs), bar.done)
	bar.close()
	if err != nil {
		return err
	}
	if a.asJSON {
		return a.printRows(explainedSteps, contrastRows(c))
	}
	fmt.Fprintf(a.out, "%s against %s on %s\n", c.Policy, c.Against, cfg.Name)
	a.printSteps(c)
	fmt.Fprintln(a.out)
	a.printParts(c)
	for _, sentence := range why(c) {
		fmt.Fprintln(a.out, sentence)
	}
	return nil
}

// signed writes a difference with its sign.
func signed(n model.Time) string {
	if n > 0 {
		return "+" + commas(n)
	}
	return commas(n)
}

// printSteps prints the decisions, switched one after another.
func (a *app) printSteps(c *analyse.Contrast) {
	g := newGrid(a.out, "decisions, switched in turn", "cycles", "change")
	g.right(2, 3)
	for i, s := range c.Steps {
		if i == 0 {
			g.row(c.Against, commas(s.Cycles), "")
			continue
		}
		g.row(s.Switched, commas(s.Cycles), signed(s.Change))
	}
	g.row("in all", "", signed(c.Change()))
	g.print()
}

// printParts prints the time by the work that went on.
func (a *app) printParts(c *analyse.Contrast) {
	g := newGrid(a.out, "cycles of", c.Against, c.Policy, "change")
	g.right(2, 3, 4)
	before, after := c.First().Parts.List(), c.Last().Parts.List()
	for i, p := range before {
		if p.Cycles != 0 || after[i].Cycles != 0 {
			g.row(p.Name, commas(p.Cycles), commas(after[i].Cycles), signed(after[i].Cycles-p.Cycles))
		}
	}
	g.row("in all", commas(c.First().Cycles), commas(c.Last().Cycles), signed(c.Change()))
	g.print()
}

// why are two sentences: the part of the time that changes most in the direction of the
// whole, and the decision that brings most.
func why(c *analyse.Contrast) []string {
	change := c.Change()
	if change == 0 {
		return []string{fmt.Sprintf("%s takes as long as %s, %s cycles.", c.Policy, c.Against, commas(c.Last().Cycles))}
	}
	first := difference(c.Policy, c.Against, c.First().Parts, c.Last().Parts)
	steps := slices.Clone(c.Steps[1:])
	slices.SortStableFunc(steps, func(x, y analyse.ContrastStep) int {
		if change < 0 {
			return cmp.Compare(x.Change, y.Change)
		}
		return cmp.Compare(y.Change, x.Change)
	})
	var none []string
	for _, s := range steps[1:] {
		if s.Change == 0 {
			none = append(none, s.Switched)
		}
	}
	second := fmt.Sprintf("Of the decisions, %s brings most, %s", steps[0].Switched, signed(steps[0].Change))
	if len(none) > 0 {
		second += "; nothing comes of " + strings.Join(none, ", ")
	}
	return []string{first, second + "."}
}

// difference says how much longer or shorter one policy takes than another, and which
// part of the time is the largest of it.
func difference(policy, against string, before, after replay.Parts) string {
	change, word := after.Cycles()-before.Cycles(), "more"
	if change < 0 {
		change, word = -change, "less"
	}
	part := largestPart(before, after)
	return fmt.Sprintf("%s takes %s cycles (%.1f %%) %s than %s; the largest part is %s, %s.", policy, commas(change),
		100*float64(change)/float64(before.Cycles()), word, against, part.Name, signed(part.Cycles))
}

// largestPart is the part of the cycles whose change goes furthest in the direction of the
// whole change.
func largestPart(before, after replay.Parts) (most replay.Part) {
	whole := after.Cycles() - before.Cycles()
	old := before.List()
	for i, p := range after.List() {
		p.Cycles -= old[i].Cycles
		if whole < 0 && p.Cycles < most.Cycles || whole > 0 && p.Cycles > most.Cycles {
			most = p
		}
	}
	return most
}

// contrastRows are the steps and the parts for machines.
func contrastRows(c *analyse.Contrast) []map[string]any {
	rows := []map[string]any{}
	for _, s := range c.Steps {
		row := map[string]any{"policy": c.Policy, "against": c.Against, "switched": s.Switched,
			"cycles": s.Cycles, "change_cycles": s.Change}
		for _, p := range s.Parts.List() {
			row[strings.ReplaceAll(p.Name, " ", "_")+"_cycles"] = p.Cycles
		}
		rows = append(rows, row)
	}
	return rows
}
