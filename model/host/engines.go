package host

import "gpureplay/trace"

// engines are the copy engines as recorded copies show them. There is one a direction, as long as no two of its
// copies went on side by side. There is one for both, if a copy waited for one of the other direction and none went
// on beside one.
type engines struct {
	ended   [3]int64 // per direction: when its last copy ended
	abreast [3]bool  // copies of a direction went on side by side
	crossed bool     // copies to the device and to the host did
	waited  bool     // one that had been called began behind one of the other direction
}

// copied takes note of a copy.
func (e *engines) copied(kind trace.OpKind, r *trace.Recorded) {
	d := EngineOf(kind)
	e.abreast[d] = e.abreast[d] || r.StartNs < e.ended[d]
	if d < 2 {
		other := e.ended[1-d]
		e.crossed = e.crossed || r.StartNs < other
		e.waited = e.waited || r.HostNs >= 0 && r.HostNs < other && other <= r.StartNs && e.ended[d] <= other
	}
	e.ended[d] = max(e.ended[d], r.StartNs+max(0, r.DurationNs))
}

// free reports whether the engines of a kind had nothing to do at a time, as far as the
// copies so far tell.
func (e *engines) free(kind trace.OpKind, ns int64) bool {
	d := EngineOf(kind)
	return e.ended[d] <= ns && (d == 2 || e.ended[1-d] <= ns)
}

// one reports whether there is one engine for both directions.
func (e *engines) one() bool { return e.waited && !e.crossed }

// freeAt is the cycle from which on a recorded copy has its engine.
func (h *Host) freeAt(d int) Time {
	e := &h.capture.engines
	switch {
	case e.abreast[d]:
		return 0
	case d < 2 && e.one():
		return max(h.Engine[0], h.Engine[1])
	}
	return h.Engine[d]
}

// engineBusy reports whether the engine of a kind of copy had been recorded to be busy at a
// time, by the copies issued so far.
func (h *Host) engineBusy(kind trace.OpKind, ns int64) bool {
	d, e := EngineOf(kind), &h.capture.engines
	return !e.abreast[d] && (h.copied[d] > ns || d < 2 && e.one() && h.copied[1-d] > ns)
}

// usualCopy is how long a copy takes from its call to its begin that waits for nothing, in
// ns: no longer than on the machine, where few did not wait.
func (h *Host) usualCopy() int64 {
	usual := h.capture.usual[delayOfCopy]
	if h.capture.few {
		return min(usual, int64(h.cfg.Host.CopyLatencyNs))
	}
	return usual
}

// inTurn is the cycle before which a copy requested in cycle t does not begin: none begins
// before those that were called before it for its engine could.
func (h *Host) inTurn(kind trace.OpKind, t Time) Time {
	d := EngineOf(kind)
	if h.capture.engines.abreast[d] {
		return t
	}
	if d < 2 && h.capture.engines.one() {
		d = 0
	}
	h.turn[d] = max(h.turn[d], t)
	return h.turn[d]
}
