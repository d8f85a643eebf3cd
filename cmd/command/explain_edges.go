package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"gpureplay/model"
	"gpureplay/replay"
	"gpureplay/replay/analyse"
	"gpureplay/trace/container"
)

var explainedEdges = rowsOf("explained_edges", "two kernels that follow each other in a stream", `
predecessor integer: the kernel in front
successor integer: the kernel behind it
stream integer: their stream
programmatic boolean: the successor is launched with programmatic stream serialization
gap_cycles integer: under hyperq, from the end to the first CTA
overlap_cycles integer: under hyperq, both run
step_cycles integer: under hyperq, from the end of the predecessor to the end of the successor
graph_gain_cycles integer: the step is so much shorter under graph
pdl_gain_cycles integer: and under pdl, with the trigger at its best place
trigger string: that place: path, end, last-load or begin; empty: no place gains
bound_gain_cycles integer: and under boundary-free`)

// maxEdgeClasses is how many kinds of edges are printed.
const maxEdgeClasses = 20

// explainEdges prints the boundaries between the kernels of a stream, and the policies that remove them.
func (a *app) explainEdges(cmd *cobra.Command, f *replayFlags, r *container.Reader) error {
	if cmd.Flags().Changed("policy") {
		return usagef("explain: --edges compares hyperq, graph, pdl and boundary-free; leave --policy out")
	}
	cfg, _, err := f.machine(a, r)
	if err != nil {
		return err
	}
	timing, err := f.timing(r, &replay.Job{})
	if err != nil {
		return err
	}
	bar := a.progress(0)
	runs, edges, err := analyse.Edges(cmd.Context(), r, cfg, timing, int(f.jobs), bar.done)
	bar.close()
	if err != nil {
		return err
	}
	if a.asJSON {
		return a.printRows(explainedEdges, edgeRows(edges))
	}
	classes, err := analyse.EdgeClasses(r, edges)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s edges between kernels on %s\n", commas(len(edges)), cfg.Name)
	a.printEdgeRuns(runs)
	if len(edges) > 0 {
		fmt.Fprintln(a.out)
		a.printEdgeClasses(classes)
	}
	for _, sentence := range edgeSentences(runs, classes) {
		fmt.Fprintln(a.out, sentence)
	}
	return nil
}

func edgeRows(edges []analyse.EdgeGain) []map[string]any {
	rows := []map[string]any{}
	for i := range edges {
		e := &edges[i]
		rows = append(rows, map[string]any{"predecessor": e.Predecessor, "successor": e.Successor, "stream": e.Stream,
			"programmatic": e.Programmatic, "gap_cycles": e.Gap(), "overlap_cycles": e.Overlap(), "step_cycles": e.Step(),
			"graph_gain_cycles": e.Graph, "pdl_gain_cycles": e.Gain, "trigger": e.Trigger, "bound_gain_cycles": e.Bound})
	}
	return rows
}

// printEdgeRuns prints the replays, with the reasons of those that do not apply.
func (a *app) printEdgeRuns(runs []analyse.EdgeRun) {
	g := newGrid(a.out, "policy", "that is", "cycles", "change")
	g.right(3, 4)
	var lacks []string
	for i, x := range runs {
		switch {
		case x.Lacks != "":
			lacks = append(lacks, fmt.Sprintf("  not %s: %s", x.Policy, x.Lacks))
		case i == 0:
			g.row(x.Policy, x.Title, commas(x.Cycles), "")
		default:
			g.row(x.Policy, x.Title, commas(x.Cycles), signed(x.Cycles-runs[0].Cycles))
		}
	}
	g.print()
	for _, line := range lacks {
		fmt.Fprintln(a.out, line)
	}
}

// printEdgeClasses prints the edges, summed by the functions of their kernels.
func (a *app) printEdgeClasses(classes []analyse.EdgeClass) {
	g := newGrid(a.out, "edge", "edges", "gap", "overlap", "graph gains", "boundary-free gains", "PDL gains", "trigger")
	g.right(2, 3, 4, 5, 6, 7)
	for i := range classes[:min(len(classes), maxEdgeClasses)] {
		c := &classes[i]
		gain, trigger := "", ""
		if c.Gain > 0 {
			gain, trigger = commas(c.Gain), c.Trigger()
		}
		g.row(cutMiddle(c.Predecessor, widestName)+" → "+cutMiddle(c.Successor, widestName), c.Edges, commas(c.Gap),
			commas(c.Overlap), commas(c.Graph), commas(c.Bound), gain, trigger)
	}
	g.print()
	if n := len(classes) - maxEdgeClasses; n > 0 {
		fmt.Fprintf(a.out, "%d more kinds of edges gain less (--json lists every edge)\n", n)
	}
}

// places are the places of triggers in words.
var places = map[string]string{
	"path": "where the path has it", "end": "at the end of its CTAs", "last-load": "with the last load of its warps",
	"begin": "at the begin of its CTAs",
}

// edgeSentences say which edge gains most, where its trigger belongs, and how much a graph leaves.
func edgeSentences(runs []analyse.EdgeRun, classes []analyse.EdgeClass) (list []string) {
	if len(classes) == 0 {
		return []string{"No kernel follows another in its stream."}
	}
	if c := &classes[0]; c.Gain > 0 {
		list = append(list, fmt.Sprintf("Programmatic launch gains most at %s → %s: %s cycles over %d edges.",
			c.Predecessor, c.Successor, commas(c.Gain), c.Edges),
			fmt.Sprintf("There the trigger of %s belongs %s.", c.Predecessor, places[c.Trigger()]))
	} else if runs[2].Lacks == "" {
		list = append(list, "Programmatic launch gains nothing at any edge.")
	}
	first, graph, mega, bound := &runs[0], &runs[1], &runs[len(runs)-2], &runs[len(runs)-1]
	if bound.Lacks == "" {
		list = append(list, fmt.Sprintf("A graph takes %s of the %s cycles that boundaries cost, and leaves %s.",
			commas(first.Cycles-graph.Cycles), commas(first.Cycles-bound.Cycles), commas(graph.Cycles-bound.Cycles)))
	}
	if mega.Lacks == "" && mega.Cycles < first.Cycles {
		list = append(list, fmt.Sprintf("A megakernel takes %s cycles less than %s.", commas(first.Cycles-mega.Cycles),
			first.Policy))
	}
	if best := bestTrigger(runs); best != nil && best.Cycles < first.Cycles {
		list = append(list, fmt.Sprintf("%s takes %s cycles less than %s: kernels overlap as well.", best.Policy,
			commas(first.Cycles-best.Cycles), first.Policy))
	}
	return list
}

// bestTrigger is the fastest replay with programmatic launches; nil: there is none.
func bestTrigger(runs []analyse.EdgeRun) (best *analyse.EdgeRun) {
	least := model.Time(-1)
	for i := range runs {
		if x := &runs[i]; x.Trigger != "" && x.Lacks == "" && (least < 0 || x.Cycles < least) {
			best, least = x, x.Cycles
		}
	}
	return best
}
