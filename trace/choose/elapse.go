package choose

import (
	"maps"
	"slices"

	"gpureplay/trace"
	"gpureplay/trace/container"
)

// elapsed writes operations of the host without the host time before time 0 of the chosen part. It follows the
// clock of each thread. A call has its time. From there on work and calls take their recorded time, and a wait ends
// no earlier than the work that it waits for.
type elapsed struct {
	s       *Selection
	w       *container.Writer
	threads map[uint32]*clock
	*clock                   // of the current thread
	begin   int64            // the first call, ns; -1: none came
	ends    map[uint64]int64 // of issued work, by stream
	events  map[uint64]int64 // of work issued before an event was recorded
	last    int64            // of all that was issued
}

// clock is how far a thread is.
type clock struct {
	at    int64        // ns
	work  trace.HostOp // its work before an operation
	works bool         // it is to be written
	since int64        // when it began
}

func newElapsed(s *Selection, w *container.Writer) *elapsed {
	return &elapsed{s: s, w: w, threads: make(map[uint32]*clock), begin: -1, ends: make(map[uint64]int64),
		events: make(map[uint64]int64)}
}

// next takes an operation in its turn, chosen or not.
func (e *elapsed) next(op *trace.HostOp, chosen bool) error {
	if e.clock = e.threads[op.Thread]; e.clock == nil {
		e.clock = &clock{at: max(0, e.begin)}
		e.threads[op.Thread] = e.clock
	}
	if op.Kind == trace.OpHostWork {
		err := e.flush()
		e.work, e.works, e.since = *op, chosen, e.at
		e.at += op.Ns
		return err
	}
	r, err := e.recorded(op)
	if err != nil {
		return err
	}
	if r != nil && r.HostNs >= 0 {
		e.called(op, r, chosen)
	}
	if err := e.flush(); err != nil {
		return err
	}
	e.work = trace.HostOp{}
	e.wait(op, r)
	began := e.at
	e.at += op.Ns
	if !chosen {
		return nil
	}
	c := *op
	e.cut(&c, began)
	return e.s.writeOp(e.w, &c)
}

// called sets the clock by a call. A launch that loaded code was called before the work
// that stands before it, which stays with it.
func (e *elapsed) called(op *trace.HostOp, r *trace.Recorded, chosen bool) {
	if e.begin < 0 {
		e.begin = r.HostNs
	}
	if op.Kind != trace.OpLaunch || op.Ns > 0 || e.work.Ns == 0 {
		e.since, e.at = r.HostNs-e.work.Ns, r.HostNs
		return
	}
	e.since, e.at = r.HostNs, r.HostNs+e.work.Ns
	e.works = e.works || chosen && e.gone(e.since) < e.work.Ns
}

// wait moves the clock to the end of the awaited work, and notes the operation's own work.
func (e *elapsed) wait(op *trace.HostOp, r *trace.Recorded) {
	end := endOf(r)
	switch {
	case op.Kind == trace.OpSyncDevice:
		e.at = max(e.at, e.last)
	case op.Kind == trace.OpSyncStream:
		e.at = max(e.at, e.ends[op.Stream])
	case op.Kind == trace.OpSyncEvent:
		e.at = max(e.at, e.events[op.Event])
	case op.Kind == trace.OpEventRecord:
		e.events[op.Event] = e.ends[op.Stream]
	case moves(op.Kind) && !op.Async:
		e.at = max(e.at, end)
	}
	if end >= 0 {
		e.ends[op.Stream], e.last = max(e.ends[op.Stream], end), max(e.last, end)
	}
}

// gone is the time that had passed of work that began then.
func (e *elapsed) gone(began int64) int64 {
	if e.s.Origin < 0 {
		return 0
	}
	return max(0, e.s.Origin-began)
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

// end writes the work that all threads hold.
func (e *elapsed) end() error {
	for _, id := range slices.Sorted(maps.Keys(e.threads)) {
		e.clock = e.threads[id]
		if err := e.flush(); err != nil {
			return err
		}
	}
	return nil
}

// flush writes the work that the thread holds.
func (e *elapsed) flush() error {
	if !e.works {
		return nil
	}
	e.works = false
	c := e.work
	e.cut(&c, e.since)
	return e.s.writeOp(e.w, &c)
}

// cut takes the passed time from the host's time in an operation that began then.
func (e *elapsed) cut(op *trace.HostOp, began int64) { op.Ns -= min(op.Ns, e.gone(began)) }
