package host

import "gpureplay/trace"

// endBound runs the host's program under Bound, the bound of overlapping a single kernel with each end of the
// program. The prelude hides the first kernel, which starts at once, and the postlude starts with the last kernel.
// Everything else is serial (CRCS/PPCS paper, figure 1(c)).
type endBound struct {
	h         *Host
	launches  int
	prelude   Time // end of the file reads
	lastStart Time // first CTA of the kernel that ended last
	postlude  Time // end of the file writes
}

// Issue is of [Submission].
func (b *endBound) Issue(op *trace.HostOp, t Time) (busy Time, again bool, err error) {
	h := b.h
	switch op.Kind {
	case trace.OpFileRead:
		if b.launches > 0 {
			break
		}
		start := max(t, b.prelude)
		b.prelude = start + h.Storage.Cycles(op.Bytes)
		h.dev.Took(op.Kind, op.Array, start, b.prelude, op.Bytes)
		return 0, false, nil
	case trace.OpLaunch:
		if b.launches > 0 && t < b.prelude {
			h.Sleep(b.prelude-t, t)
			return 0, true, nil
		}
		b.launches++
	case trace.OpFileWrite:
		if h.Open > 0 {
			h.at.wait = h.drained
			return 0, true, nil
		}
		start := max(b.lastStart, b.postlude)
		b.postlude = start + h.Storage.Cycles(op.Bytes)
		h.dev.Took(op.Kind, op.Array, start, b.postlude, op.Bytes)
		return 0, false, nil
	}
	return inStreams{h}.Issue(op, t)
}
