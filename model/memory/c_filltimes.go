package memory

// fillTimes are the fill times of the misses of a cache that are known, in order.
type fillTimes struct {
	timeQueue
	seen Time // the latest that has been asked for
}

// admit returns when one more of a limited number of misses may be on its way, for a request at t.
func (f *fillTimes) admit(t Time, limit int) Time {
	f.seen = max(f.seen, t)
	if f.n < limit {
		return t // those that are over need not be looked for
	}
	f.drop(f.seen)
	if f.n < limit {
		return t
	}
	return max(t, f.pop())
}

// earliest returns the earliest time, or Never.
func (f *fillTimes) earliest() Time {
	if f.n == 0 {
		return Never
	}
	return f.first()
}
