package cycle

import (
	"gpureplay/model/memory/coalesce"
	"gpureplay/model/memory/timing"
	"gpureplay/model/memory/unit"
)

// packet is a request on its way, and its reply. It lies in one place and goes from queue to queue; a store's bytes lie
// apart.
type packet struct {
	sector uint64
	ready  Time    // to leave its SM; then when it comes to its slice
	next   *packet // the one behind it in its queue; of one that is free the next
	of     int32   // the access that waits for it; of a load through the L1 the fetch that it is
	slice  uint16
	sm     uint16
	way    unit.Path
	mask   uint8
	rest   bool  // it has more than whole sectors, and of is its number in rests; of a reply: the last of its fetch
	flits  uint8 // to its slice
	kept   bool  // its sectors were there as its L1 was flushed: it hits
}

// packets are those that are on their way. The place that was left last is taken first: it is in the host's caches.
type packets struct{ free *packet }

// put returns a packet that is to be filled in.
func (s *packets) put() *packet {
	if s.free == nil {
		s.grow()
	}
	k := s.free
	s.free = k.next
	return k
}

// grow makes room for more packets, side by side.
func (s *packets) grow() {
	for more := make([]packet, 64); len(more) > 0; more = more[1:] {
		s.drop(&more[0])
	}
}

// drop removes a packet, which is there until another is put.
func (s *packets) drop(k *packet) { k.next, s.free = s.free, k }

// fifo is a queue of packets, a chain.
type fifo struct {
	head, tail *packet // where there are some
	n          int32
}

// push puts a packet behind the others.
func (q *fifo) push(k *packet) {
	if q.n == 0 {
		q.head = k
	} else {
		q.tail.next = k
	}
	q.tail = k
	q.n++
}

// pop takes the first packet out.
func (q *fifo) pop() *packet {
	k := q.head
	q.head = k.next
	q.n--
	return k
}

// injection has the requests of an SM that have not left it.
type injection struct {
	*inPort          // at the crossbar; other SMs may have the same
	misses  fifo     // the L1's queue
	bypass  fifo     // packets that bypass the L1
	stopped bool     // instructions wait for its unit
	held    uint64   // banks that have some
	banks   []l1Bank // of the L1
	loads   int32    // in them, where the L1 is looked up at their heads
	unsure  int32    // packets in them that may evict a line, or miss for certain; the others are [unit.PathHit]
	blocked bool     // one of these
	crowded uint64   // banks whose first load waits for room in the L1's queue: no sector has come to them since
	starved uint64   // and those whose first load waits for an MSHR
	port    timing.Reservations
	past    timing.Reservations // by which packets that bypass the L1 come to the crossbar

	depth, mostBypass int32 // most of a bank, and of bypassing packets
}

// l1Bank is the queue of a bank of an L1.
type l1Bank struct {
	fifo
	left Time // the last cycle in which one has left it, or will
}

// sliceQueue has those that wait at a slice.
type sliceQueue struct {
	fifo
	admission
	turn   int32    // the SM whose turn it is
	asks   int32    // SMs whose first packet is for the slice
	asking []uint64 // which
}

// payloads hold the parts of requests that packets have no room for.
type payloads struct {
	all   []payload
	free  []int32
	whole payload // of one that writes whole sectors
}

// payload is a request, and the access that waits for it.
type payload struct {
	coalesce.Request
	of int32
}

func newPayloads() payloads {
	p := payloads{whole: payload{Request: coalesce.Request{Turns: 1}}}
	for i := range p.whole.Bytes {
		p.whole.Bytes[i] = coalesce.AllBytes
	}
	return p
}

// keep returns the number of a copy of a request.
func (s *payloads) keep(r *coalesce.Request, of int32) int32 {
	n := len(s.free)
	if n == 0 {
		s.all = append(s.all, payload{*r, of})
		return int32(len(s.all) - 1)
	}
	id := s.free[n-1]
	s.free = s.free[:n-1]
	s.all[id] = payload{*r, of}
	return id
}

// of returns the request of a packet, which is there until another is kept or dropped.
func (s *payloads) of(k *packet) *payload {
	if !k.rest {
		s.whole.Sector, s.whole.Mask, s.whole.of = k.sector, k.mask, k.of
		return &s.whole
	}
	return &s.all[k.of]
}

// drop removes the request of a packet, which is there until another is kept or dropped.
func (s *payloads) drop(k *packet) *payload {
	if k.rest {
		s.free = append(s.free, k.of)
	}
	return s.of(k)
}
