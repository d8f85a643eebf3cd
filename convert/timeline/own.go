package timeline

import (
	"math"

	"gpureplay/trace"
)

// own finds the time for which a call kept the host, waits left out: for a call that waits, from the end of the
// awaited work; for any other, its whole time. Time already charged to earlier calls of other threads is not
// counted again.
type own struct {
	from, end int64            // of the call
	ended     int64            // of all that has been issued
	streams   map[uint64]int64 // end of the work issued to each
	events    map[uint64]int64 // end of the work that each waits for
}

func newOwn() own {
	return own{ended: math.MinInt64, streams: map[uint64]int64{}, events: map[uint64]int64{}}
}

// call notes the time of a call.
func (o *own) call(from, end int64) { o.from, o.end = from, end }

// after is the rest of the call after a time.
func (o *own) after(t int64) int64 { return max(0, o.end-max(o.from, t)) }

// issued notes an activity of a stream.
func (o *own) issued(stream uint64, end int64) {
	o.ended = max(o.ended, end)
	if was, ok := o.streams[stream]; ok || len(o.streams) < maxEvents {
		o.streams[stream] = max(was, end)
	}
}

// waitsForAll reports whether a call waited for all streams, whatever it names: the named work had ended before,
// and it waited longer for the end of the others than it took to end behind it. The legacy default stream does so,
// and an event in it.
func (o *own) waitsForAll(op *trace.HostOp) bool {
	var named int64
	switch op.Kind {
	case trace.OpSyncStream:
		named = o.streams[op.Stream]
	case trace.OpSyncEvent:
		named = o.events[op.Event]
	default:
		return false
	}
	return named <= o.from && o.ended <= o.end && o.end-o.ended < o.ended-o.from
}

// waiting is the host's own time of a call that has no activity.
func (o *own) waiting(op *trace.HostOp) int64 {
	switch op.Kind {
	case trace.OpSyncDevice:
		return o.after(o.ended)
	case trace.OpSyncStream:
		return o.after(o.streams[op.Stream])
	case trace.OpSyncEvent:
		return o.after(o.events[op.Event])
	case trace.OpEventRecord:
		o.events[op.Event] = o.streams[op.Stream] // as many as the emitter lets there be
	}
	return o.after(0)
}
