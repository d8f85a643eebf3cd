package model

import "gpureplay/trace"

// submission hands the operations of the host's program to the GPU in the way of one
// mode, one after another.
type submission interface {
	// issue performs an operation in cycle t and returns for how long it keeps the
	// host. again: the host comes to it again, behind that time, behind its wait, or, if
	// there is neither, when it is run next.
	issue(op *trace.HostOp, t Time) (busy Time, again bool, err error)
}

// newSubmission returns the mode of a policy: its kernels overlap, or are hidden at
// both ends of the program, or are in streams; narrow tasks go to their runtime.
func newSubmission(m *Machine) submission {
	var kernels submission = inStreams{m.host}
	switch {
	case m.access != nil:
		kernels = inAccesses{m.access}
	case m.policy.Host == HostBound:
		kernels = &m.host.bound
	}
	return tasked{m.host, kernels}
}

// inAccesses has the dependency issue operations.
type inAccesses struct{ d AccessDependency }

func (x inAccesses) issue(op *trace.HostOp, t Time) (busy Time, again bool, err error) {
	return x.d.Issue(op, t)
}

// inStreams issues operations as the program says.
type inStreams struct{ h *host }

func (x inStreams) issue(op *trace.HostOp, t Time) (busy Time, again bool, err error) {
	busy, err = x.h.issue(op, t)
	return busy, x.h.held, err
}

// tasked hands narrow tasks to their runtime, and all else on.
type tasked struct {
	h       *host
	kernels submission
}

func (x tasked) issue(op *trace.HostOp, t Time) (busy Time, again bool, err error) {
	if done, err := x.h.asTask(t); done || err != nil {
		return 0, x.h.held, err
	}
	return x.kernels.issue(op, t)
}
