package host

import (
	"strings"

	"gpureplay/trace"
)

// graphs launches operations in one call, as a CUDA graph: those that the trace says, or, under [Graph], all between
// two waits of the host. With recorded times, and where each operation waits for the one before it, the graphs of the
// trace change nothing: the times of their calls are recorded, or there is no queue of calls. Of [Graph]:
//
//  1. A graph begins with the first operation behind a wait of the host (a synchronisation, a copy that it waits
//     for, a file), or with the first of a step of the capture, and ends before the next. It costs the call of that
//     operation, and no kernel of it arrives before the latency of a launch is over, whatever it begins with.
//  2. The others of it cost no call, and the host's work between two of them, which is their launching, is gone.
//     What it does behind the last one stays.
//  3. They keep their streams, events and copies, which are the graph's edges, and the machine's time between two
//     kernels.
//  4. A graph is one operation of the queue between host and device.
type graphs struct {
	on   bool
	open bool
	node bool   // the current operation is launched by the call of one before it
	step uint32 // of the graph
	idle int64  // the host's work since its last operation, ns
	at   Time   // when it arrives

	stated uint32 // number of the trace's graph that was launched last

	kernel trace.Kernel
}

// step is the index + 1 of the step that a scope lies in; 0: none.
func step(p *trace.Program, scope uint32) uint32 {
	for scope > 0 && int(scope) <= len(p.Scopes) {
		if strings.HasPrefix(p.Scopes[scope-1].Name, "ProfilerStep#") {
			return scope
		}
		scope = p.Scopes[scope-1].In
	}
	return 0
}

// takes looks at the operation that the host comes to. It returns the host's work
// that goes before it, since it is no part of the graph before it; the operation comes
// again then.
func (g *graphs) takes(h *Host, op *trace.HostOp, t Time) (work int64) {
	if !g.on {
		g.launched(h, op, t)
		return 0
	}
	if g.node = g.open; op.Kind == trace.OpHostWork {
		if g.open {
			g.idle += op.Ns
		}
		return 0
	}
	scope := op.Scope
	// an unreadable kernel ends the run when it is launched
	if op.Kind == trace.OpLaunch && h.tr.Kernel(op.Kernel, &g.kernel) == nil {
		scope = g.kernel.Scope
	}
	in := step(h.prog, scope)
	if waits(op) || g.open && scope > 0 && in != g.step {
		g.node, g.open = false, false
	}
	work, g.idle = g.idle, 0
	switch {
	case g.node:
		return 0
	case work == 0 && !waits(op):
		g.open, g.step, g.at = true, in, 0
		if h.timing.Host == TimesMachine && !h.captured() {
			g.at = t + Time(h.cfg.Host.LaunchLatency)
		}
	}
	return work
}

// launched looks at an operation that may be a part of one of the trace's graphs.
func (g *graphs) launched(h *Host, op *trace.HostOp, t Time) {
	g.open = op.Graph > 0 && h.timing.Host == TimesMachine && !h.captured() && !h.way.Serial()
	if g.node = g.open && op.Graph == g.stated; g.open && !g.node {
		g.stated, g.at = op.Graph, t+Time(h.cfg.Host.LaunchLatency)
	}
}

// waits reports whether the host waits in an operation.
func waits(op *trace.HostOp) bool {
	switch op.Kind {
	case trace.OpSyncDevice, trace.OpSyncStream, trace.OpSyncEvent, trace.OpFileRead, trace.OpFileWrite:
		return true
	case trace.OpCopyH2D, trace.OpCopyD2H, trace.OpCopyD2D, trace.OpCopyP2P, trace.OpMemset:
		return !op.Async
	}
	return false
}
