package memory

// ring is a queue of a fixed number of entries in front of a port. It keeps when
// its last entries leave, in the order of their coming.
type ring struct {
	leaves []Time
	next   int
}

func newRing(t *tables, n int) ring { return ring{leaves: newTable[Time](t, n)} }

// room returns from when on, not before t, the queue has a free entry.
func (r *ring) room(t Time) Time {
	return max(t, r.leaves[r.next])
}

// put takes an entry that leaves at t.
func (r *ring) put(t Time) {
	r.leaves[r.next] = t
	if r.next++; r.next == len(r.leaves) {
		r.next = 0
	}
}
