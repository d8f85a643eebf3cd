package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"gpureplay/model"
	"gpureplay/policies"
	"gpureplay/replay"
	"gpureplay/replay/analyse"
	"gpureplay/replay/table"
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
megakernel_gain_cycles integer: and under megakernel
bound_gain_cycles integer: and under boundary-free`)

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
	runs, edges, err := analyse.Edges(cmd.Context(), r, cfg, timing, int(f.jobs), bar.done)
	bar.close()
	if err != nil {
		return err
	}
	if f.output != "" {
		job := f.job(r)
		job.Config, job.Preset, job.Timing, job.Output.Command = cfg, named, timing, again(cmd, path)
		if err := a.writeEdges(f, job, path, edges); err != nil {
			return err
		}
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
		rows = append(rows, map[string]any{"predecessor": e.Predecessor, "successor": e.Successor, "stream": e.Stream,
			"programmatic": e.Programmatic, "gap_cycles": e.Gap(), "overlap_cycles": e.Overlap(), "step_cycles": e.Step(),
			"graph_gain_cycles": e.Gains.Graph, "pdl_gain_cycles": e.Gains.PDL, "trigger": e.Gains.Trigger,
			"megakernel_gain_cycles": e.Gains.Megakernel, "bound_gain_cycles": e.Gains.Bound})
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
	g := newGrid(a.out, "edge", "edges", "gap", "overlap", "graph gains", "megakernel gains", "boundary-free gains",
		"PDL gains", "trigger")
	g.right(2, 3, 4, 5, 6, 7, 8)
	for i := range classes[:min(len(classes), maxEdgeClasses)] {
		c := &classes[i]
		gain, trigger := "", ""
		if c.Gains.PDL > 0 {
			gain, trigger = commas(c.Gains.PDL), c.Gains.Trigger
		}
		g.row(edgeName(c), c.Edges, commas(c.Gap), commas(c.Overlap), commas(c.Gains.Graph), commas(c.Gains.Megakernel),
			commas(c.Gains.Bound), gain, trigger)
	}
	g.print()
	if n := len(classes) - maxEdgeClasses; n > 0 {
		fmt.Fprintf(a.out, "%d more kinds of edges gain less (--json lists every edge)\n", n)
	}
}

func edgeName(c *analyse.EdgeClass) string {
	return cutMiddle(c.Predecessor, widestName) + " → " + cutMiddle(c.Successor, widestName)
}

// triggerAdvice says where a kernel's trigger belongs, by the name of the place.
var triggerAdvice = map[string]string{
	"path":      "Leave the trigger of %s where its code has it.",
	"end":       "%s needs no griddepcontrol.launch_dependents: its CTAs trigger as they end.",
	"last-load": "Put griddepcontrol.launch_dependents of %s behind its last load.",
	"begin":     "Put griddepcontrol.launch_dependents of %s at its begin.",
}

// maxAdvice is how many kinds of edges have a sentence of their own.
const maxAdvice = 3

// edgeSentences say where triggers belong, the greatest gain first, and the cycles that a graph and a megakernel leave.
func edgeSentences(runs []analyse.EdgeRun, classes []analyse.EdgeClass) (list []string) {
	if len(classes) == 0 {
		return []string{"No kernel follows another in its stream."}
	}
	for i := range classes[:min(len(classes), maxAdvice)] {
		if c := &classes[i]; c.Gains.PDL > 0 {
			list = append(list, fmt.Sprintf("%s gains %s cycles if launched programmatically.", edgeName(c),
				commas(c.Gains.PDL)), fmt.Sprintf("  "+triggerAdvice[c.Gains.Trigger], c.Predecessor))
		}
	}
	if len(list) == 0 && runs[2].Lacks == "" {
		list = append(list, "Programmatic launch gains nothing at any edge.")
	}
	first, graph, mega, bound := &runs[0], &runs[1], &runs[len(runs)-2], &runs[len(runs)-1]
	if bound.Lacks == "" {
		list = append(list, fmt.Sprintf("Boundaries cost %s cycles. A graph takes off %s and leaves %s.",
			commas(first.Cycles-bound.Cycles), commas(first.Cycles-graph.Cycles), commas(graph.Cycles-bound.Cycles)))
	}
	switch left := mega.Cycles - bound.Cycles; {
	case mega.Lacks != "" || bound.Lacks != "":
	case left >= 0:
		list = append(list, fmt.Sprintf("A megakernel takes off %s and leaves %s.", commas(first.Cycles-mega.Cycles),
			commas(left)))
	default:
		list = append(list, fmt.Sprintf("A megakernel takes off %s: all of it, and %s by kernels that overlap.",
			commas(first.Cycles-mega.Cycles), commas(-left)))
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
