package command

import (
	"fmt"
	"strings"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/replay/analyse"
)

// edgeWords are the sentences below the edges: the cycles that each way to launch takes off, with the reason where
// these are none.
type edgeWords struct {
	*analyse.Boundaries
	classes []analyse.EdgeClass
	cfg     *hardware.Config
}

func (w *edgeWords) list() []string {
	var list []string
	for _, part := range []func() []string{w.cost, w.graph, w.programmatic, w.megakernel, w.remedy} {
		list = append(list, part()...)
	}
	return list
}

// counted is a number of things.
func counted(n int, one string, many ...string) string {
	switch {
	case n == 1:
		return "1 " + one
	case len(many) > 0:
		return commas(int64(n)) + " " + many[0]
	}
	return commas(int64(n)) + " " + one + "s"
}

// amount is a time in cycles, in seconds and as a part of the time in streams.
func (w *edgeWords) amount(cycles model.Time) string {
	return fmt.Sprintf("%s cycles (%s, %.1f %%)", commas(cycles), duration(nsOf(cycles, w.cfg)),
		percentOf(cycles, w.Boundaries))
}

// cost is the cycles of the boundaries, and the host's part of the gaps.
func (w *edgeWords) cost() (list []string) {
	s, cost := &w.Streams, w.Streams.Cycles-w.Free.Cycles
	switch {
	case w.Calls.Kernels == 1 && cost > 0:
		return []string{"One kernel has no boundary to another. Its own launch costs " + w.amount(cost) + "."}
	case len(w.Edges) == 0:
		list = append(list, "No kernel follows another in its stream.")
	}
	switch {
	case cost > 0:
		list = append(list, "Launches and boundaries cost "+w.amount(cost)+".")
	case cost < 0:
		return append(list, fmt.Sprintf("Without boundaries the trace takes %s cycles more: kernels of several streams "+
			"meet others.", commas(-cost)))
	case w.cfg.KMU.DispatchLatency == 0 && w.cfg.Host.LaunchLatency == 0 && w.cfg.Host.LaunchOverheadNs == 0:
		return append(list, "Boundaries cost nothing, since a launch takes no time on "+w.cfg.Name+": kmu.dispatch_latency, "+
			"host.launch_latency and host.launch_overhead_ns are 0.", "  Choose a machine with measured ones: --gpu=h100.")
	default:
		return append(list, fmt.Sprintf("Boundaries cost nothing: other work hides them. "+
			"Kernels run for %.1f %% of the time.", percentOf(s.Busy, w.Boundaries)))
	}
	switch {
	case s.Gap > 0 && s.Late == 0:
		list = append(list, fmt.Sprintf("  The gaps of all edges are %s cycles: the next kernel has arrived, and is "+
			"dispatched or waits for copies.", commas(s.Gap)))
	case s.Gap > 0:
		list = append(list, fmt.Sprintf("  The gaps of all edges are %s cycles. In %s of them the next kernel has not "+
			"arrived: the host is late.", commas(s.Gap), commas(s.Late)))
	}
	if s.Overlap > 0 {
		list = append(list, fmt.Sprintf("  %s overlap already, by %s cycles in all.", counted(s.Overlaps, "edge"),
			commas(s.Overlap)))
	}
	return list
}

// graph is the cycles that one call for all takes off.
func (w *edgeWords) graph() []string {
	gain, left := w.Streams.Cycles-w.Graph.Cycles, w.Graph.Cycles-w.Free.Cycles
	calls := &w.Calls
	switch {
	case w.Graph.Lacks != "" || calls.Kernels == 1:
		return nil
	case gain < 0:
		return []string{fmt.Sprintf("A graph takes %s cycles more than streams.", commas(-gain))}
	case gain > 0 && left < 0:
		return []string{fmt.Sprintf("A graph takes off %s cycles, all of that and %s by kernels that meet others.",
			commas(gain), commas(-left))}
	case gain > 0:
		list := []string{fmt.Sprintf("A graph takes off %s cycles and leaves %s.", commas(gain), commas(left))}
		if w.Graph.Late > 0 && calls.Waits > 0 {
			list = append(list, fmt.Sprintf("  The host still is late by %s cycles: it waits for the GPU before %s, and a "+
				"graph ends there.", commas(w.Graph.Late), counted(calls.Waits, "kernel")))
		}
		return list
	}
	return []string{"A graph takes off nothing" + w.whyNoGraph() + "."}
}

// whyNoGraph is the reason why a graph takes as long as streams.
func (w *edgeWords) whyNoGraph() string {
	calls := &w.Calls
	switch {
	case w.Streams.Cycles <= w.Free.Cycles:
		return ""
	case calls.Nodes > 0:
		return fmt.Sprintf(": %d of %s are nodes of graphs already", calls.Nodes, counted(calls.Kernels, "kernel"))
	case calls.Waits > 0 && calls.Waits >= calls.Kernels-1:
		return ": the host waits for the GPU before each kernel, so that no graph has two"
	case w.Streams.Late == 0:
		return ": no kernel waits for the host, whose calls are ahead of the GPU. Each node is dispatched as a kernel is"
	case calls.Waits > 0:
		return fmt.Sprintf(": the host is late where it waits for the GPU, before %s, and a graph ends there",
			counted(calls.Waits, "kernel"))
	}
	return ": the host is late at the first kernel alone"
}

