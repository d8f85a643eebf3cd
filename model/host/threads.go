package host

import (
	"errors"
	"fmt"
	"io"
	"math"

	"gpureplay/trace"
)

// Host threads. Each thread of the trace issues its own operations, in their order; its first work counts from the
// beginning of the program. A wait holds its own thread.
//
// The capture does not say why a thread waited for another one. Two rules keep CUDA's order of streams and events.
// An operation that names a stream or an event is issued behind earlier ones that name it, and OpSyncDevice behind
// its process's operations. Of several threads that can go on, the one whose operation comes first in the program
// does.

// maxAhead is how many operations are read ahead of the thread that is furthest back. It
// bounds memory; a thread whose next operation lies further ahead waits for the others.
const maxAhead = 1 << 14

// thread is a host thread.
type thread struct {
	ahead   []call // read, and not come to
	next    call   // the operation that it comes to
	held    bool   // next has been read and waits for something
	ended   bool
	begun   bool           // it has issued something
	yields  bool           // its operation comes again when the host is run next
	wait    func() bool    // it goes on when this holds; nil: it does not wait
	tail    Time           // for how long it is kept when its wait ends
	in      [numPlaces]int // its operations that have not completed, by their places in the queue
	called  int64          // when its last call was made that issued something, ns; -1: none was
	took    int64          // how long that call was recorded to last, ns
	lasts   Time           // when that call ends on the machine; 0: it has
	worked  int64          // its work since its last launch, the latest stretch of it, ns
	graphs  graphs
	process uint32
}

// call is an operation of the program in its place.
type call struct {
	op            trace.HostOp
	number        uint64 // in the program
	stream        *Stream
	event         *turns
	streams, wait uint64 // operations before it that name its stream, its event
	follows       bool   // it comes behind its stream's operations, and none behind it
}

// turns counts the operations that name an event.
type turns struct{ read, gone uint64 }

// threads are the threads of a program that has several.
type threads struct {
	all    []*thread
	ahead  int    // operations read ahead
	read   uint64 // operations read
	ended  bool   // the program has been read
	events map[uint64]*turns
}

func newThread(way Mode) *thread {
	th := &thread{called: -1}
	th.graphs.on = way == Graph
	return th
}

// AsOne makes one thread of all: the host issues the trace's operations in their order.
func (h *Host) AsOne() { h.threads = nil }

// several reports whether threads issue by themselves.
func (h *Host) several() bool { return h.threads != nil }

// runThreads lets all threads go on in cycle t until each has to wait.
func (h *Host) runThreads(t Time) error {
	for _, th := range h.threads.all {
		th.yields = false
	}
	for {
		if err := h.readAhead(); err != nil {
			return err
		}
		th := h.firstAble()
		if th == nil {
			break
		}
		h.at = th
		if _, err := h.step(t); err != nil {
			return err
		}
	}
	if h.over || !h.threads.ended || h.threads.ahead > 0 {
		return nil
	}
	for _, th := range h.threads.all {
		if th.held || th.wait != nil {
			return nil
		}
		th.ended = true
	}
	h.over = true
	return h.dev.Drained(t)
}

// firstAble is the thread that goes on: the one whose operation comes first in the
// program.
func (h *Host) firstAble() (best *thread) {
	first := uint64(math.MaxUint64)
	for _, th := range h.threads.all {
		number := uint64(0) // of a wait that ends
		switch {
		case th.wait != nil:
			if !th.wait() {
				continue
			}
		default:
			c := th.first()
			if th.yields || c == nil || !h.inTurnOf(th, c) {
				continue
			}
			number = c.number
		}
		if best == nil || number < first {
			best, first = th, number
		}
	}
	return best
}

// first is the operation that a thread issues next; nil: none has been read.
func (th *thread) first() *call {
	switch {
	case th.held:
		return &th.next
	case len(th.ahead) > 0:
		return &th.ahead[0]
	}
	return nil
}

