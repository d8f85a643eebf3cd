package timeline

import "gpureplay/trace"

type thread struct{ host, id uint64 }

// last is a thread: its last use, and its progress.
type last struct {
	device  uint32
	stream  uint64
	pending uint64 // waits that are not explained, since
	busy    int64  // end of its last call
	slow    int64  // start of its last slow launch
	started bool
	written bool   // it has a number
	number  uint32 // in the trace
	process uint32
}

// turn makes the thread of an operation current. Work without a call is of the thread that
// gave its stream work before.
func (e *emitter) turn(r *row, used *last) {
	if r.flags&flagHostTime == 0 {
		used = e.users[r.stream]
		if used == nil {
			used = e.at
		}
	}
	if used == nil {
		used = &e.first
	}
	e.at = used
	if r.side == sideActivity && (e.users[r.stream] != nil || len(e.users) < maxEvents) {
		e.users[r.stream] = used
	}
}

// number gives a thread its number in the trace, when its first operation is written.
func (e *emitter) number(th *last, host uint64) {
	if th.written {
		return
	}
	process, ok := e.hosts[host]
	if !ok {
		process = uint32(len(e.hosts))
		e.hosts[host] = process
	}
	th.written, th.number, th.process = true, min(e.numbers, trace.MaxThreads-1), process
	e.numbers++
}
