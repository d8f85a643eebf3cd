package timing

// FillTimes are the fill times of the misses of a cache that are known, in order.
type FillTimes struct {
	TimeQueue
	seen Time // the latest that has been requested
}

// Admit returns when one more of a limited number of misses may be on its way, for a request at t.
func (f *FillTimes) Admit(t Time, limit int) Time {
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

// Earliest returns the earliest time, or Never.
func (f *FillTimes) Earliest() Time {
	if f.N == 0 {
		return Never
	}
	return f.First()
}
