package audit

import (
	"slices"

	"gpureplay/model"
	"gpureplay/trace"
)

// chainBook checks kernels that are launched programmatically:
//
//   - chain: no more than two kernels of a stream are on the GPU, and none ends before a kernel of another stream that
//     it follows programmatically.
type chainBook struct {
	a       *Auditor
	streams map[uint64][]uint32 // kernels on the GPU; nil: none are launched so
	behind  map[uint32][]uint32 // kernels of other streams that a kernel follows by a port, until they have ended
}

// follows reads the ports of the program: a launch follows the kernels of the programmatic events that its stream has
// waited for since the one before it.
func (c *chainBook) follows() {
	c.behind = map[uint32][]uint32{}
	last, events, waits := map[uint64]uint32{}, map[uint64]uint32{}, map[uint64][]uint32{}
	for op, err := range trace.Each(c.a.tr.HostOps()) {
		if err != nil { // it ends the run
			break
		}
		switch op.Kind {
		case trace.OpLaunch:
			last[op.Stream] = op.Kernel
			if list := waits[op.Stream]; len(list) > 0 {
				c.behind[op.Kernel] = list
				delete(waits, op.Stream)
			}
		case trace.OpEventRecord:
			delete(events, op.Event)
			if k, ok := last[op.Stream]; ok && op.Port == trace.PortProgrammatic {
				events[op.Event] = k
			}
		case trace.OpStreamWait:
			if k, ok := events[op.Event]; ok {
				waits[op.Stream] = append(waits[op.Stream], k)
			}
		case trace.OpCopyH2D, trace.OpCopyD2H, trace.OpCopyD2D, trace.OpCopyP2P, trace.OpMemset:
			delete(last, op.Stream)
		}
	}
}

func newChainBook(a *Auditor) chainBook { return chainBook{a: a, streams: map[uint64][]uint32{}} }

func (c *chainBook) dispatched(r *model.KernelRecord) {
	if c.streams == nil {
		return
	}
	here := append(c.streams[r.Stream], r.ID)
	if c.streams[r.Stream] = here; len(here) > 2 {
		c.a.fail("chain", r.Dispatch, "kernels %v of stream %d are on the GPU; a chain has two", here, r.Stream)
	}
}

func (c *chainBook) ended(r *model.KernelRecord) {
	for _, k := range c.behind[r.ID] {
		if c.here(k) {
			c.a.fail("chain", r.End, "kernel %d ends before kernel %d, which it follows programmatically", r.ID, k)
		}
	}
	delete(c.behind, r.ID)
	here := c.streams[r.Stream]
	for i, id := range here {
		if id == r.ID {
			c.streams[r.Stream] = append(here[:i:i], here[i+1:]...)
		}
	}
}

// here reports whether a kernel is on the GPU.
func (c *chainBook) here(kernel uint32) bool {
	for _, here := range c.streams {
		if slices.Contains(here, kernel) {
			return true
		}
	}
	return false
}

// ahead reports whether a kernel is on the GPU with one that it follows: of its stream, or by a port.
func (c *chainBook) ahead(kernel uint32) bool {
	for _, here := range c.streams {
		if len(here) > 1 && here[1] == kernel {
			return true
		}
	}
	return slices.ContainsFunc(c.behind[kernel], c.here)
}
