package reference

import (
	"gpureplay/model"
	"gpureplay/trace"
)

// nGraph launches all kernels of a graph in one call: of one that the trace states, or of all that lies between two
// waits of the host.
type nGraph struct {
	h      *nHost
	inside bool
	comes  model.Time // when the kernels of the graph arrive
	work   int64      // the host's, behind its last operation
	number uint32     // of the trace's graph
}

// stated performs an operation of one of the trace's graphs; known: it has been performed.
func (g *nGraph) stated(op trace.HostOp) (known bool) {
	if op.Graph != g.number {
		g.number, g.comes = op.Graph, g.h.n.t+model.Time(g.h.n.cfg.Host.LaunchLatency)
		return false
	}
	return g.node(op)
}

// issue performs an operation that is within a graph, or begins or ends one; known: it
// has been performed.
func (g *nGraph) issue(op trace.HostOp) (busy model.Time, known bool) {
	h := g.h
	blocks := false
	switch op.Kind {
	case trace.OpHostWork:
		if g.inside {
			g.work += op.Ns
		}
		return 0, g.inside
	case trace.OpSyncDevice, trace.OpSyncStream, trace.OpSyncEvent, trace.OpFileRead, trace.OpFileWrite:
		blocks = true
	case trace.OpCopyH2D, trace.OpCopyD2H, trace.OpCopyD2D, trace.OpCopyP2P, trace.OpMemset:
		blocks = !op.Async
	}
	if blocks {
		g.inside = false
		if g.work > 0 { // it is there still, and comes again
			busy, g.work = cyclesOfNs(float64(g.work), h.n.cfg), 0
			h.next--
			return busy, true
		}
		return 0, false
	}
	g.work = 0
	if !g.inside {
		g.inside, g.comes = true, h.n.t+model.Time(h.n.cfg.Host.LaunchLatency)
		return 0, false
	}
	return 0, g.node(op)
}

// node launches a kernel that comes with the call of an operation before it.
func (g *nGraph) node(op trace.HostOp) (known bool) {
	h := g.h
	if op.Kind != trace.OpLaunch {
		return false
	}
	k := h.n.kernels[op.Kernel]
	k.stream = h.stream(op.Stream)
	k.hwq, k.early = k.stream.number%len(h.n.queues), h.loose
	h.push(&nOp{op: op, k: k})
	h.arrive(k, max(h.n.t, g.comes))
	return true
}

// freed lets kernels of a stream begin if only kernels come before them.
func (h *nHost) freed(st *nStream) {
	for _, o := range st.queue {
		if o.op.Kind != trace.OpLaunch {
			return
		}
		if !o.done && !o.k.ready {
			o.k.ready = true
			h.n.inspect()
		}
	}
}
