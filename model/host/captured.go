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
//  4. A kernel that was recorded to begin before others before it in its stream had
//     ended waits for the beginning of the one before it, and not for the ends of those: a programmatic
//     launch, or a queue that overlaps. Replays with the host as recorded do so too, and keep the recorded time
//     between the two beginnings.
//  5. Kernels run as in any replay: their work is inferred from the recorded
//     duration where the trace has no instructions.
//
// Work without a recorded start begins as early as the program lets it. Cycle 0 is
// where the host's program begins, as in every replay ([Capture].Origin).

// recorded adds the recorded times to an operation that is issued in cycle t: all of them under Captured, else the
// ones that [Timing] names.
func (h *Host) recorded(op StreamOp, of *trace.HostOp, r *trace.Recorded, t Time) StreamOp {
	if h.at.graphs.node {
		op.place = placeNone
	}
	if r == nil {
		return op
	}
	place := h.placeOf(of, r)
	if !h.at.graphs.node {
		op.place = place
	}
	if h.captured() {
		op.start, op.duration = h.since(r.StartNs), Cycles(r.DurationNs, h.cfg)
		h.overlaps(&op, of.Stream, r)
		return op
	}
	if h.timing.Host == TimesRecorded && h.way != Freed && !h.way.Serial() {
		h.overlaps(&op, of.Stream, r)
		op.lead = Cycles(r.StartNs-h.lastStart[of.Stream], h.cfg)
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

// placeOf is the place of a recorded operation in the queue to the device.
func (h *Host) placeOf(op *trace.HostOp, r *trace.Recorded) queuePlace {
	switch {
	case r.StartNs < 0:
	case r.HostNs < 0:
		return placePast
	case r.HostNs == h.at.called:
		return placeNone
	default:
		h.at.called, h.at.took = r.HostNs, op.Ns
	}
	return placeOne
}

func (h *Host) captured() bool { return h.way == Captured }

// since is the cycle of a time of the capture.
func (h *Host) since(ns int64) Time { return Cycles(ns-h.capture.Origin, h.cfg) }

// overlaps notes whether a kernel was recorded to begin before the one that was
// issued before it into its stream had ended.
func (h *Host) overlaps(op *StreamOp, stream uint64, r *trace.Recorded) {
	if op.Kind != trace.OpLaunch || r.StartNs < 0 {
		return
	}
	op.from, op.to = r.StartNs, r.StartNs+max(0, r.DurationNs)
	end, ok := h.lastEnd[stream]
	op.early = ok && r.StartNs < end
	op.Run.Early = op.early
}

// beside reports whether the operation at a place of a stream was recorded to begin before those in
// front of it had ended.
func (st *Stream) beside(i int) bool {
	for j := range i {
		if o := &st.queue[j]; !o.ended && st.queue[i].from >= o.to {
			return false
		}
	}
	return true
}

// overtakes lets the kernel behind the one that has begun in a stream begin too, if
// it is a programmatic launch; under [Freed] all kernels behind it, up to a copy or
// an event.
func (h *Host) overtakes(st *Stream, t Time) {
	if h.Gate != nil {
		h.OpenKernels(st, t)
		return
	}
	for i := 1; i < len(st.queue) && st.queue[i].early; i++ {
		next := &st.queue[i]
		if next.ended || next.Run.Ready {
			continue
		}
		if h.way != Freed && !st.beside(i) {
			return
		}
		if at := max(next.start, st.queue[i-1].begun+next.lead); at > t {
			h.beginAt(st, at)
			return
		}
		next.Run.Ready, next.begun = true, t
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
