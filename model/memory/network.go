package memory

import (
	"math/bits"

	"gpureplay/model/clock"
)

// network has the requests that are on their way to slices, which they reach in the
// order of time (`icnt.in_turn`; MODEL.md, choice 23), and the answers. What it does in
// a cycle comes in five steps: slices take the requests at the heads of their queues,
// requests come to the heads of the SMs' queues, slices let one of those into their
// queues, of each SM in turn, and likewise answers (answers.go).
type network struct {
	m       *System
	wheel   *clock.Wheel // of what acts: slices that take, SMs, slices that let in
	acting  []uint64     // in this cycle
	now     Time
	over    Time // the last cycle in which it acted
	busy    bool // it is in a cycle
	packets packets
	rests   rests
	sms     []outbox
	inboxes []inbox
	back    []answers // of slices
	homes   []home    // of SMs
	misses  int32     // most of an L1's queue
	most    int32     // and at the crossbar
	depth   int32     // and of a bank
	past    int32     // and of what goes past the L1
	behind  int       // first of the slices that let in
	offers  int       // first of those that have answers
	homing  int       // first of the SMs that let those in
	again   []*LSU
	woken   []int // SMs whose units have gone on
	told    []int // and those that are told when loads are done

	// Where channels schedule in the order of time (fills.go):
	controllers []*controller
	dramDue     []Time // the cycle in which each acts
	dramSoon    Time
	rop         Time
	fills       fills
}

// outbox has the requests of an SM that have not left it.
type outbox struct {
	fifo           // at the crossbar
	misses  fifo   // the L1's queue
	past    fifo   // what passes by the L1
	asked   bool   // the first has asked its slice
	stopped bool   // instructions wait for its unit
	held    uint64 // banks that have some
	banks   []fifo // of the L1
	unit    *LSU
}

// inbox has those that wait at a slice.
type inbox struct {
	fifo
	turn   int32 // the SM whose turn it is
	most   int32
	asks   int32    // SMs whose first packet is for the slice
	asking []uint64 // which
}

func newNetwork(m *System) *network {
	c := m.cfg
	n := &network{m: m, packets: newPackets(), rests: newRests(), behind: c.L2.Slices + c.SM.Count, over: -1, dramSoon: Never, rop: Time(c.L2.Latency), fills: newFills()}
	n.sms, n.inboxes = make([]outbox, c.SM.Count), make([]inbox, c.L2.Slices)
	n.misses, n.most, n.depth = int32(c.L1.MissQueue), int32(max(1, c.Icnt.Queue)), int32(max(1, c.L1.Latency))
	n.past = max(n.depth, int32(c.L1.BypassLatency))
	for i := range n.sms {
		n.sms[i].banks = make([]fifo, max(1, c.L1.Banks))
	}
	n.offers = n.behind + c.L2.Slices
	n.homing = n.offers + c.L2.Slices
	n.wheel = clock.NewWheel(n.homing + c.SM.Count)
	n.acting = make([]uint64, (n.homing+c.SM.Count+63)/64)
	n.back, n.homes = make([]answers, c.L2.Slices), make([]home, c.SM.Count)
	for i := range n.homes {
		n.homes[i].asking = make([]uint64, (c.L2.Slices+63)/64)
	}
	for i := range n.back {
		n.back[i].hits, n.back[i].fills = newAnswerQueue(), newAnswerQueue()
	}
	for i := range n.inboxes {
		n.inboxes[i].asking, n.inboxes[i].most = make([]uint64, (c.SM.Count+63)/64), int32(c.L2.Queue+c.Icnt.Queue)
	}
	return n
}

// post has a unit act at t, unless it acts before.
func (n *network) post(unit int, t Time) {
	due := &n.wheel.Due[unit]
	if *due <= t {
		return
	}
	*due = t
	n.put(unit, t)
}

func (n *network) put(unit int, t Time) {
	if n.busy && t == n.now {
		n.acting[unit>>6] |= 1 << (unit & 63)
		return
	}
	n.wheel.Now = n.now
	n.wheel.Add(min(t, n.now+clock.WheelSlots-1), unit)
}

