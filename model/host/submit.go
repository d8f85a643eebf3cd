package host

import "gpureplay/trace"

// Submission hands the operations of the host's program to the GPU in the way of one
// mode, one after another.
type Submission interface {
	// issue performs an operation in cycle t and returns for how long it keeps the
	// host. again: the host comes to it again, behind that time, behind its wait, or, if
	// there is neither, when it is run next.
	Issue(op *trace.HostOp, t Time) (busy Time, again bool, err error)
}

// inStreams issues operations as the program says.
type inStreams struct{ h *Host }

// Issue is of [Submission].
func (x inStreams) Issue(op *trace.HostOp, t Time) (busy Time, again bool, err error) {
	busy, err = x.h.issue(op, t)
	return busy, x.h.at.held, err
}
