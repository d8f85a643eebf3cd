package command

import (
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"gpureplay/replay"
)

func init() { register((*app).compareCommand) }

func (a *app) compareCommand() *cobra.Command {
	var most int
	limit := math.Inf(1)
	part := chooser{}
	c := &cobra.Command{
		Use:   "compare A B | OUT POLICY POLICY",
		Short: "what changed from one set of runs, or one capture, to another",
		Long: "compare pairs the runs of two folders of tables (of the same trace, machine, settings and policy; else those that alone share trace\n" +
			"and policy, or trace), or those of two policies in one folder, and prints what became of the time: for each pair, for the kernels that\n" +
			"changed most, and as geometric mean with its 95 % interval over the pairs. Runs are exact: a difference of a cycle is one.\n\n" +
			"Two captures of a profiler, or their traces, are compared by what they recorded: in all, a step of PyTorch's profiler, and by the names of\n" +
			"kernels, copies and ranges; steps count as one range, whatever their numbers.",
		Example: "  replay compare before after\n  replay compare replay-out serial ppcs\n  replay compare --max-slowdown=1 main branch    # exit status 1 where B is more than 1 % slower\n  replay compare --steps=3-5 before.json.gz after.json.gz",
		Args:    between(2, 3, "two folders, a folder and two policies, or two captures"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if math.IsNaN(limit) || most < 0 {
				return usagef("compare: --max-slowdown=%v -n %d: want per cent, and how many kernels", limit, most)
			}
			if len(args) == 2 && isCapture(args[0]) && isCapture(args[1]) {
				return a.compareCaptures(cmd.Context(), &part, args, most, limit)
			}
			if part != (chooser{}) {
				return usagef("compare: work is chosen of two captures or traces; %s are none", strings.Join(args, ", "))
			}
			var all *replay.RunComparison
			var err error
			if len(args) == 3 {
				all, err = replay.ComparePolicies(args[0], args[1], args[2])
			} else if err = folders(args[:2]); err == nil {
				all, err = replay.CompareFolders(args[0], args[1])
			}
			if err != nil {
				return err
			}
			if err := a.showComparison(all, most); err != nil {
				return err
			}
			return slower(all, limit)
		},
	}
	c.Flags().IntVarP(&most, "number", "n", 8, "`N` kernels of each pair to show")
	part.register(c.Flags())
	c.Flags().Float64Var(&limit, "max-slowdown", limit, "exit status 1 if a run of B, or B as recorded, takes more than `PERCENT` longer than A's")
	return c
}

func folders(paths []string) error {
	const takes = "compare takes two folders of tables, one and two policies, or two captures"
	file := ""
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			return fmt.Errorf("%w (%s)", err, takes)
		}
		if !info.IsDir() {
			file = p
		}
	}
	if file != "" {
		return fmt.Errorf("%s is no folder: %s", file, takes)
	}
	return nil
}

// slower is an error if a run of B is slower than is allowed.
func slower(c *replay.RunComparison, limit float64) error {
	worst, n := 0.0, 0
	for i := range c.Pairs {
		if x := c.Pairs[i].Change(); x > limit {
			worst = max(worst, x)
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d runs are more than %g %% slower, the worst by %.2f %%", n, len(c.Pairs), limit, worst)
}

func (a *app) showComparison(c *replay.RunComparison, most int) error {
	rows := []map[string]any{}
	g := newGrid(a.out, "trace", "policy", "gpu", "A", "B", "change")
	g.right(4, 5, 6)
	for i := range c.Pairs {
		p := &c.Pairs[i]
		g.row(p.A.Trace, change(p.A.Policy, p.B.Policy), change(p.A.GPU, p.B.GPU), duration(p.A.Ns), duration(p.B.Ns),
			fmt.Sprintf("%+.2f %%", p.Change()))
		rows = append(rows, map[string]any{"trace": p.A.Trace, "policy_a": p.A.Policy, "policy_b": p.B.Policy, "gpu_a": p.A.GPU, "gpu_b": p.B.GPU,
			"cycles_a": p.A.Cycles, "cycles_b": p.B.Cycles, "time_ns_a": p.A.Ns, "time_ns_b": p.B.Ns, "change_pct": p.Change(), "differs": p.Why})
	}
	if a.asJSON {
		return a.printJSON(rows)
	}
	g.print()
	if n := len(c.Pairs); n > 1 {
		fmt.Fprintf(a.out, "geometric mean of %d: %+.2f %% (95 %% interval %+.2f to %+.2f %%)\n", n, 100*(c.Ratio-1), 100*(c.Low-1), 100*(c.High-1))
	}
	for i := range c.Pairs {
		if err := a.showPair(&c.Pairs[i], most); err != nil {
			return err
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

// change shows a value that both runs share once.
func change(a, b string) string {
	if a == b {
		return a
	}
	return a + " → " + b
}

// showPair prints the differences between two runs, in total and by kernel.
func (a *app) showPair(p *replay.Pair, most int) error {
	settings, err := p.Settings()
	if err != nil {
		return err
	}
	kernels, err := p.Kernels()
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "\n%s\n", p.A.Trace)
	for _, w := range p.Why {
		fmt.Fprintf(a.out, "  %s\n", w)
	}
	if len(p.Why) == 0 {
		fmt.Fprintln(a.out, "  the same trace, policy, machine, settings and build of replay")
	}
	for i, s := range settings {
		if i == 12 {
			fmt.Fprintf(a.out, "  and %d more settings\n", len(settings)-i)
			break
		}
		fmt.Fprintf(a.out, "  %s\n", s)
	}
	g := newGrid(a.out, "  kernel", "runs", "A", "B", "change")
	g.right(2, 3, 4, 5)
	n := 0
	functions := make([]string, len(kernels))
	for i := range kernels {
		functions[i] = kernels[i].Function
	}
	name := a.functionNames(functions)
	for _, k := range kernels {
		if k.NsA == k.NsB && k.CountA == k.CountB || n == most {
			continue
		}
		n++
		delta := "-"
		if k.NsA > 0 {
			delta = fmt.Sprintf("%+.1f %%", 100*(float64(k.NsB)/float64(k.NsA)-1))
		}
		runs := commas(k.CountA)
		if k.CountA != k.CountB {
			runs += " → " + commas(k.CountB)
		}
		g.row("  "+name(k.Function), runs, duration(k.NsA), duration(k.NsB), delta)
	}
	if n > 0 {
		g.print()
	}
	return nil
}
