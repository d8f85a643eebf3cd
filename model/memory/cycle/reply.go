package cycle

import (
	"math/bits"

	"gpureplay/model/memory"
	"gpureplay/model/memory/coalesce"
	"gpureplay/model/memory/hostmem"
	"gpureplay/model/memory/timing"
	"gpureplay/model/memory/unit"
)

// replies has the replies of a slice that have not left it, in the order in which it has them. One that is for an SM
// which takes another's holds those behind it, as requests do. A reply is the packet of its request.
type replies struct {
	hits    replyQueue // that take the slice's latency
	fills   replyQueue // replies of fills, one a cycle
	after   Time       // the next of these, at the soonest
	queued  int32      // those that wait for the crossbar
	sent    int32      // and those at it, as of its cycle seen
	seen    Time
	counts  *packet // the first that does not wait for the crossbar yet; nil: none
	due     Time    // when it does
	head    *packet // the first, which waits for its SM; nil: none
	offered bool    // it has asked
}

// replyQueue orders replies by time, equal times as they came.
type replyQueue struct {
	fifo
	soon Time // when the first is ready
}

// push puts a reply behind those that are ready no later.
func (q *replyQueue) push(k *packet) {
	if q.n > 0 && q.tail.ready > k.ready {
		q.insert(k)
		return
	}
	if q.fifo.push(k); q.n == 1 {
		q.soon = k.ready
	}
}

// insert is push for a reply that is ready before the last.
func (q *replyQueue) insert(k *packet) {
	if q.n++; q.soon > k.ready {
		k.next, q.head, q.soon = q.head, k, k.ready
		return
	}
	before := q.head
	for before.next.ready <= k.ready {
		before = before.next
	}
	k.next, before.next = before.next, k
}

// pop takes the first reply out.
func (q *replyQueue) pop() *packet {
	k := q.fifo.pop()
	if q.soon = Never; q.n > 0 {
		q.soon = q.head.ready
	}
	return k
}

// pushFill puts the reply of a fill, which comes in a later cycle, behind those that are ready no later.
func (b *replies) pushFill(k *packet) {
	if b.fills.push(k); b.counts == nil || k.ready < b.counts.ready {
		b.counts, b.due = k, max(k.ready, b.after)
	}
}

// count has the replies of fills that come by cycle t, and may leave in the next, wait for the crossbar: one in a cycle
// of the L2.
func (s *slice) count(t Time) {
	for s.replies.due <= t+1 {
		s.countNext()
	}
}

// countNext counts one reply.
func (s *slice) countNext() {
	b := &s.replies
	k, at := b.counts, b.due
	if k.ready, b.after = at, s.in.After(at); k == b.fills.head {
		b.fills.soon = at
	}
	if k.rest {
		s.pendingMisses--
	}
	s.send(at - 1)
	b.queued++
	if b.counts, b.due = nil, Never; k != b.fills.tail {
		b.counts, b.due = k.next, max(k.next.ready, b.after)
	}
}

// send has replies go to the crossbar up to cycle t: one in each of its cycles, as long as there is room.
func (s *slice) send(t Time) {
	b := &s.replies
	if cycles := s.icnt.During(t) - b.seen; cycles > 0 {
		n := int32(min(cycles, Time(min(b.queued, s.most-b.sent))))
		b.queued, b.sent, b.seen = b.queued-n, b.sent+n, b.seen+cycles
	}
}

// crowded reports whether as many replies as have room wait for the crossbar in cycle t.
func (s *slice) crowded(t Time) bool {
	s.count(t)
	s.send(t)
	return s.replies.queued >= s.room
}

// taken notes that an SM takes a reply in cycle t.
func (s *slice) taken(t Time) {
	s.count(t)
	s.send(t)
	if b := &s.replies; b.sent > 0 {
		b.sent--
	} else {
		b.queued--
	}
}

