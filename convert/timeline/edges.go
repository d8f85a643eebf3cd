package timeline

import "gpureplay/trace"

// edges finds the edges of graphs and streams that a capture shows. Profilers record neither the attribute of a
// programmatic launch nor the edges of a graph, but activities that share the call of a graph, and kernels that begin
// before the one before them in their stream has ended.
type edges struct {
	kernels map[uint64]int64     // by stream, where its last activity is a kernel: when that ended
	calls   map[uint32]graphCall // by thread of the trace: its last
	graphs  uint32
}

// graphCall is the call of a graph.
type graphCall struct {
	process, correlation uint64
	start                int64 // of the call; of one that is not recorded: Unknown
	number               uint32
}

func newEdges() edges {
	return edges{kernels: map[uint64]int64{}, calls: map[uint32]graphCall{}}
}

// programmatic reports whether a kernel began before the one before it in its stream had ended, and notes it.
func (e *edges) programmatic(r *row) bool {
	before, ok := e.kernels[r.stream]
	delete(e.kernels, r.stream)
	if r.flags&flagUntimed != 0 || ActivityKind(r.kind) != Kernel {
		return false
	}
	if r.flags&flagEndless == 0 {
		e.kernels[r.stream] = r.began + r.ran
	}
	return ok && r.began < before
}

// graph is the number of the graph launch that an activity belongs to; 0: none, or its call is not known.
func (e *edges) graph(r *row, thread uint32) uint32 {
	call := graphCall{process: r.process, correlation: r.correlation, start: Unknown}
	if r.flags&flagHostTime != 0 {
		call.start = r.start
	}
	if r.flags&flagGraph == 0 || call.start == Unknown && call.correlation == 0 {
		return 0
	}
	last := e.calls[thread]
	if call.number = last.number; call != last || e.graphs == 0 {
		e.graphs++
		call.number = e.graphs
		e.calls[thread] = call
	}
	return call.number
}

// edge notes the graph of the current operation, and whether its kernel is a programmatic launch.
func (e *emitter) edge(r *row) (flags trace.KernelFlags) {
	e.op.Graph = e.edges.graph(r, e.at.number)
	if e.edges.programmatic(r) {
		flags = trace.KernelProgrammatic
	}
	return flags
}
