package host

import "gpureplay/trace"

// Captured replays the timeline of a capture:
//
//  1. A launch, copy or memset begins when the program lets it (its stream, the
//     events that it waits for) and no earlier than its recorded start, which has
//     the dispatch of a kernel in it.
//  2. The host's own time is in the recorded starts, so its work, its calls and the
//     latency of a launch take none.
//  3. A copy with a recorded duration takes that, whatever else is copied.
//  4. A kernel that was recorded to begin before the one before it in its stream had
//     ended is a programmatic launch: it waits for that one's beginning, not for its
//     end.
//  5. Kernels run as in any replay: their work is inferred from the recorded
//     duration where the trace has no instructions.
//
// Work without a recorded start begins as early as the program lets it. Cycle 0 is
// where the host's program begins, as in every replay ([Capture].Origin).

// recorded adds to an operation that is issued in cycle t what was recorded of it:
// all of it under Captured, else what [Timing] says.
func (h *Host) recorded(op StreamOp, of *trace.HostOp, r *trace.Recorded, t Time) StreamOp {
	if h.at.graphs.node {
		op.place = placeNone
	}
	if r == nil {
		return op
	}
	place := h.placeOf(r)
	if !h.at.graphs.node {
		op.place = place
	}
	if h.captured() {
		op.start, op.duration = h.since(r.StartNs), Cycles(r.DurationNs, h.cfg)
		if op.Kind == trace.OpLaunch {
			op.early = h.early(of.Stream, r)
			op.Run.Early = op.early
		}
		return op
	}
	if h.timing.Copies == CopiesRecorded && op.Kind != trace.OpLaunch {
		op.duration = Cycles(r.DurationNs, h.cfg)
	}
	op.gap = h.unrecorded(of, r, place == placeNone)
	switch {
	case h.timing.Host != TimesRecorded || h.at.graphs.node:
	case op.Kind != trace.OpLaunch:
		op.start, op.gap = h.notBefore(of, r, t), max(op.gap, h.gap(of, r))
	case r.HostNs < 0: // of one with a call its arrival has it
		op.start = h.notBefore(of, r, t) - Time(h.cfg.KMU.DispatchLatency)
	}
	return op
}

// placeOf is what something that was recorded takes of the queue to the device.
func (h *Host) placeOf(r *trace.Recorded) queuePlace {
	switch {
	case r.StartNs < 0:
	case r.HostNs < 0:
		return placePast
	case r.HostNs == h.at.called:
		return placeNone
	default:
		h.at.called = r.HostNs
	}
	return placeOne
}

func (h *Host) captured() bool { return h.way == Captured }

// since is the cycle of a time of the capture.
func (h *Host) since(ns int64) Time { return Cycles(ns-h.capture.Origin, h.cfg) }

// early reports whether a kernel was recorded to begin before the one that was
// issued before it into its stream had ended.
func (h *Host) early(stream uint64, r *trace.Recorded) bool {
	end, ok := h.lastEnd[stream]
	return ok && r.StartNs >= 0 && r.StartNs < end
}

// overtakes lets the kernel behind the one that has begun in a stream begin too, if
// it is a programmatic launch; under [Freed] all kernels behind it, up to a copy or
// an event.
func (h *Host) overtakes(st *Stream, t Time) {
	if h.Gate != nil {
		h.openKernels(st, t)
		return
	}
	most := 2 // kernels of a chain that run
	if h.way == Freed {
		most = len(st.queue)
	}
	for i := 1; i < min(most, len(st.queue)) && st.queue[i].early; i++ {
		next := &st.queue[i]
		if next.ended || next.Run.Ready {
			continue
		}
		if next.start > t {
			h.beginAt(st, next.start)
			return
		}
		next.Run.Ready = true
		h.inspect(t)
	}
}

// DispatchLatency is how long a kernel of the host is on its way to the distributor.
func (h *Host) DispatchLatency(k *Kernel) Time {
	if h.captured() && k.Recorded != nil && k.Recorded.StartNs >= 0 {
		return 0
	}
	return Time(h.cfg.KMU.DispatchLatency)
}

// beginAt makes the first operation of a stream begin at a later time, or the one
// behind it that need not wait for its end.
func (h *Host) beginAt(st *Stream, t Time) {
	if st.due == 0 {
		h.dated++
	}
	st.due = t
	h.dev.Run(t)
}

// beginDue begins the operations whose start has come.
func (h *Host) beginDue(t Time) {
	if h.dated == 0 {
		return
	}
	for _, st := range h.streamList {
		if st.due > 0 && st.due <= t {
			st.due = 0
			h.dated--
			h.begin(st, t)
		}
	}
}
