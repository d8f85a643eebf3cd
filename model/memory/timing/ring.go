package timing

import (
	"gpureplay/model/memory/hostmem"
)

// LeaveTimes is a queue of a fixed number of entries in front of a port. It keeps when
// its last entries leave, in the order of their coming.
type LeaveTimes struct {
	leaves []Time
	next   int
}

func NewLeaveTimes(t *hostmem.Tables, n int) LeaveTimes {
	return LeaveTimes{leaves: hostmem.NewTable[Time](t, n)}
}

// Room returns from when on, not before t, the queue has a free entry.
func (r *LeaveTimes) Room(t Time) Time {
	return max(t, r.leaves[r.next])
}

// Put takes an entry that leaves at t.
func (r *LeaveTimes) Put(t Time) {
	r.leaves[r.next] = t
	if r.next++; r.next == len(r.leaves) {
		r.next = 0
	}
}
