package cycle

import (
	"gpureplay/model/clock"
	"gpureplay/model/memory/hostmem"
	"gpureplay/model/memory/timing"
)

// crossbar has the requests on their way to slices, which they reach in the order of time (docs/model, choice 23), and
// the replies. A cycle has five steps. Slices take the oldest requests of their queues. Slices bring replies to the
// crossbar. Each SM lets one reply in, of the slices in turn (reply.go). Requests come to the heads of the SMs' queues.
// Slices let one of them into their queues, of the SMs in turn.
type crossbar struct {
	clock.Wakeups
	m       *System
	home    Time // of a reply, from its slice to its SM
	packets packets
	rests   payloads
	units   []*Unit  // of SMs
	inPorts []inPort // and their ports
	slices  []*slice
	ejects  []*ejection // of ports
	ports   int         // of SMs
	perPort int         // SMs of each
	misses  int32       // most of an L1's queue
	most    int32       // and at the crossbar
	leaves  int         // first of the SMs that send; units lie in the order of their steps
	admits  int         // first of the slices that let in
	offers  int         // first of those that have answers
	homing  int         // first of the SMs that let those in
	again   []*Unit
	woken   []int // SMs whose units have gone on
	spare   []int // room for them
	known   []int // and those that are told when loads are done

	rop   Time         // of a request from its gate to its slice
	icnt  timing.Ratio // of its cycles and the SMs'
	fills l2Misses
}

// crossing is for how many cycles a request is on its way from the crossbar to the queue of its slice. Of the latency
// there and back it takes one more, and the reply the rest. So a packet leaves the crossbar's queues as long after it
// has entered them as in GPGPU-Sim, and they are full in the same cycles (gpgpu_sim::cycle).
const crossing = 2

func newCrossbar(m *System) *crossbar {
	c := m.Cfg
	n := &crossbar{
		m: m, home: max(0, 2*m.latency-crossing-1), rests: newPayloads(),
		rop: Time(c.L2.Latency), icnt: timing.NewRatio(c.Clock.IcntMHz, c.Clock.CoreMHz),
		fills: newL2Misses(),
	}
	n.perPort = max(1, c.Icnt.SMsPerPort)
	n.ports = c.SM.Count / n.perPort
	n.units, n.slices = hostmem.Places[Unit](c.SM.Count), hostmem.Places[slice](c.L2.Slices)
	n.inPorts = make([]inPort, n.ports)
	n.misses, n.most = int32(c.L1.MissQueue), int32(max(1, c.Icnt.Queue))
	ofSlices, ofSMs := (c.L2.Slices+63)&^63, (c.SM.Count+63)&^63 // a step begins with a word
	n.offers, n.homing, n.leaves, n.admits = ofSlices, 2*ofSlices, 2*ofSlices+ofSMs, 2*ofSlices+2*ofSMs
	n.Wakeups = clock.NewWakeups(n.admits + ofSlices)
	n.ejects = hostmem.Places[ejection](n.ports)
	for _, h := range n.ejects {
		h.asking, h.port = make([]uint64, (c.L2.Slices+63)/64), timing.NewReservations(&m.Tables, n.icnt)
	}
	return n
}

// next returns the cycle in which it has something to do.
func (n *crossbar) next() Time { return min(n.Wakeups.Next(), n.m.dram.Next()) }

// advance performs the stages of cycle t.
func (n *crossbar) advance(t Time) {
	if d := n.m.dram; d.Next() <= t {
		n.Now = t
		d.Advance(t)
		n.deliverFills(t)
	}
	if !n.Begin(t) {
		return
	}
	n.act(t)
	n.End()
	for _, u := range n.again {
		if u.resume(t) {
			n.woken = append(n.woken, u.Sm)
		}
	}
	n.again = n.again[:0]
}

// act has the units of each step act in cycle t. A step begins with a word; units of a step may wake others of it.
func (n *crossbar) act(t Time) {
	i := 0
	for ; i < n.offers>>6; i++ {
		for w := &n.Acting[i]; *w != 0; {
			if unit := clock.First(w, i); n.Acts(unit, t) {
				n.take(unit, t)
			} else {
				n.Later(unit)
			}
		}
	}
	for ; i < n.homing>>6; i++ {
		for w := &n.Acting[i]; *w != 0; {
			if unit := clock.First(w, i); n.Acts(unit, t) {
				n.offerReply(unit-n.offers, t, -1)
			} else {
				n.Later(unit)
			}
		}
	}
	for ; i < n.leaves>>6; i++ {
		for w := &n.Acting[i]; *w != 0; {
			if unit := clock.First(w, i); n.Acts(unit, t) {
				n.eject(unit-n.homing, t)
			} else {
				n.Later(unit)
			}
		}
	}
	for ; i < n.admits>>6; i++ {
		for w := &n.Acting[i]; *w != 0; {
			if unit := clock.First(w, i); n.Acts(unit, t) {
				n.leaveInTurn(unit-n.leaves, t)
			} else {
				n.Later(unit)
			}
		}
	}
	for ; i < len(n.Acting); i++ {
		for w := &n.Acting[i]; *w != 0; {
			if unit := clock.First(w, i); n.Acts(unit, t) {
				n.admit(unit-n.admits, t)
			} else {
				n.Later(unit)
			}
		}
	}
}

// send brings a request for a sector to a bank of an SM's L1, or past the L1, which it may leave from a time on. The
// caller fills in the rest of its packet.
func (n *crossbar) send(u *Unit, bank int, sector uint64, ready, t Time) *packet {
	n.Now = max(n.Now, t)
	k, o := n.packets.put(), &u.inject
	k.sector, k.sm, k.slice = sector, uint16(u.Sm), uint16(n.m.Mapping.Slice(sector))
	q := &o.bypass
	if ready = max(ready, n.Over+1); bank < len(o.banks) {
		ready = max(ready, o.banks[bank].left+1)
		q = &o.banks[bank].fifo
		o.held |= 1 << (bank & 63)
	}
	k.ready = ready
	if q.push(k); q.n == 1 {
		n.Post(n.leaves+u.Sm, ready)
	}
	return k
}

