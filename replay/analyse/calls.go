package analyse

import (
	"gpureplay/trace"
	"gpureplay/trace/container"
)

// Calls is how the host of a trace launches its kernels.
type Calls struct {
	Kernels int // of the host
	Nodes   int // of these, launched in the call of one before them: nodes of a graph
	Waits   int // kernels before which the host has waited since the launch before
}

// callsOf reads the host's operations. It returns an error if the trace cannot be read.
func callsOf(tr *container.Reader) (c Calls, err error) {
	var k trace.Kernel
	graph, called, waited := uint32(0), int64(-1), false
	for op, err := range trace.Each(tr.HostOps()) {
		if err != nil {
			return c, err
		}
		switch op.Kind {
		case trace.OpLaunch:
			if err = tr.Kernel(op.Kernel, &k); err != nil {
				return c, err
			}
			c.Kernels++
			at := int64(-1)
			if k.Recorded != nil {
				at = k.Recorded.HostNs
			}
			if op.Graph > 0 && op.Graph == graph || at >= 0 && at == called {
				c.Nodes++
			} else if waited && c.Kernels > 1 {
				c.Waits++
			}
			graph, called, waited = op.Graph, at, false
		case trace.OpSyncDevice, trace.OpSyncStream, trace.OpSyncEvent, trace.OpFileRead, trace.OpFileWrite:
			waited = true
		case trace.OpCopyH2D, trace.OpCopyD2H, trace.OpCopyD2D, trace.OpCopyP2P, trace.OpMemset:
			waited = waited || !op.Async
		}
	}
	return c, nil
}
