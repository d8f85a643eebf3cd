package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/policies"
	"gpureplay/replay"
	"gpureplay/replay/analyse"
	"gpureplay/replay/table"
	"gpureplay/trace"
	"gpureplay/trace/container"
)

var explainedEdges = rowsOf("explained_edges", "two kernels that follow each other in a stream", `
predecessor integer: the kernel in front
successor integer: the kernel behind it
stream integer: their stream
programmatic boolean: the successor is launched with programmatic stream serialization
gap_cycles integer: under hyperq, from the end to the first CTA
late_cycles integer: under hyperq, the part of the gap until the successor has arrived: it waits for the host
overlap_cycles integer: under hyperq, both run
step_cycles integer: under hyperq, from the end of the predecessor to the end of the successor
graph_gain_cycles integer: the step is so much shorter under graph
pdl_gain_cycles integer?: and so much shorter than in that graph with programmatic edges, the trigger at its best place
trigger string: that place: path, end, last-load or begin; empty: no place gains
megakernel_gain_cycles integer?: and under megakernel, against hyperq
bound_gain_cycles integer: and under boundary-free, against hyperq`)

// maxEdgeClasses is how many kinds of edges are printed.
const maxEdgeClasses = 20

// explainEdges prints the boundaries between the kernels of a stream, and the policies that remove them.
func (a *app) explainEdges(cmd *cobra.Command, f *replayFlags, r *container.Reader, path string) error {
	if cmd.Flags().Changed("policy") {
		return usagef("explain: --edges compares hyperq, graph, pdl, megakernel and boundary-free; leave --policy out")
	}
	cfg, named, err := f.machine(a, r)
	if err != nil {
		return err
	}
	timing, err := f.timing(r, &replay.Job{})
	if err != nil {
		return err
	}
	bar := a.progress(0)
	b, err := analyse.Edges(cmd.Context(), r, cfg, timing, int(f.jobs), bar.done)
	bar.close()
	if err != nil {
		return err
	}
	if f.output != "" {
		job := f.job(r)
		job.Config, job.Preset, job.Timing, job.Output.Command = cfg, named, timing, again(cmd, path)
		if err := a.writeEdges(f, job, path, b.Edges); err != nil {
			return err
		}
	}
	if a.asJSON {
		return a.printRows(explainedEdges, edgeRows(b.Edges))
	}
	classes, err := analyse.EdgeClasses(r, b.Edges)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s of %s on %s\n", counted(len(b.Edges), "edge"), counted(b.Calls.Kernels, "kernel"), cfg.Name)
	a.printEdgeRuns(b, cfg)
	if len(b.Edges) > 0 {
		fmt.Fprintln(a.out)
		a.printEdgeClasses(b, classes)
	}
	fmt.Fprintln(a.out)
	for _, sentence := range (&edgeWords{Boundaries: b, classes: classes, cfg: cfg}).list() {
		fmt.Fprintln(a.out, sentence)
	}
	return nil
}

// writeEdges writes the table edges of hyperq, with the gains of the other policies.
func (a *app) writeEdges(f *replayFlags, job *replay.Job, path string, edges []table.Edge) (err error) {
	if job.Choices, err = policies.Parse("hyperq", nil); err != nil {
		return err
	}
	if job.Name, err = a.traceName(f, job.Trace, path); err != nil {
		return err
	}
	return job.WriteEdges(edges)
}

func edgeRows(edges []table.Edge) []map[string]any {
	rows := []map[string]any{}
	for i := range edges {
		e := &edges[i]
		row := map[string]any{"predecessor": e.Predecessor, "successor": e.Successor, "stream": e.Stream,
			"programmatic": e.Programmatic, "gap_cycles": e.Gap(), "late_cycles": e.Late(), "overlap_cycles": e.Overlap(),
			"step_cycles": e.Step(), "graph_gain_cycles": e.Gains.Graph, "pdl_gain_cycles": nil, "trigger": e.Gains.Trigger,
			"megakernel_gain_cycles": nil, "bound_gain_cycles": e.Gains.Bound}
		if !e.Gains.NoPDL {
			row["pdl_gain_cycles"] = e.Gains.PDL
		}
		if !e.Gains.NoMegakernel {
			row["megakernel_gain_cycles"] = e.Gains.Megakernel
		}
		rows = append(rows, row)
	}
	return rows
}