// soonest returns when the reply of a fill begins to wait for the crossbar next, of those that are known.
func (b *replies) soonest() Time {
	if b.due == Never {
		return Never
	}
	return b.due - 1
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

// serve has a slice perform a request in cycle at, which is for a line, from its sector bit on.
func (n *crossbar) serve(k *packet, s *slice, line int32, bit uint, at Time) {
	m, c := n.m, &s.channel.Stats
	taken := at // an atomic with turns is done later; its reply counts from here on, or else idle cycles would count too
	before, reads, writes := s.Stats.Hits, c.ReadSectors, c.WriteSectors
	s.waited, s.own, s.waitsFor, s.drives = false, false, noFetch, 0
	ready := Time(0)
	switch k.way {
	case unit.PathLoad, unit.PathBypass:
		k.flits, ready = m.MaskFlits[k.mask&(1<<coalesce.MaxSectors-1)], s.read(line, bit, k.sector, k.mask, at)
	case unit.PathStore, unit.PathStoreBypass:
		r := n.rests.drop(k)
		k.of, k.flits, ready = r.of, uint8(m.DataFlits[0]), s.write(line, bit, &r.Request, at)
	default:
		r := n.rests.drop(k)
		if r.Turns > 1 {
			at = s.in.Packet(at, r.Turns-1)
		}
		k.of, k.flits = r.of, m.MaskFlits[k.mask&(1<<coalesce.MaxSectors-1)]
		ready = s.atomic(line, bit, &r.Request, at)
	}
	if s.drives > 1 { // the port of its data reads one in a cycle (bandwidth_management::use_data_port)
		s.in.Packet(at, int(s.drives)-1)
	}
	k.rest = false
	k.noteCounts(s.Stats.Hits-before, c.ReadSectors-reads, c.WriteSectors-writes)
	waits := s.waitsFor != noFetch
	if waits {
		ready = at + 1
	}
	k.ready = ready
	if waits {
		n.fills.all[s.waitsFor].waiting.push(k)
		return
	}
	b := &s.replies
	if ready == at+1 || s.waited {
		b.hits.push(k)
		s.send(taken)
		b.queued++
	} else {
		b.pushFill(k)
	}
	if b.head == nil {
		n.Post(n.offers+int(s.number), ready)
	}
}

// noteCounts has a reply carry the counts of its slice and channel, in sectors. They are booked where the request is
// known.
func (k *packet) noteCounts(hits, reads, writes uint64) {
	k.sector = hits&0xff | reads&0xff<<8 | writes&0xff<<16
}

// count books the work of a slice and its channel for a reply.
func (k *packet) count(w *memory.Traffic) {
	w.L2Accesses += uint64(bits.OnesCount8(k.mask))
	w.L2Hits += k.sector & 0xff
	w.DRAMReads += k.sector >> 8 & 0xff
	w.DRAMWrites += k.sector >> 16
}

// offerReply has the first reply of a slice ask its SM in cycle t, behind the SM that has let another of the slice in.
func (n *crossbar) offerReply(slice int, t Time, behind int) {
	s := n.slices[slice]
	b := &s.replies
	if b.offered || b.head == nil && !n.nextReply(s, slice, t) {
		return
	}
	k := b.head
	if k.ready > t {
		n.Post(n.offers+slice, k.ready)
		return
	}
	port := n.portOf(int(k.sm))
	b.offered = true
	h := n.ejects[port]
	h.asking[slice>>6] |= 1 << (slice & 63)
	h.asks++
	if port <= behind {
		n.Follow(n.homing + port)
	} else {
		n.Join(n.homing + port)
	}
}

// nextReply finds the first reply that a slice has in cycle t, and when it is at the crossbar; of one time, a
// fill's. The replies of fills come one in a cycle of the L2, hits between them (mshr_table::next_access,
// memory_sub_partition::cache_cycle).
func (n *crossbar) nextReply(s *slice, slice int, t Time) bool {
	s.count(t)
	b := &s.replies
	q, at, fill := &b.hits, b.hits.soon, b.fills.soon
	if b.counts == b.fills.head { // none of them has come, or there is none
		fill = b.due
	}
	if fill <= at {
		q, at = &b.fills, fill
	}
	if at > t {
		if at < Never {
			n.Post(n.offers+slice, at)
		}
		return false
	}
	k := q.pop()
	b.head = k
	n.bringFor(k, q)
	if out := &s.out; k.flits == 1 && out.Grab(at) {
		k.ready = at
	} else {
		k.ready = out.Send(at, int(k.flits))
	}
	return true
}

// bringFor brings the MSHR or load of a reply into the host's caches, and the next reply.
func (n *crossbar) bringFor(k *packet, behind *replyQueue) {
	if behind.n > 0 {
		if y := behind.head; y.way == unit.PathLoad {
			hostmem.Prefetch(&n.units[y.sm].mshrs.All[y.of])
		}
	}
	if k.way != unit.PathLoad {
		return
	}
	u := n.units[k.sm]
	f := &u.mshrs.All[k.of]
	if c := u.L1.Tags; c != nil && uint(f.Line) < uint(len(c.Lines)) {
		hostmem.Prefetch(&c.Lines[f.Line])
	}
	hostmem.Prefetch(&u.loads.all[f.Load])
}

// An acknowledgment of a store counts so many cycles before a register of a load would that comes with it. In
// GPGPU-Sim both leave the response FIFO of the load/store unit in a cycle c. The acknowledgment is taken then
// (ldst_unit::cycle calls store_ack). Loaded data goes to the L1 or past it, in c + 1 to the write-back register
// and in c + 2 from there (ldst_unit::writeback).
const acknowledged Time = 2

// eject lets one of the replies for a port come to its SM.
func (n *crossbar) eject(port int, t Time) {
	h := n.ejects[port]
	if h.asks == 0 {
		return
	}
	slice := timing.Turn(h.asking, h.turn)
	b := &n.slices[slice].replies
	k := b.head
	at := t + n.home
	if k.flits != 1 || !h.port.Grab(at) {
		var free bool
		if at, free = h.port.Claim(at, int(k.flits)); !free {
			n.Post(n.homing+port, at-n.home)
			return
		}
	}
	at = max(at, t+2)
	if k.way.Stores() {
		at = max(at, t+2+acknowledged)
	}
	h.asking[slice>>6] &^= 1 << (slice & 63)
	h.turn = int32(slice) + 1
	h.asks--
	h.coming--
	b.head, b.offered = nil, false
	n.slices[slice].taken(t)
	n.offerReply(slice, t, port)
	u := n.units[k.sm]
	k.count(u.workOf(k.way, k.of))
	u.respond(response{at, k.of, k.way})
	n.packets.drop(k)
	if u.inject.stopped {
		n.goOn(u)
	}
	if h.asks > 0 {
		n.Follow(n.homing + port)
	}
}
