package model

import "gpureplay/trace"

// HostCaptured replays the timeline of a capture:
//
//  1. A launch, copy or memset begins when the program lets it (its stream, the
//     events that it waits for) and no earlier than its recorded start. A
//     kernel is then still to be dispatched: its first CTA starts that much
//     later than recorded.
//  2. The host's own time is in the recorded starts, so its work, its overhead of
//     a launch and the latency of a launch take none.
//  3. A copy with a recorded duration takes that, whatever else is copied.
//  4. Kernels run as in any replay: their work is inferred from the recorded
//     duration where the trace has no instructions.
//
// Work without a recorded start begins as early as the program lets it. The
// recorded times are of the capture's clock; cycle 0 is its start.

// recorded adds to an operation what was recorded of it, under HostCaptured.
func (h *host) recorded(op streamOp, r *trace.Recorded) streamOp {
	if h.m.policy.Host == HostCaptured && r != nil {
		op.start, op.duration = nsToCycles(r.StartNs, h.m.cfg), nsToCycles(r.DurationNs, h.m.cfg)
	}
	return op
}

// work is how long the host computes.
func (h *host) work(op *trace.HostOp) Time {
	if h.m.policy.Host == HostCaptured {
		return 0
	}
	return nsToCycles(op.Ns, h.m.cfg)
}

// deliver sends a launched kernel on its way to the KMU and returns for how long
// the call keeps the host.
func (h *host) deliver(k *kernelRun, t Time) Time {
	latency, overhead := Time(h.m.cfg.Host.LaunchLatency), nsToCycles(int64(h.m.cfg.Host.LaunchOverheadNs), h.m.cfg)
	if h.m.policy.Host == HostCaptured {
		latency, overhead = 0, 0
	}
	h.m.queue.post(t+latency, evArrive, k.slot, 0)
	return overhead
}

// beginAt makes the first operation of a stream begin at a later time.
func (h *host) beginAt(st *stream, t Time) {
	if st.due == 0 {
		h.dated++
	}
	st.due = t
	h.m.queue.post(t, evHost, 0, 0)
}

// beginDue begins the operations whose recorded start has come.
func (h *host) beginDue(t Time) {
	if h.dated == 0 {
		return
	}
	for _, st := range h.order {
		if st.due > 0 && st.due <= t {
			st.due = 0
			h.dated--
			h.begin(st, t)
		}
	}
}
