package host

import (
	"cmp"
	"slices"

	"gpureplay/trace"
)

// Unrecorded work: an operation had been called, the one before it in its stream had ended, and yet the device did
// nothing, in any stream, for longer than a launch takes. Then something ran, or was waited for, that the capture
// has no record of (kernels of a graph that the profiler missed, mostly). With the host's times as recorded, or
// none, that time passes before the operation begins.

// span is an interval of time, in ns.
type span struct{ from, to int64 }

// idle returns the gaps of more than least between works, in order.
func idle(works []span, least int64) []span {
	slices.SortFunc(works, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	var gaps []span
	for i, end := 0, int64(0); i < len(works); i++ {
		if i > 0 && works[i].from-end > least {
			gaps = append(gaps, span{end, works[i].from})
		}
		end = max(end, works[i].to)
	}
	return gaps
}

// idleIn is for how long the device did nothing in an interval, in gaps of more than the
// usual delay of a launch.
func (c *Capture) idleIn(from, to int64) int64 {
	i, _ := slices.BinarySearchFunc(c.idle, from, func(s span, t int64) int { return cmp.Compare(s.to, t) })
	sum := int64(0)
	for ; i < len(c.idle) && c.idle[i].from < to; i++ {
		sum += max(0, min(to, c.idle[i].to)-max(from, c.idle[i].from))
	}
	return sum
}

// unrecorded is the time before an operation that had been called, since the one before it in its stream ended, in
// which the device did nothing recorded. A node of a graph has nothing of the host before it, and waits for nothing
// outside: work of other streams does not count.
func (h *Host) unrecorded(op *trace.HostOp, r *trace.Recorded, node bool) Time {
	last, ok := h.lastEnd[op.Stream]
	if h.way.Serial() { // the time between two operations of its one stream is the time in which no stream had work
		last, ok, node = h.lastAll, h.lastAll > 0, false
	}
	if !ok || r.HostNs < 0 || r.StartNs < 0 || last <= r.HostNs || h.capture == nil {
		return 0
	}
	usual := h.capture.usual[delayOfLaunch]
	if gap := r.StartNs - last; node && gap > usual {
		return Cycles(gap, h.cfg)
	}
	called := r.HostNs + op.Ns + usual
	if op.Ns == 0 { // a launch that loaded code, which stands before it as work
		called += h.at.worked
	}
	return Cycles(h.capture.idleIn(max(last, called), r.StartNs), h.cfg)
}