// leave has an SM's L1 take misses from its banks into its queue, and the SM send one.
func (n *crossbar) leave(sm int, t Time) {
	u, next := n.units[sm], Never
	o := &u.inject
	if o.n > 0 && !o.requested {
		n.ask(o.inPort, sm, t, -1)
	}
	if o.misses.n > 0 {
		next = n.enter(u, &o.misses, &o.port, t)
	}
	if o.held != 0 {
		waited := o.misses.n
		next = min(next, n.probeBanks(u, t))
		if waited == 0 && o.misses.n > 0 { // baseline_cache::cycle precedes L1_latency_queue_cycle
			next = min(next, t+1)
		}
	}
	if o.bypass.n > 0 {
		next = min(next, n.enter(u, &o.bypass, &o.past, t))
	}
	switch {
	case next == n.SoonAt:
		n.Follow(n.leaves + sm)
	case next < Never:
		n.Post(n.leaves+sm, next)
	}
}

// enter brings the first packet of a queue by the SM's port to the crossbar, if there is
// room, and returns when the next may go.
func (n *crossbar) enter(u *Unit, q *fifo, port *timing.Reservations, t Time) Time {
	o := u.inject.inPort
	if o.n >= n.most { // that has room for one when one has left
		return Never
	}
	k := q.head
	if k.ready > t {
		return port.When(k.ready)
	}
	if k.flits == 1 && port.Grab(t) {
		k.ready = t
	} else {
		at, left := port.Claim(t, int(k.flits))
		if !left {
			return at
		}
		k.ready = at
	}
	o.push(q.pop())
	if q == &u.inject.bypass {
		switch {
		case u.inject.stopped:
			n.goOn(u)
		case u.refused && !u.pushes():
			u.refused, u.Free = false, t+1
			n.woken = append(n.woken, u.Sm)
		}
	}
	if o.n == 1 {
		n.ask(o, u.Sm, t, -1)
	}
	if q.n == 0 {
		return Never
	}
	return t + 1
}

// hasRoom reports whether a bank of an SM's L1, or the way past it, takes one more
// request: both take one a cycle, however long it is on its way.
func (o *injection) hasRoom(bank int) bool {
	if bank == len(o.banks) {
		return o.bypass.n < o.mostBypass
	}
	return o.banks[bank].n < o.depth
}

// goOn has a unit that has stopped go on at the end of the cycle, if it may.
func (n *crossbar) goOn(u *Unit) {
	switch {
	case len(u.stalled) == 0 || u.again:
	case u.able(n.Now):
		u.again = true
		n.again = append(n.again, u)
	}
}

// wake has a unit that has stopped go on at the end of cycle t, or of the next if that is over.
func (n *crossbar) wake(u *Unit, t Time) {
	n.Now = max(n.Now, t)
	n.goOn(u)
	n.Post(n.leaves+u.Sm, max(t, n.Over+1))
}

// ask has the first packet of an SM ask its slice, behind the packets that another slice has admitted.
func (n *crossbar) ask(o *inPort, sm int, t Time, behind int) {
	k := o.head
	if o.requested = k.ready <= t; !o.requested {
		n.Post(n.leaves+sm, k.ready)
		return
	}
	if o.n > 1 {
		hostmem.Prefetch(k.next)
	}
	slice := int(k.slice)
	q := &n.slices[slice].input
	port := n.portOf(sm)
	q.asking[port>>6] |= 1 << (port & 63)
	q.asks++
	if slice <= behind {
		n.Follow(n.admits + slice)
	} else {
		n.Join(n.admits + slice)
	}
}

// scheduleFirst has a slice take the first packet of its queue when it may, from t on: as soon as
// its channel has room, or else a time.
func (n *crossbar) scheduleFirst(s *slice, t Time) {
	k := s.input.head
	if k.ready <= t && s.full() {
		s.stop()
		return
	}
	s.Tags.PrefetchLine(k.sector >> (s.Per & 63))
	at := max(t, k.ready, s.blocked)
	if !s.in.Has(at) {
		at = s.in.When(at)
	}
	n.Post(int(s.number), at)
}

// take lets a slice serve the first packet of its queue.
func (n *crossbar) take(slice int, t Time) {
	s := n.slices[slice]
	q := &s.input
	if q.n == 0 {
		return
	}
	k := q.head
	if at := max(k.ready, s.blocked); at > t {
		n.Post(slice, s.in.When(at))
		return
	}
	if s.full() {
		s.stop()
		return
	}
	if s.crowded(t) {
		n.Post(slice, s.in.When(t+1))
		return
	}
	line, bit := s.find(k.sector)
	if !k.way.Stores() {
		if at := s.waits(k, line, bit, s.replies.soonest(), t); at > t {
			if s.stop(); at < Never {
				s.blockedFirst, s.again = false, at
				n.Post(slice, s.in.When(at))
			}
			return
		}
	}
	if !s.in.Grab(t) {
		if at, free := s.in.Claim(t, 1); !free {
			n.Post(slice, at)
			return
		}
	}
	q.waiting(t)
	q.pop()
	q.arrived--
	if q.taken = t; q.outer.n > 0 && q.arrived < q.limit {
		n.Follow(n.admits + slice)
	}
	if q.n > 0 {
		hostmem.Prefetch(q.head)
	}
	n.serve(k, s, line, bit, t)
	if q.n > 0 {
		n.scheduleFirst(s, t+1)
	}
}
