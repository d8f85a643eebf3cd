package host

import "gpureplay/trace"

// Ports is a [Gate] under which an event may complete at a port of the kernel before it. Under others it completes when
// that kernel has.
type Ports interface {
	Gate
	// Reached reports whether a kernel on the GPU, by its program order, has come to a port.
	Reached(order uint64, port trace.Port) bool
}

// recordEvent records an event in its stream.
func (h *Host) recordEvent(op *trace.HostOp, t Time) {
	st := h.Stream(op.Stream)
	e := h.eventOf(st, op)
	h.events[op.Event] = e
	h.Push(st, StreamOp{Kind: op.Kind, event: e}, t)
}

// waitForEvent has a stream wait for an event.
func (h *Host) waitForEvent(op *trace.HostOp, t Time) {
	st := h.Stream(op.Stream) // seen, whether there is something to wait for or not
	st.waits = true
	e := h.events[op.Event]
	if e != nil && e.port == trace.PortProgrammatic {
		st.behind = append(st.behind, e.of)
	}
	if e != nil && !e.done {
		h.Push(st, StreamOp{Kind: op.Kind, event: e}, t)
	}
}

// eventOf is the event of a record. One with a port completes at that port of the kernel that was issued last.
func (h *Host) eventOf(st *Stream, op *trace.HostOp) *cudaEvent {
	e, n := &cudaEvent{}, len(st.queue)
	for n > 0 && st.queue[n-1].Kind == trace.OpEventRecord {
		n--
	}
	ports, ok := h.Gate.(Ports)
	if !ok || op.Port == trace.PortCompleted || n == 0 || st.queue[n-1].Run == nil {
		return e
	}
	e.of, e.port = st.queue[n-1].order, op.Port
	e.done, h.ported = ports.Reached(e.of, e.port), true
	return e
}

// reached lets kernels and events go on that waited for a kernel behind which others of other streams are.
func (h *Host) reached(t Time) error {
	if !h.ported {
		return nil
	}
	for _, st := range h.streamList {
		for i := 0; i < min(2, len(st.queue)); i++ {
			if k := st.queue[i].Run; k != nil && k.opened {
				if err := h.Reached(st, k.Number, t); err != nil {
					return err
				}
			}
		}
		if len(st.queue) > 0 && st.queue[0].Run != nil && st.queue[0].Run.Ready {
			h.OpenKernels(st, t)
		}
	}
	return nil
}

// AwaitsBegin reports whether an event waits until all CTAs of a stream's kernel have begun.
func (st *Stream) AwaitsBegin(order uint64) bool {
	for i := range st.queue {
		if e := st.queue[i].event; e != nil && e.of == order && e.port == trace.PortBegun && !e.done {
			return st.queue[i].Kind == trace.OpEventRecord
		}
	}
	return false
}

// Reached completes the events of a kernel in its stream that wait for a port to which it has come. It returns the
// error of [Host.Run].
func (h *Host) Reached(st *Stream, order uint64, t Time) error {
	ports, ok := h.Gate.(Ports)
	if !ok {
		return nil
	}
	any := false
	for i := range st.queue {
		e := st.queue[i].event
		if e == nil || e.of != order || e.done || st.queue[i].Kind != trace.OpEventRecord || !ports.Reached(order, e.port) {
			continue
		}
		waiters := e.waiters
		e.done, e.waiters, any = true, nil, true
		for _, w := range waiters {
			h.pop(w)
			h.begin(w, t)
		}
	}
	if !any {
		return nil
	}
	return h.Run(t)
}