// printEdgeRuns prints the replays, with the reasons of those that do not apply.
func (a *app) printEdgeRuns(b *analyse.Boundaries, cfg *hardware.Config) {
	g := newGrid(a.out, "policy", "that is", "cycles", "time", "change", "in %")
	g.right(3, 4, 5, 6)
	var lacks []string
	for i, x := range b.Runs() {
		if x.Lacks != "" {
			if line := "  not " + lacking(x) + ": " + x.Lacks; !slices.Contains(lacks, line) {
				lacks = append(lacks, line)
			}
			continue
		}
		change, pct := "", ""
		if i > 0 {
			change, pct = signed(x.Cycles-b.Streams.Cycles), fmt.Sprintf("%+.1f %%", percentOf(x.Cycles-b.Streams.Cycles, b))
		}
		g.row(x.Policy, x.Title, commas(x.Cycles), duration(nsOf(x.Cycles, cfg)), change, pct)
	}
	g.print()
	for _, line := range lacks {
		fmt.Fprintln(a.out, line)
	}
}

// lacking names the replays that lack the same as one does.
func lacking(x *analyse.EdgeRun) string {
	switch {
	case x.Trigger == "path" && strings.Contains(x.Lacks, "PREEXIT"):
		return "with the triggers of the paths"
	case x.Trigger != "":
		return "with programmatic edges"
	}
	return x.Policy
}

// percentOf is a part of the time in streams, in per cent.
func percentOf(cycles model.Time, b *analyse.Boundaries) float64 {
	return 100 * float64(cycles) / float64(max(1, b.Streams.Cycles))
}

func nsOf(cycles model.Time, cfg *hardware.Config) float64 {
	return float64(cycles) * 1000 / cfg.Clock.CoreMHz
}

// printEdgeClasses prints the edges, summed by the functions of their kernels. It leaves out columns of policies that
// do not run the trace.
func (a *app) printEdgeClasses(b *analyse.Boundaries, classes []analyse.EdgeClass) {
	pdl, mega := b.Best() != nil, b.Megakernel.Lacks == ""
	header := []any{"edge", "edges", "gap", "of it late", "overlap", "graph gains"}
	if pdl {
		header = append(header, "then programmatic", "trigger")
	}
	if mega {
		header = append(header, "megakernel gains")
	}
	g := newGrid(a.out, append(header, "boundary-free gains")...)
	for i := range header {
		if i > 0 && header[i] != "trigger" {
			g.right(i + 1)
		}
	}
	g.right(len(header) + 1)
	for i := range classes[:min(len(classes), maxEdgeClasses)] {
		c := &classes[i]
		row := []any{edgeName(c), c.Edges, commas(c.Gap), commas(c.Late), commas(c.Overlap), commas(c.Gains.Graph)}
		if pdl {
			row = append(row, commas(c.Gains.PDL), c.Gains.Trigger)
		}
		if mega {
			row = append(row, commas(c.Gains.Megakernel))
		}
		g.row(append(row, commas(c.Gains.Bound))...)
	}
	g.print()
	if n := len(classes) - maxEdgeClasses; n > 0 {
		fmt.Fprintf(a.out, "%s more (--json lists every edge)\n", counted(n, "kind of edges", "kinds of edges"))
	}
}

func edgeName(c *analyse.EdgeClass) string {
	return trace.ShortenMiddle(c.Predecessor, widestName) + " → " + trace.ShortenMiddle(c.Successor, widestName)
}
