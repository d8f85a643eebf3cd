package memory

// packet is a request on its way. Packets lie in their queues, side by side, so that what
// is first in one and last in another is in the host's caches; a store's bytes lie apart.
type packet struct {
	sector uint64
	ready  Time  // to leave its SM; then when it comes to its slice
	of     int32 // the access that waits for it; of a load through the L1 the fetch that it is
	rest   int32 // its request, if it has more than whole sectors; noRest: it has not
	slice  uint16
	sm     uint16
	way    way
	mask   uint8
}

// noRest is that of a request that reads sectors or writes them whole.
const noRest int32 = -1

// hasRest reports whether a request of a way has more than whole sectors.
func hasRest(w way, r *request) bool {
	switch w {
	case wayLoad, wayBypass:
		return false
	case wayStore, wayStorePast:
		for m, i := r.mask, 0; m != 0; m, i = m>>1, i+1 {
			if m&1 != 0 && r.bytes[i&3] != allBytes {
				return true
			}
		}
		return false
	}
	return true
}

// rests are requests with what packets have no room for.
type rests struct {
	all   []request
	free  []int32
	whole request // one that writes whole sectors
}

func newRests() rests {
	return rests{whole: request{turns: 1, bytes: [maxSectors]uint32{allBytes, allBytes, allBytes, allBytes}}}
}

// keep returns the number of a copy of a request.
func (s *rests) keep(r *request) int32 {
	n := len(s.free)
	if n == 0 {
		s.all = append(s.all, *r)
		return int32(len(s.all) - 1)
	}
	id := s.free[n-1]
	s.free = s.free[:n-1]
	s.all[id] = *r
	return id
}

// drop forgets the request of a packet, which is there until another is kept or dropped.
func (s *rests) drop(k *packet) *request {
	if k.rest == noRest {
		s.whole.sector, s.whole.mask = k.sector, k.mask
		return &s.whole
	}
	s.free = append(s.free, k.rest)
	return &s.all[k.rest]
}

// fifo is a queue of packets, a ring.
type fifo struct {
	ring []packet // a power of two
	head uint32
	n    int32
}

// first returns the first packet of a queue that is not empty.
func (q *fifo) first() *packet { return &q.ring[q.head&uint32(len(q.ring)-1)] }

// pop takes the first packet out, which is where it was until another is pushed.
func (q *fifo) pop() *packet {
	k := q.first()
	q.head++
	if q.n--; q.n == 0 {
		q.head = 0 // what is at hand is in the host's caches
	}
	return k
}

// push puts a copy of a packet behind the others.
func (q *fifo) push(k *packet) {
	if int(q.n) == len(q.ring) {
		q.grow()
	}
	q.ring[(q.head+uint32(q.n))&uint32(len(q.ring)-1)] = *k
	q.n++
}

func (q *fifo) grow() {
	ring := make([]packet, max(4, 2*len(q.ring)))
	for i := range uint32(q.n) {
		ring[i] = q.ring[(q.head+i)&uint32(len(q.ring)-1)]
	}
	q.ring, q.head = ring, 0
}