// next returns the cycle in which it has something to do.
func (n *network) next() Time { return min(n.wheel.Next(), n.dramSoon) }

// advance does what there is to do in cycle t.
func (n *network) advance(t Time) {
	n.now, n.wheel.Now = t, t
	if n.dramSoon <= t {
		n.serveDRAM(t)
	}
	if !n.wheel.Take(t, n.acting) {
		return
	}
	n.busy = true
	slices := len(n.inboxes)
	for w := range n.acting {
		for word := &n.acting[w]; *word != 0; {
			unit := w<<6 + bits.TrailingZeros64(*word)
			*word &= *word - 1
			due := &n.wheel.Due[unit]
			if *due > t {
				if *due < Never {
					n.put(unit, *due)
				}
				continue
			}
			*due = Never
			switch {
			case unit < slices:
				n.take(unit, t)
			case unit < n.behind:
				n.leave(unit-slices, t)
			case unit < n.offers:
				n.admit(unit-n.behind, t)
			case unit < n.homing:
				n.offer(unit-n.offers, t, -1)
			default:
				n.receive(unit-n.homing, t)
			}
		}
	}
	n.busy, n.over = false, t
	for _, u := range n.again {
		if u.resume(t) {
			n.woken = append(n.woken, u.sm)
		}
	}
	n.again = n.again[:0]
}

// send brings a request to the banks of its SM's L1, or past them, behind which it is
// from p.ready on.
func (n *network) send(p *packet, bank int, t Time) {
	n.now = max(n.now, t)
	p.slice = uint16(n.m.mapping.slice(p.sector))
	p.ready = max(p.ready, n.over+1)
	o := &n.sms[p.sm]
	q := &o.past
	if bank < len(o.banks) {
		q = &o.banks[bank]
		o.held |= 1 << (bank & 63)
	}
	if q.push(&n.packets, n.packets.put(p)); q.n == 1 {
		n.post(len(n.inboxes)+int(p.sm), p.ready)
	}
}

// leave has an SM's L1 take misses from its banks into its queue, and the SM send one.
func (n *network) leave(sm int, t Time) {
	o := &n.sms[sm]
	if o.n > 0 && !o.asked {
		n.ask(sm, t, -1)
	}
	next := n.enter(sm, &o.past, t)
	for m := o.held; m != 0; m &= m - 1 {
		b := bits.TrailingZeros64(m)
		q := &o.banks[b]
		first := q.first(&n.packets)
		ready := first.ready
		if ready <= t && o.misses.n < n.roomFor(first) {
			o.misses.push(&n.packets, q.pop(&n.packets))
			if o.stopped {
				n.goOn(o.unit)
			}
			if q.n == 0 {
				o.held &^= 1 << b
				continue
			}
			ready = q.first(&n.packets).ready
		}
		next = min(next, max(t+1, ready))
	}
	next = min(next, n.enter(sm, &o.misses, t))
	if next < Never {
		n.post(len(n.inboxes)+sm, next)
	}
}

// roomFor is how many requests may be in an L1's queue for one more to go there. Where
// there may be more than one, a load leaves one place (GPGPU-Sim's data_cache::rd_miss_base
// asks for room for two).
func (n *network) roomFor(k *packet) int32 {
	if k.way == wayLoad {
		return max(1, n.misses-1)
	}
	return n.misses
}

// enter brings the first packet of a queue by the SM's port to the crossbar, if there is
// room, and returns when the next may go.
func (n *network) enter(sm int, q *fifo, t Time) Time {
	o := &n.sms[sm]
	if q.n == 0 || o.n >= n.most { // that has room for one when one has left
		return Never
	}
	out, k := &n.m.ports[sm].out, q.first(&n.packets)
	if k.ready > t {
		return out.when(k.ready)
	}
	at, left := out.claim(t, n.m.flitsOf(k))
	if !left {
		return at
	}
	k.ready = at
	o.push(&n.packets, q.pop(&n.packets))
	if o.stopped {
		n.goOn(o.unit)
	}
	if o.n == 1 {
		n.ask(sm, t, -1)
	}
	if q.n == 0 {
		return Never
	}
	return t + 1
}

