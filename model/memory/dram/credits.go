package dram

// credits are the places of a channel's requests, from the constant latency until their data have left the channel
// (arbitration_metadata of GPGPU-Sim's memory_partition_unit). Each slice has one of its own; the others are for all.
type credits struct {
	shared int      // places for all that are not taken
	due    []credit // places that are free from a cycle on, in the order of these
	given  int      // of due: these are over
}

// credit is a place that a request of a slice gives back.
type credit struct {
	at    Time
	slice uint16
}

// returns notes that a request gives its place back in cycle w.
func (c *credits) returns(slice uint16, w Time) {
	if c.given == len(c.due) {
		c.due, c.given = c.due[:0], 0
	}
	c.due = append(c.due, credit{w, slice})
	for i := len(c.due) - 1; i > c.given && c.due[i-1].at > w; i-- {
		c.due[i-1], c.due[i] = c.due[i], c.due[i-1]
	}
}

// returned is the cycle in which a place is free next, of those that are not.
func (c *credits) returned() Time {
	if c.given == len(c.due) {
		return Never
	}
	return c.due[c.given].at
}

// free gives back the places that are free by cycle w. A slice gets its own back first.
func (c *Channel) free(w Time) {
	for c.returned() <= w {
		if q := &c.slices[c.due[c.given].slice]; q.own {
			q.own = false
		} else {
			c.shared++
		}
		c.given++
	}
}

// hasPlace reports whether there is a place for a request of a slice.
func (c *Channel) hasPlace(q *sliceQueue) bool { return !q.own || c.shared > 0 }

// takePlace has a request of a slice take a place: the slice's own first.
func (c *Channel) takePlace(q *sliceQueue) {
	if q.own {
		c.shared--
	}
	q.own = true
}

// leaves returns the cycle from which on the first request of a slice may leave it.
func (c *Channel) leaves(q *sliceQueue) Time {
	if q.n > 0 && !c.hasPlace(q) {
		return max(q.at, c.returned())
	}
	return q.at
}