// inTurnOf reports whether all operations before one of a thread have been issued.
func (h *Host) inTurnOf(th *thread, c *call) bool {
	if c.stream != nil && c.stream.gone < c.streams || c.event != nil && c.event.gone < c.wait {
		return false
	}
	if c.op.Kind != trace.OpSyncDevice {
		return true
	}
	for _, other := range h.threads.all {
		if next := other.first(); other != th && other.process == th.process && next != nil && next.number < c.number {
			return false
		}
	}
	return true
}

// readAhead reads operations of the program and hands them to their threads.
func (h *Host) readAhead() error {
	s := h.threads
	if s.ended || s.ahead > maxAhead/2 {
		return nil
	}
	for s.ahead < maxAhead {
		var c call
		switch err := h.ops.Next(&c.op); {
		case errors.Is(err, io.EOF):
			s.ended = true
			return nil
		case err != nil:
			return fmt.Errorf("host operations: %w", err)
		}
		c.number = s.read
		s.read++
		h.order(&c)
		for uint32(len(s.all)) <= c.op.Thread {
			s.all = append(s.all, newThread(h.way))
		}
		th := s.all[c.op.Thread]
		th.process = c.op.Process
		th.ahead = append(th.ahead, c)
		s.ahead++
	}
	return nil
}

// order notes the operations before one in its stream and of its event. Streams are numbered as the program names
// them, whichever thread comes to them first.
func (h *Host) order(c *call) {
	switch c.op.Kind {
	case trace.OpLaunch, trace.OpEventRecord, trace.OpStreamWait,
		trace.OpCopyH2D, trace.OpCopyD2H, trace.OpCopyD2D, trace.OpCopyP2P, trace.OpMemset:
		c.stream = h.Stream(c.op.Stream)
		c.streams = c.stream.read
		c.stream.read++
	case trace.OpSyncStream:
		c.stream, c.follows = h.Stream(c.op.Stream), true
		c.streams = c.stream.read
	}
	switch c.op.Kind {
	case trace.OpEventRecord, trace.OpStreamWait, trace.OpSyncEvent:
		if c.event = h.threads.events[c.op.Event]; c.event == nil {
			c.event = &turns{}
			h.threads.events[c.op.Event] = c.event
		}
		c.wait = c.event.read
		c.event.read++
	}
}

// issued notes that an operation has been issued.
func (c *call) issued() {
	if c.stream != nil && !c.follows {
		c.stream.gone++
	}
	if c.event != nil {
		c.event.gone++
	}
}

// take makes the next operation of the current thread the one that it comes to.
func (h *Host) take() (ok bool, err error) {
	th := h.at
	if h.several() {
		if len(th.ahead) == 0 {
			return false, nil
		}
		th.next, th.ahead = th.ahead[0], th.ahead[1:]
		h.threads.ahead--
		return true, nil
	}
	switch err := h.ops.Next(&th.next.op); {
	case errors.Is(err, io.EOF):
		th.ended, h.over = true, true
		return false, nil
	case err != nil:
		return false, fmt.Errorf("host operations: %w", err)
	}
	return true, nil
}

// settled returns whether the streams of a process have completed their work so far.
func (h *Host) settled(process uint32) func() bool {
	if !h.several() {
		return h.drained
	}
	var left []func() bool
	for _, st := range h.streamList {
		for i := len(st.queue) - 1; i >= 0; i-- {
			if st.queue[i].by.process == process {
				left = append(left, st.settled(i+1))
				break
			}
		}
	}
	return func() bool {
		for len(left) > 0 {
			if !left[0]() {
				return false
			}
			left = left[1:]
		}
		return h.dev.Idle()
	}
}

// settled returns whether a stream has completed the first operations in it.
func (st *Stream) settled(first int) func() bool {
	upTo := st.popped + uint64(first)
	return func() bool { return st.popped >= upTo }
}
