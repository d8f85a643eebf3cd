package cycle

import (
	"math/bits"

	"gpureplay/model/memory"
	"gpureplay/model/memory/coalesce"
	"gpureplay/model/memory/hostmem"
	"gpureplay/model/memory/timing"
	"gpureplay/model/memory/unit"
)

// replies has the answers of a slice that have not left it, in the order in which it
// has them. One that is for an SM which takes another's holds those behind it, as
// requests do.
type replies struct {
	hits    replyQueue // that take the slice's latency
	fills   replyQueue // replies of fills, one a cycle
	after   Time       // the next of these, at the soonest
	head    reply      // the first, which waits for its SM
	hasHead bool       // there is one
	offered bool       // and it has asked
	of      *slice
}

// reply is the reply of a slice to a request of an SM, ready from a time on.
type reply struct {
	at    Time
	of    int32 // as of its packet
	sm    uint16
	flits uint8
	way   unit.Path

	// Counts of the slice and its channel, in sectors, booked where the request is known.
	accesses, hits, reads, writes uint8
}

// replyQueue orders replies by time, equal times as they came: a ring.
type replyQueue struct {
	ring []reply // a power of two
	head uint32
	n    uint32
	soon Time // when the first is ready
}

func newReplyQueue() replyQueue { return replyQueue{ring: make([]reply, 8), soon: Never} }

// push puts an answer behind those that are ready no later.
func (q *replyQueue) push(x *reply) {
	if int(q.n) == len(q.ring) {
		q.grow()
	}
	mask := uint32(len(q.ring) - 1)
	i := q.head + q.n
	for ; i != q.head && q.ring[(i-1)&mask].at > x.at; i-- {
		q.ring[i&mask] = q.ring[(i-1)&mask]
	}
	q.ring[i&mask] = *x
	q.n++
	q.soon = min(q.soon, x.at)
}

// pop takes the first answer out.
func (q *replyQueue) pop(to *reply) {
	mask := uint32(len(q.ring) - 1)
	*to = q.ring[q.head&mask]
	q.head++
	if q.n--; q.n == 0 {
		q.head, q.soon = 0, Never // the words at hand are in the host's caches
		return
	}
	q.soon = q.ring[q.head&mask].at
}

func (q *replyQueue) grow() {
	ring := make([]reply, 2*len(q.ring))
	for i := range q.n {
		ring[i] = q.ring[(q.head+i)&uint32(len(q.ring)-1)]
	}
	q.ring, q.head = ring, 0
}

// ejection is where the answers for an SM come.
type ejection struct {
	asking  []uint64 // slices whose first answer is for the SM
	asks    int32    // how many
	turn    int32    // the slice whose turn it is
	coming  int32    // answers that slices have for the SM
	soonest Time     // none of these is there before
	port    timing.Reservations
}

// turnOf returns the one whose turn it is of those that ask; there is one.
func turnOf(asking []uint64, turn int32) int {
	w := int(turn >> 6)
	if w < len(asking) {
		if x := asking[w] >> (turn & 63); x != 0 {
			return int(turn) + bits.TrailingZeros64(x)
		}
		w++
	}
	for n := len(asking); ; w++ {
		if w >= n {
			w = 0
		}
		if asking[w] != 0 {
			return w<<6 + bits.TrailingZeros64(asking[w])
		}
	}
}

// serve has a slice perform a request in cycle at.
func (n *crossbar) serve(k *packet, s *slice, slice int, at Time) {
	m, c := n.m, &s.channel.Stats
	before, reads, writes := s.Stats.Hits, c.ReadSectors, c.WriteSectors
	s.waited, s.own, s.waitsFor, s.drives = false, false, noFetch, 0
	x := reply{of: k.of, sm: k.sm, way: k.way, accesses: uint8(bits.OnesCount8(k.mask))}
	switch k.way {
	case unit.PathLoad, unit.PathBypass:
		x.flits, x.at = m.MaskFlits[k.mask&(1<<coalesce.MaxSectors-1)], s.read(k.sector, k.mask, at)
	case unit.PathStore, unit.PathStoreBypass:
		r := n.rests.drop(k)
		x.of, x.at, x.flits = r.of, s.write(&r.Request, at), uint8(m.DataFlits[0])
	default:
		r := n.rests.drop(k)
		if r.Turns > 1 {
			at = s.in.Packet(at, r.Turns-1)
		}
		x.flits, x.of, x.at = m.MaskFlits[k.mask&(1<<coalesce.MaxSectors-1)], r.of, s.atomic(&r.Request, at)
	}
	if s.drives > 1 { // the port of its data reads one in a cycle (bandwidth_management::use_data_port)
		s.in.Packet(at, int(s.drives)-1)
	}
	x.hits, x.reads, x.writes = uint8(s.Stats.Hits-before), uint8(c.ReadSectors-reads), uint8(c.WriteSectors-writes)
	h := &n.ejects[n.portOf(int(k.sm))]
	if s.waitsFor != noFetch {
		x.at = at + s.rop + 1
		if h.coming++; h.coming == 1 || x.at < h.soonest {
			h.soonest = x.at
		}
		n.fills.hold(s.waitsFor, &x)
		return
	}
	if h.coming++; h.coming == 1 || x.at < h.soonest {
		h.soonest = x.at
	}
	b := &n.replies[slice]
	if x.at == at+s.rop+1 || s.waited {
		b.hits.push(&x)
	} else {
		b.fills.push(&x)
	}
	if !b.hasHead {
		n.post(n.offers+slice, x.at)
	}
}

