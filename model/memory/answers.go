package memory

import "math/bits"

// answers has the answers of a slice that have not left it, in the order in which it
// has them. One that is for an SM which takes another's holds those behind it, as
// requests do.
type answers struct {
	hits    answerQueue // that take the slice's latency
	fills   answerQueue // those that take longer
	head    answer      // the first, which waits for its SM
	heads   bool        // there is one
	offered bool        // and it has asked
}

// answer is the reply of a slice to a request of an SM, ready from a time on.
type answer struct {
	at    Time
	of    int32 // as of its packet
	sm    int32
	flits int16
	way   way
}

// answerQueue are answers by time, those of one time as they came.
type answerQueue struct {
	list []answer
	from int // the first
}

func (q *answerQueue) first() Time {
	if q.from == len(q.list) {
		return Never
	}
	return q.list[q.from].at
}

func (q *answerQueue) push(x answer) {
	if q.from > len(q.list)/2 {
		q.list = q.list[:copy(q.list, q.list[q.from:])]
		q.from = 0
	}
	q.list = append(q.list, x)
	for i := len(q.list) - 1; i > q.from && q.list[i-1].at > x.at; i-- {
		q.list[i], q.list[i-1] = q.list[i-1], x
	}
}

func (q *answerQueue) pop() answer {
	q.from++
	return q.list[q.from-1]
}

// home is where the answers for an SM come.
type home struct {
	asking  []uint64 // slices whose first answer is for the SM
	turn    int      // the slice whose turn it is
	coming  int      // answers that slices have for the SM
	soonest Time     // none of these is there before
}

// turnOf returns the one whose turn it is of those that ask, or -1.
func turnOf(asking []uint64, turn int) int {
	w := turn >> 6
	if w < len(asking) {
		if x := asking[w] >> (turn & 63); x != 0 {
			return turn + bits.TrailingZeros64(x)
		}
		for i := w + 1; i < len(asking); i++ {
			if asking[i] != 0 {
				return i<<6 + bits.TrailingZeros64(asking[i])
			}
		}
	}
	for i := range asking {
		if asking[i] != 0 {
			return i<<6 + bits.TrailingZeros64(asking[i])
		}
	}
	return -1
}

// serve has a slice perform a request in cycle at.
func (n *network) serve(k *packet, slice int, at Time) {
	m, s := n.m, &n.m.slices[slice]
	m.work, m.before = n.sms[k.sm].unit.workOf(k), s.counts()
	x := answer{of: k.of, sm: int32(k.sm), way: k.way, flits: int16(m.flits(k.mask))}
	switch k.way {
	case wayLoad, wayBypass:
		x.at = s.read(k.sector, k.mask, at)
	case wayStore, wayStorePast:
		x.at, x.flits = s.write(n.rests.drop(k), at), int16(m.dataFlits[0])
	default:
		r := n.rests.drop(k)
		if r.turns > 1 {
			at = s.in.packet(at, r.turns-1)
		}
		x.at = s.atomic(r, at)
	}
	m.work.serve(m.before, s.counts())
	m.work = &m.others
	h := &n.homes[k.sm]
	if h.coming++; h.coming == 1 || x.at < h.soonest {
		h.soonest = x.at
	}
	b := &n.back[slice]
	if x.at == at+s.rop+1 {
		b.hits.push(x)
	} else {
		b.fills.push(x)
	}
	if !b.heads {
		n.post(n.offers+slice, x.at)
	}
}

// offer has the first answer of a slice ask its SM in cycle t, behind the SM that has
// let another of the slice in.
func (n *network) offer(slice int, t Time, behind int32) {
	b := &n.back[slice]
	if !b.heads && !n.lead(b, slice, t) || b.offered {
		return
	}
	if b.head.at > t {
		n.post(n.offers+slice, b.head.at)
		return
	}
	sm := b.head.sm
	b.offered = true
	n.homes[sm].asking[slice>>6] |= 1 << (slice & 63)
	if sm <= behind {
		t++
	}
	n.post(n.homing+int(sm), t)
}

// lead finds the first answer that a slice has in cycle t, and when it is at the
// crossbar; of one time, that which took longer.
func (n *network) lead(b *answers, slice int, t Time) bool {
	q := &b.hits
	if b.fills.first() <= q.first() {
		q = &b.fills
	}
	switch at := q.first(); {
	case at == Never:
		return false
	case at > t:
		n.post(n.offers+slice, at)
		return false
	}
	b.head, b.heads = q.pop(), true
	b.head.at = n.m.slices[slice].out.packet(b.head.at, int(b.head.flits))
	return true
}

// receive lets one of the answers for an SM come to it.
func (n *network) receive(sm int, t Time) {
	h, p, lat := &n.homes[sm], &n.m.ports[sm], n.m.latency
	slice := turnOf(h.asking, h.turn)
	if slice < 0 {
		return
	}
	b := &n.back[slice]
	x := b.head
	at, free := p.in.claim(t+lat, int(x.flits))
	if !free {
		n.post(n.homing+sm, at-lat)
		return
	}
	at = max(at, t+2)
	h.asking[slice>>6] &^= 1 << (slice & 63)
	h.turn = slice + 1
	h.coming--
	b.heads, b.offered = false, false
	n.offer(slice, t, int32(sm))
	u := n.sms[sm].unit
	if x.way == wayLoad {
		u.fetched(x.of, at)
	} else {
		u.back(x.way, x.of, t, at)
	}
	n.goOn(u)
	if turnOf(h.asking, h.turn) >= 0 {
		n.post(n.homing+sm, t+1)
	}
}
