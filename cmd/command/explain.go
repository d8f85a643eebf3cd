package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"gpureplay/policies"
	"gpureplay/replay"
	"gpureplay/replay/analyse"
	"gpureplay/trace/container"
)

func init() { register((*app).explainCommand) }

var explainedCycles = rowsOf("explained_cycles", "a resource or latency that was left out", `
switch string: its name
without string: the same in words
cycles integer: cycles without it
change_pct number: cycles without it over those with it, less 100 %`)

func (a *app) explainCommand() *cobra.Command {
	f := &replayFlags{params: map[string]*string{}}
	against, edges := "", false
	c := &cobra.Command{
		Use:   "explain TRACE",
		Short: "where the cycles go, or why one policy is faster than another",
		Long: "explain replays a trace under one policy on its machine, then once for each resource and latency without\n" +
			"that one. It prints the change of cycles, the largest first. Effects overlap, so they do not add up.\n\n" +
			"With --against it compares two policies. It switches their decisions one at a time, in the order host, launch,\n" +
			"admission, dependency, cta, warp, machine. It also splits both times into waiting for copies, gaps, kernels\n" +
			"and the rest. Both lists of changes add up to the difference.\n\n" +
			"With --edges it looks at the boundary between each kernel and the next of its stream. It replays the trace in\n" +
			"streams, as graphs, with programmatic launches whose triggers stand at several places, as a megakernel, and\n" +
			"without boundaries. " +
			"It prints how much each edge gains and where its trigger belongs. -o writes the same as the table edges.",
		Example: "  replay explain trace.zst\n  replay explain --gpu=rtx3070 --policy=hyperq trace.zst\n" +
			"  replay explain --policy=ppcs --against=serial trace.zst\n  replay explain --edges trace.zst",
		Args: exactly(1, "one trace"),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := f.open(cmd.Context(), a, args[0])
			if err != nil {
				return err
			}
			defer r.Close()
			switch {
			case f.output != "" && !edges:
				return usagef("explain: -o writes the table edges; give --edges too")
			case edges && against != "":
				return usagef("explain: --edges and --against are two questions; give one")
			case edges:
				return a.explainEdges(cmd, f, r, args[0])
			case against != "":
				return a.explainAgainst(cmd, f, r, against)
			}
			return a.explain(cmd, f, r)
		},
	}
	f.registerMachine(c.Flags())
	f.jobs.register(c.Flags())
	c.Flags().StringVar(&against, "against", "", "`POLICY` that --policy is compared with")
	c.Flags().BoolVar(&edges, "edges", false, "the boundaries between kernels: gaps, and the gains of graphs and of "+
		"programmatic launches, edge by edge")
	c.Flags().StringVarP(&f.output, "output", "o", "", "with --edges: `DIR` of the table edges with its gains")
	completeMachine(c)
	complete(c, "against", listed(policies.Names, false))
	return c
}

func (a *app) explain(cmd *cobra.Command, f *replayFlags, r *container.Reader) error {
	cfg, _, err := f.machine(a, r)
	if err != nil {
		return err
	}
	choices, err := f.choices(cmd, a, r, cfg)
	if err != nil {
		return err
	}
	if len(choices) != 1 {
		return usagef("explain: want one policy, got %d", len(choices))
	}
	timing, err := f.timing(r, &replay.Job{})
	if err != nil {
		return err
	}
	bar := a.progress(0)
	base, effects, err := analyse.Explain(cmd.Context(), r, cfg, choices[0], timing, int(f.jobs), bar.done)
	bar.close()
	if err != nil {
		return err
	}
	if a.asJSON {
		rows := []map[string]any{}
		for _, e := range effects {
			rows = append(rows, map[string]any{"switch": e.Name, "without": e.What, "cycles": e.Cycles, "change_pct": e.Pct})
		}
		return a.printRows(explainedCycles, rows)
	}
	fmt.Fprintf(a.out, "%s on %s: %s cycles\n", choices[0].Label, cfg.Name, commas(base))
	g := newGrid(a.out, "without", "cycles", "change")
	g.right(2, 3)
	none := 0
	for _, e := range effects {
		if e.Cycles == base {
			none++
			continue
		}
		g.row(e.What, commas(e.Cycles), fmt.Sprintf("%+.1f %%", e.Pct))
	}
	g.print()
	if none > 0 {
		fmt.Fprintf(a.out, "%d more change nothing (--json lists them)\n", none)
	}
	return nil
}
