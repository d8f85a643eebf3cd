package choose

import "gpureplay/trace"

// elapsed writes operations of the host without what of the host's time in them went by
// while work left out kept the device, before calls count as made.
type elapsed struct {
	s      *Selection
	w      *trace.Writer
	before int64        // of the time that follows, what went by
	work   trace.HostOp // the host's work before an operation
	works  bool         // it is to be written
}

// next takes an operation in its turn, chosen or not.
func (e *elapsed) next(op *trace.HostOp, chosen bool) error {
	if op.Kind == trace.OpHostWork {
		err := e.flush()
		e.work, e.works = *op, chosen
		return err
	}
	if !chosen {
		err := e.flush()
		e.work = trace.HostOp{}
		return err
	}
	r, err := e.recorded(op)
	if err != nil {
		return err
	}
	called := r != nil && r.HostNs >= 0
	if called && op.Kind == trace.OpLaunch && op.Ns == 0 && e.work.Ns > 0 { // it loaded code, which stands before it as work
		e.before = e.gone(r)
		e.works = e.works || e.work.Ns > e.before
	}
	if err := e.flush(); err != nil {
		return err
	}
	c := *op
	switch {
	case called && e.work.Ns == 0 || called && op.Ns > 0:
		e.before = e.gone(r)
	case !called:
		e.before = 0 // how much of a wait went by is not known
	}
	if moves(op.Kind) && !op.Async {
		e.before = 0 // its time is behind the copy
	}
	e.work = trace.HostOp{}
	e.cut(&c)
	return e.s.writeOp(e.w, &c)
}

// gone is what had gone by of a call, and behind it, when it counts as made.
func (e *elapsed) gone(r *trace.Recorded) int64 {
	if e.s.Origin < 0 {
		return 0
	}
	return max(0, e.s.clamp-r.HostNs)
}

// recorded are the times of an operation.
func (e *elapsed) recorded(op *trace.HostOp) (*trace.Recorded, error) {
	if op.Kind != trace.OpLaunch {
		return op.Recorded, nil
	}
	var k trace.Kernel
	err := e.s.r.Kernel(op.Kernel, &k)
	return k.Recorded, err
}

// flush writes the work that is held.
func (e *elapsed) flush() error {
	if !e.works {
		return nil
	}
	e.works = false
	c := e.work
	e.cut(&c)
	return e.s.writeOp(e.w, &c)
}

// cut takes what went by from the host's time in an operation.
func (e *elapsed) cut(op *trace.HostOp) {
	gone := min(op.Ns, e.before)
	op.Ns -= gone
	e.before -= gone
}