// offerReply has the first answer of a slice ask its SM in cycle t, behind the SM that has
// let another of the slice in.
func (n *crossbar) offerReply(slice int, t Time, behind int) {
	b := &n.replies[slice]
	if b.offered || !b.hasHead && !n.nextReply(b, slice, t) {
		return
	}
	if b.head.at > t {
		n.post(n.offers+slice, b.head.at)
		return
	}
	port := n.portOf(int(b.head.sm))
	b.offered = true
	h := &n.ejects[port]
	h.asking[slice>>6] |= 1 << (slice & 63)
	h.asks++
	if port <= behind {
		n.follow(n.homing + port)
	} else {
		n.join(n.homing + port)
	}
}

// nextReply finds the first answer that a slice has in cycle t, and when it is at the crossbar; of one time, a
// fill's. The answers of fills come one in a cycle of the L2, hits between them (mshr_table::next_access,
// memory_sub_partition::cache_cycle).
func (n *crossbar) nextReply(b *replies, slice int, t Time) bool {
	q, at := &b.hits, b.hits.soon
	if fill := max(b.fills.soon, b.after); fill <= at {
		q, at = &b.fills, fill
	}
	if at > t {
		if at < Never {
			n.post(n.offers+slice, at)
		}
		return false
	}
	if q == &b.fills {
		b.after = b.of.in.After(at)
	}
	q.pop(&b.head)
	b.hasHead = true
	n.bringFor(&b.head, q)
	if out := &b.of.out; b.head.flits == 1 && out.Grab(at) {
		b.head.at = at
	} else {
		b.head.at = out.Send(at, int(b.head.flits))
	}
	return true
}

// bringFor brings the fetch or load of an answer into the host's caches, and the first words of the next one's.
func (n *crossbar) bringFor(x *reply, behind *replyQueue) {
	if behind.n > 0 {
		if y := &behind.ring[behind.head&uint32(len(behind.ring)-1)]; y.way == unit.PathLoad {
			hostmem.Prefetch(&n.injects[y.sm].unit.mshrs.all[y.of])
		}
	}
	if x.way != unit.PathLoad {
		return
	}
	u := n.injects[x.sm].unit
	f := &u.mshrs.all[x.of]
	if c := u.L1.Tags; c != nil && uint(f.line) < uint(len(c.Lines)) {
		hostmem.Prefetch(&c.Lines[f.line])
	}
	hostmem.Prefetch(&u.loads.all[f.load])
}

// An acknowledgment of a store counts so many cycles before a register of a load would that comes with it. In
// GPGPU-Sim both leave the response FIFO of the load/store unit in a cycle c. The acknowledgment is taken then
// (ldst_unit::cycle calls store_ack). Loaded data goes to the L1 or past it, in c + 1 to the write-back register
// and in c + 2 from there (ldst_unit::writeback).
const acknowledged Time = 2

// eject lets one of the answers for a port come to its SM.
func (n *crossbar) eject(port int, t Time) {
	h := &n.ejects[port]
	if h.asks == 0 {
		return
	}
	slice := turnOf(h.asking, h.turn)
	b := &n.replies[slice]
	x := b.head
	at := t + n.latency
	if x.flits != 1 || !h.port.Grab(at) {
		var free bool
		if at, free = h.port.Claim(at, int(x.flits)); !free {
			n.post(n.homing+port, at-n.latency)
			return
		}
	}
	if x.way == unit.PathStore || x.way == unit.PathStoreBypass {
		at -= acknowledged
	}
	at = max(at, t+2)
	h.asking[slice>>6] &^= 1 << (slice & 63)
	h.turn = int32(slice) + 1
	h.asks--
	h.coming--
	b.hasHead, b.offered = false, false
	n.offerReply(slice, t, port)
	o := &n.injects[x.sm]
	u := o.unit
	x.count(u.workOf(x.way, x.of))
	if x.way == unit.PathLoad {
		u.filled(x.of, at)
	} else {
		u.replied(x.way, x.of, at)
	}
	if o.stopped {
		n.goOn(u)
	}
	if h.asks > 0 {
		n.follow(n.homing + port)
	}
}

// count counts the work of a slice and its channel for a reply.
func (x *reply) count(w *memory.Traffic) {
	w.L2Accesses += uint64(x.accesses)
	w.L2Hits += uint64(x.hits)
	w.DRAMReads += uint64(x.reads)
	w.DRAMWrites += uint64(x.writes)
}
