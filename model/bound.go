package model

import "gpureplay/trace"

// endBound runs the host's program under HostBound, the bound of overlapping a
// single kernel with each end of the program: the prelude hides the first
// kernel, which starts at once, and the postlude starts with the last kernel.
// Everything else is serial (CRCS/PPCS paper, figure 1(c)).
type endBound struct {
	launches  int
	prelude   Time // end of the file reads
	lastStart Time // first CTA of the kernel that ended last
	postlude  Time // end of the file writes
}

// issue performs one operation; serial: it is performed as under HostSerial.
// again: the host waits and comes back with the same operation.
func (b *endBound) issue(h *host, op *trace.HostOp, t Time) (again, serial bool) {
	switch op.Kind {
	case trace.OpFileRead:
		if b.launches > 0 {
			return false, true
		}
		start := max(t, b.prelude)
		b.prelude = start + h.storage.cycles(op.Bytes)
		h.m.stage(StagePrelude, op.Array, start, b.prelude, op.Bytes)
		return false, false
	case trace.OpLaunch:
		if b.launches > 0 && t < b.prelude {
			h.sleep(b.prelude-t, t)
			return true, false
		}
		b.launches++
		return false, true
	case trace.OpFileWrite:
		if h.open > 0 {
			h.wait = h.drained
			return true, false
		}
		start := max(b.lastStart, b.postlude)
		b.postlude = start + h.storage.cycles(op.Bytes)
		h.m.stage(StagePostlude, op.Array, start, b.postlude, op.Bytes)
		return false, false
	}
	return false, true
}
