package command

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"gpureplay/replay"
)

func init() { register((*app).topCommand) }

func (a *app) topCommand() *cobra.Command {
	var most int
	var policy string
	part := chooser{}
	c := &cobra.Command{
		Use:   "top TRACE|OUT",
		Short: "where the time goes: kernels, streams, gaps, copies and overlap, in the terminal",
		Long: "top shows of each run under a folder of tables, or of the times that a capture recorded, which kernels take the time, how busy its\n" +
			"streams are and how long they pause, what copies come to, and how much overlaps.",
		Example: "  replay top capture.trace.zst\n  replay top replay-out\n  replay top replay-out --policy=ppcs -n 5",
		Args:    exactly(1, "one trace or folder of tables"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if most < 1 {
				return usagef("top: -n %d: want how many kernels to show", most)
			}
			all, err := a.activities(cmd.Context(), &part, args[0])
			if err != nil {
				return err
			}
			return a.top(all, policy, most)
		},
	}
	c.Flags().IntVarP(&most, "number", "n", 15, "`N` kernels to show")
	c.Flags().StringVar(&policy, "policy", "", "only runs under this `POLICY`")
	part.register(c.Flags())
	return c
}

// activities reads a folder of tables, or a trace.
func (a *app) activities(ctx context.Context, part *chooser, path string) ([]*replay.Activity, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() && isTables(path) {
		if *part != (chooser{}) {
			return nil, usagef("top: work is chosen of a trace; %s is a folder of tables", path)
		}
		return replay.Activities(path)
	}
	r, err := part.open(ctx, a, path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	one, err := replay.RecordedActivity(r, replay.TraceName(path))
	if err == nil && len(one.Kernels) == 0 {
		err = fmt.Errorf("%s has no recorded times: replay it, and look at the folder of its tables", path)
	}
	return []*replay.Activity{one}, err
}

func (a *app) top(all []*replay.Activity, policy string, most int) error {
	rows := []map[string]any{}
	shown := 0
	for _, x := range all {
		if policy != "" && x.Policy != policy {
			continue
		}
		shown++
		if a.asJSON {
			for _, t := range x.Functions() {
				rows = append(rows, map[string]any{"run": x.Title, "function": t.Name, "kernels": t.Count, "ns": t.Ns, "longest_ns": t.MostNs})
			}
			continue
		}
		a.showActivity(x, most)
	}
	if shown == 0 {
		return fmt.Errorf("no run under policy %s is there", policy)
	}
	if a.asJSON {
		return a.printJSON(rows)
	}
	return nil
}

// linkNames are the words for the stages of files.
var linkNames = strings.NewReplacer("prelude", "file read", "postlude", "file written")

func (a *app) showActivity(x *replay.Activity, most int) {
	o := x.Overlap()
	share := func(ns int64) string {
		if o.Span == 0 {
			return "-"
		}
		return fmt.Sprintf("%.1f %%", 100*float64(ns)/float64(o.Span))
	}
	fmt.Fprintf(a.out, "%s: %s\n", x.Title, duration(o.Span))
	g := newGrid(a.out, "kernel", "runs", "time", "of all", "mean", "longest")
	g.right(2, 3, 4, 5, 6)
	functions := x.Functions()
	names := make([]string, len(functions))
	for i := range functions {
		names[i] = functions[i].Name
	}
	name := a.functionNames(names)
	for i, t := range functions {
		if i == most {
			break
		}
		g.row(name(t.Name), commas(int64(t.Count)), duration(t.Ns), share(t.Ns), duration(t.Ns/int64(t.Count)),
			duration(t.MostNs))
	}
	g.print()
	if n := len(functions) - most; n > 0 {
		fmt.Fprintf(a.out, "and %d more; -n shows them\n", n)
	}
	g = newGrid(a.out, "stream", "kernels", "busy", "of all", "gaps", "longest gap")
	g.right(1, 2, 3, 4, 5, 6)
	for _, t := range x.Streams() {
		g.row(t.Stream, commas(int64(t.Count)), duration(t.Ns), share(t.Ns), duration(t.GapNs), duration(t.MostGapNs))
	}
	g.print()
	if links := x.Links(); len(links) > 0 {
		g = newGrid(a.out, "copy or file", "runs", "bytes", "time", "of all", "GB/s")
		g.right(2, 3, 4, 5, 6)
		for _, t := range links {
			rate := "-"
			if t.Ns > 0 {
				rate = fmt.Sprintf("%.1f", float64(t.Bytes)/float64(t.Ns))
			}
			g.row(linkNames.Replace(t.Name), commas(int64(t.Count)), humanize.IBytes(uint64(t.Bytes)), duration(t.Ns), share(t.Ns), rate)
		}
		g.print()
	}
	if x.Unknown {
		fmt.Fprintf(a.out, "a kernel %s of the time, several %s; of copies and files nothing is known without the table stages\n", share(o.Kernels), share(o.Several))
		return
	}
	fmt.Fprintf(a.out, "a kernel %s of the time, several %s, copies %s (%s beside a kernel), files %s, nothing %s\n",
		share(o.Kernels), share(o.Several), share(o.Copies), share(o.CopiesHidden), share(o.Files), share(o.Idle))
}
