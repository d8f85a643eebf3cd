package container

import (
	"fmt"

	"gpureplay/trace"
)

// graphRules checks the operations of graph launches: each launch is one call of one thread.
type graphRules struct {
	highest uint32            // number of a graph launch
	current map[uint32]uint32 // by thread: the graph that it launched last
}

func (g *graphRules) op(op *trace.HostOp) error {
	if op.Port >= trace.NumPorts || op.Port != trace.PortCompleted && op.Kind != trace.OpEventRecord {
		return fmt.Errorf("host operation %v: port %v; a record has a port, completed, programmatic or begun", op.Kind,
			op.Port)
	}
	switch {
	case op.Graph == 0:
	case !inGraph(op):
		return fmt.Errorf("host operation %v of graph %d: a graph has launches, async copies, records and waits of streams",
			op.Kind, op.Graph)
	case op.Graph == g.current[op.Thread]:
	case op.Graph != g.highest+1:
		return fmt.Errorf("graph %d of thread %d: graph launches are numbered from 1 in their order, and this is number %d "+
			"or a part of the thread's last one", op.Graph, op.Thread, uint64(g.highest)+1)
	default:
		if g.current == nil {
			g.current = map[uint32]uint32{}
		}
		g.highest, g.current[op.Thread] = op.Graph, op.Graph
	}
	return nil
}

// inGraph reports whether an operation can be a part of a graph: the host does not wait for it.
func inGraph(op *trace.HostOp) bool {
	switch op.Kind {
	case trace.OpLaunch, trace.OpEventRecord, trace.OpStreamWait:
		return true
	}
	return op.Kind.IsCopy() && op.Async
}