// triggerAdvice says where a kernel's trigger belongs, by the name of the place.
var triggerAdvice = map[string]string{
	"path":      "leave the trigger of %s where its code has it",
	"end":       "%s needs no griddepcontrol.launch_dependents, since its CTAs trigger as they end",
	"last-load": "put griddepcontrol.launch_dependents of %s behind its last load",
	"begin":     "put griddepcontrol.launch_dependents of %s at its begin",
}

// Kinds of edges have a sentence of their own if they gain leastAdvice per cent of the time, and at most maxAdvice do.
const (
	maxAdvice   = 3
	leastAdvice = 0.1
)

// programmatic is the cycles that programmatic edges take off a graph, and the places of triggers.
func (w *edgeWords) programmatic() (list []string) {
	best := w.Best()
	if best == nil || len(w.Edges) == 0 {
		return nil
	}
	gain := w.Graph.Cycles - best.Cycles
	if gain <= 0 {
		return append(list, "Programmatic edges take off nothing more: "+w.whyNotProgrammatic()+".")
	}
	list = append(list, fmt.Sprintf("Programmatic edges take off %s more, with all triggers at one place (%s).",
		w.amount(gain), best.Trigger))
	if w.Alone.Policy != "" && w.Alone.Lacks == "" {
		list = append(list, fmt.Sprintf("  Without the graph they take off %s.", commas(w.Streams.Cycles-w.Alone.Cycles)))
	}
	sum, some := model.Time(0), false
	for i := range w.classes {
		c := &w.classes[i]
		if sum += c.Gains.PDL; i < maxAdvice && percentOf(c.Gains.PDL, w.Boundaries) >= leastAdvice {
			some = true
			list = append(list, fmt.Sprintf("  %s gains %s: %s.", edgeName(c), commas(c.Gains.PDL),
				fmt.Sprintf(triggerAdvice[c.Gains.Trigger], c.Predecessor)))
		}
	}
	switch {
	case !some:
		list = append(list, fmt.Sprintf("  No kind of edges gains %.1f %% of the time.", leastAdvice))
	case sum > gain+gain/20:
		list = append(list, "  These gains do not add up. Each is of the replay in which all kernels trigger at that "+
			"place; one kernel that begins early can delay the next.")
	}
	if cc := w.cfg.SM.ComputeCapability; cc < 90 {
		list = append(list, fmt.Sprintf("  %s has no programmatic launch (compute capability 9.0 and later): "+
			"this is a what-if.", w.cfg.Name))
	}
	return list
}

// whyNotProgrammatic is the reason why no place of triggers gains.
func (w *edgeWords) whyNotProgrammatic() string {
	switch g := &w.Graph; {
	case g.Gap == 0:
		return "no kernel waits for its dispatch"
	case w.Calls.Waits > 0 && w.Calls.Waits >= w.Calls.Kernels-1:
		return "the host waits for the GPU before each kernel"
	case g.Late > g.Gap/2:
		return "most of the gaps are the host's, and kernels arrive behind the end of the one before"
	}
	return "kernels read at once what the kernel before them writes, or take its room"
}

// megakernel is the cycles that tasks of one kernel take off.
func (w *edgeWords) megakernel() []string {
	x := &w.Megakernel
	gain, left := w.Streams.Cycles-x.Cycles, x.Cycles-w.Free.Cycles
	switch {
	case x.Lacks != "" || w.Calls.Kernels == 1:
		return nil
	case gain < 0:
		return []string{fmt.Sprintf("A megakernel takes %s cycles more than streams: a task begins mega-task-latency "+
			"behind the tasks that it waits for.", commas(-gain))}
	case gain == 0 && w.Calls.Waits > 0:
		return []string{"A megakernel takes off nothing: waits of the host and copies end it."}
	case gain == 0:
		return []string{"A megakernel takes off nothing."}
	case left >= 0:
		return []string{fmt.Sprintf("A megakernel takes off %s and leaves %s.", commas(gain), commas(left))}
	}
	return []string{fmt.Sprintf("A megakernel takes off %s cycles, %s more than boundaries cost: its tasks overlap "+
		"as well.", commas(gain), commas(-left))}
}

// remedy says which traces run under the policies that this one does not run under.
func (w *edgeWords) remedy() []string {
	var all strings.Builder
	for _, x := range w.Runs() {
		all.WriteString(x.Lacks)
	}
	if lacks := all.String(); strings.Contains(lacks, "no instructions") || strings.Contains(lacks, "no work is known") {
		return []string{"For what is not replayed above, take a trace with instructions: of NVBit (replay convert), or of " +
			"a generator (replay sample)."}
	}
	return nil
}