// hasRoom reports whether a bank of an SM's L1, or the way past it, takes one more
// request: both take one a cycle, however long it is on its way.
func (n *network) hasRoom(sm, bank int) bool {
	o := &n.sms[sm]
	if bank == len(o.banks) {
		return o.past.n < n.past
	}
	return o.banks[bank].n < n.depth
}

// goOn has a unit that has stopped go on at the end of the cycle, if it may.
func (n *network) goOn(u *LSU) {
	if len(u.line) > 0 && !u.again && u.able(n.now) {
		u.again = true
		n.again = append(n.again, u)
	}
}

// wake has a unit that has stopped go on at the end of cycle t, or of the next if that is
// over.
func (n *network) wake(u *LSU, t Time) {
	n.now = max(n.now, t)
	n.goOn(u)
	n.post(len(n.inboxes)+u.sm, max(t, n.over+1))
}

// ask has the first packet of an SM ask its slice, behind which comes what another
// slice has let in.
func (n *network) ask(sm int, t Time, behind int) {
	o := &n.sms[sm]
	k := o.first(&n.packets)
	if o.asked = k.ready <= t; !o.asked {
		n.post(len(n.inboxes)+sm, k.ready)
		return
	}
	slice := int(k.slice)
	q := &n.inboxes[slice]
	q.asking[sm>>6] |= 1 << (sm & 63)
	q.asks++
	if slice <= behind {
		t++
	}
	n.post(n.behind+slice, t)
}

// admit lets one of the packets that ask a slice into its queue.
func (n *network) admit(slice int, t Time) {
	q, s := &n.inboxes[slice], &n.m.slices[slice]
	if q.n >= q.most || q.asks == 0 {
		return
	}
	sm := turnOf(q.asking, q.turn)
	lat := n.m.latency
	if at, free := s.port.claim(t+lat, 1); !free {
		n.post(n.behind+slice, at-lat)
		return
	}
	q.asking[sm>>6] &^= 1 << (sm & 63)
	q.turn = int32(sm) + 1
	q.asks--
	o := &n.sms[sm]
	id := o.pop(&n.packets)
	if o.asked = false; o.n > 0 {
		n.ask(sm, t, slice)
	}
	if o.n == n.most-1 { // there is room again
		n.post(len(n.inboxes)+sm, t+1)
	}
	n.packets.all[id].ready = max(t+lat, t+1)
	if q.push(&n.packets, id); q.n == 1 {
		n.first(slice, t)
	}
	if q.asks > 0 {
		n.post(n.behind+slice, t+1)
	}
}

// first has a slice take the first packet of its queue when it may, from t on.
func (n *network) first(slice int, t Time) {
	s := &n.m.slices[slice]
	n.post(slice, s.in.when(max(t, n.inboxes[slice].first(&n.packets).ready, s.blocked)))
}

// take lets a slice serve the first packet of its queue.
func (n *network) take(slice int, t Time) {
	q, s := &n.inboxes[slice], &n.m.slices[slice]
	if q.n == 0 {
		return
	}
	if at := max(q.first(&n.packets).ready, s.blocked); at > t {
		n.post(slice, s.in.when(at))
		return
	}
	if s.ctl != nil && s.mustWait(q.first(&n.packets)) {
		s.stands = true
		return
	}
	if at, free := s.in.claim(t, 1); !free {
		n.post(slice, at)
		return
	}
	k := n.packets.drop(q.pop(&n.packets))
	if q.n > 0 {
		bring(q.first(&n.packets))
	}
	n.serve(k, slice, t)
	if q.n > 0 {
		n.first(slice, t)
	}
	if q.asks > 0 {
		n.post(n.behind+slice, t)
	}
}

// Next returns the next cycle in which requests move, at the end of the cycle.
func (m *System) Next() Time {
	if m.net == nil {
		return Never
	}
	return m.net.next()
}

// Advance lets requests move at the end of cycle t. It returns the SMs whose units have
// gone on, so that they may take instructions, and those with loads of which is known now
// when they are done ([LSU.Known]).
func (m *System) Advance(t Time) (woken, told []int) {
	n := m.net
	n.woken, n.told = n.woken[:0], n.told[:0]
	n.advance(t)
	return n.woken, n.told
}
