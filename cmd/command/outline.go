package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"gpureplay/trace/container"
	"gpureplay/trace/outline"
)

func init() { register((*app).outlineCommand) }

var loopRows = rowsOf("loops", "an innermost loop of a trace", `
loop integer: its number
function string: device function
pc integer: address of its first instruction
latch_pc integer: address of the branch back
runs integer: times that a warp ran it
passes integer: iterations of warps
iterations integer: iterations of lanes
lanes integer: lanes that ran it
longest integer: most iterations of a lane
lanes_busy_pct number: lanes that a pass keeps busy
divergent boolean: lanes of a warp run different numbers of iterations
carried_registers integer: registers that an iteration hands to the next
cannot string: reason why it cannot become a child; "": it can`)

// outlineFlags are the flags of the command.
type outlineFlags struct {
	out              string
	loops            []int
	threshold, block uint32
	part             chooser
}

func (a *app) outlineCommand() *cobra.Command {
	f := outlineFlags{}
	c := &cobra.Command{
		Use:   "outline TRACE [-o TRACE]",
		Short: "make child launches of the loops of a flat trace, or list its loops",
		Long: `outline lists the innermost loops of a trace's kernels: the times that warps ran them, the
iterations of a lane, and the share of its lanes that a pass keeps busy.

With -o it writes the trace with loops as child launches. Each lane requests a child with a
thread for each of its iterations. So a capture of a program without launches can be
replayed under the policies for nested work (dtbl, spawn, klap, laperm, cdp). Under flat it
is the capture again. By default it takes the loops that lanes of a warp run different
numbers of times; --loops names others.

A loop with barriers, shared or local memory, exchange between lanes, exits or calls cannot
become a child. Values that one iteration passes to the next are lost (column carried:
registers). For a counter or a pointer that changes nothing; for a sum a real program would
need a reduction.`,
		Example: "  replay outline bfs.trace.zst\n  replay outline bfs.trace.zst -o dp.trace.zst\n" +
			"  replay outline --loops=2 --threshold=32 bfs.trace.zst -o dp.trace.zst\n  replay --policy=dtbl,spawn dp.trace.zst",
		Args: exactly(1, "one trace"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case f.block == 0 || f.block%32 != 0 || f.block > 1024:
				return usagef("outline: --child-block=%d: want a multiple of 32, up to 1024", f.block)
			case f.threshold == 0:
				return usagef("outline: --threshold=0: want 1 or more iterations")
			}
			r, err := f.part.open(cmd.Context(), a, args[0])
			if err != nil {
				return err
			}
			defer r.Close()
			return a.outline(cmd.Context(), r, args[0], &f)
		},
	}
	c.Flags().StringVarP(&f.out, "output", "o", "", "`TRACE` to write")
	c.Flags().IntSliceVar(&f.loops, "loops", nil, "`NUMBERS` of the loops to make children of, as listed (default: "+
		"the divergent ones)")
	c.Flags().Uint32Var(&f.threshold, "threshold", 16, "fewest `ITERATIONS` of a child that is marked as launched; a "+
		"policy may launch others")
	c.Flags().Uint32Var(&f.block, "child-block", 32, "`THREADS` of a child's CTA")
	f.part.register(c.Flags())
	return c
}

func (a *app) outline(ctx context.Context, r *container.Reader, path string, f *outlineFlags) error {
	loops, err := outline.Find(ctx, r)
	if err != nil {
		return err
	}
	if f.out == "" {
		return a.printLoops(loops)
	}
	opt := outline.Options{Threshold: f.threshold, Block: f.block}
	if opt.Loops, err = f.chosen(path, loops); err != nil {
		return err
	}
	var done outline.Written
	err = writeFile(f.out, func(to io.Writer) error {
		w, err := container.NewWriter(to, container.Options{})
		if err == nil {
			done, err = outline.Write(ctx, r, w, &opt)
		}
		if err == nil {
			err = w.Close()
		}
		return err
	})
	if err != nil {
		return err
	}
	a.note("loops made children: %d; children: %s; %s have %d iterations or more and are marked as launched",
		len(opt.Loops), commas(int64(done.Requests)), commas(int64(done.Marked)), f.threshold)
	return a.report(f.out)
}

// chosen are the loops that are named, or those that are divergent and can become
// children.
func (f *outlineFlags) chosen(path string, loops []*outline.Loop) ([]*outline.Loop, error) {
	var all []*outline.Loop
	for _, n := range f.loops {
		if n < 1 || n > len(loops) {
			return nil, fmt.Errorf("%s has no loop %d; replay outline %s lists its %d", path, n, filepath.Base(path), len(loops))
		}
		all = append(all, loops[n-1])
	}
	if len(f.loops) > 0 {
		return all, nil
	}
	for _, l := range loops {
		if l.Divergent && l.Why == "" {
			all = append(all, l)
		}
	}
	if len(all) == 0 {
		return nil, errors.New(path + " has no loop that lanes run different numbers of times and that can become a child; " +
			"without -o its loops are listed, --loops names others")
	}
	return all, nil
}

func (a *app) printLoops(loops []*outline.Loop) error {
	rows := []map[string]any{}
	g := newGrid(a.out, "loop", "function", "at", "runs", "passes a run", "iterations a lane", "longest", "lanes busy",
		"divergent", "carried",
		"cannot become a child")
	g.right(1, 3, 4, 5, 6, 7, 8, 10)
	functions := make([]string, len(loops))
	for i, l := range loops {
		functions[i] = l.Name
	}
	name := a.functionNames(functions)
	for _, l := range loops {
		passes, mean := float64(l.Passes)/float64(max(1, l.Runs)), float64(l.Iterations)/float64(max(1, l.Lanes))
		divergent := "no"
		if l.Divergent {
			divergent = "yes"
		}
		g.row(l.Number, name(l.Name), fmt.Sprintf("%#x", l.Header), commas(int64(l.Runs)), fmt.Sprintf("%.1f", passes),
			fmt.Sprintf("%.1f", mean), commas(int64(l.Longest)), percent(100*l.Use()), divergent, l.Carried, l.Why)
		rows = append(rows, map[string]any{"loop": l.Number, "function": l.Name, "pc": l.Header, "latch_pc": l.Latch,
			"runs":   l.Runs,
			"passes": l.Passes, "iterations": l.Iterations, "lanes": l.Lanes, "longest": l.Longest,
			"lanes_busy_pct": 100 * l.Use(),
			"divergent":      l.Divergent, "carried_registers": l.Carried, "cannot": l.Why})
	}
	if a.asJSON {
		return a.printRows(loopRows, rows)
	}
	if len(loops) == 0 {
		a.done("no loops: no warp ran a branch back")
		return nil
	}
	g.print()
	return nil
}
