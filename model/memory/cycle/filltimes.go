package cycle

import (
	"gpureplay/model/memory/timing"
)

// fillTimes are the fill times of the misses of a cache that are known, in order.
type fillTimes struct {
	timing.TimeQueue
	seen Time // the latest that has been requested
}

// admit returns when one more of a limited number of misses may be on its way, for a request at t.
func (f *fillTimes) admit(t Time, limit int) Time {
	f.seen = max(f.seen, t)
	if f.N < limit {
		return t // those that are over need not be looked for
	}
	f.Drop(f.seen)
	if f.N < limit {
		return t
	}
	return max(t, f.Pop())
}

// earliest returns the earliest time, or Never.
func (f *fillTimes) earliest() Time {
	if f.N == 0 {
		return Never
	}
	return f.First()
}
