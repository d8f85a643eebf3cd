package reference

import (
	"cmp"
	"slices"

	"gpureplay/model"
	"gpureplay/trace"
)

// nNetwork has the requests on their way where they reach their slices in the order of
// time (the cycle engine).
type nNetwork struct {
	m      *nMemory
	banks  [][][]*nPacket // of each SM's L1; the last: past it
	left   [][]model.Time // the last cycle in which a request has left a bank
	queue  [][]*nPacket   // of each L1
	gate   [][]*nPacket   // of each SM, at the crossbar
	doors  []nDoor        // of slices
	inbox  [][]*nPacket   // of each slice
	turn   []int          // SM whose turn it is at each slice
	done   [][]*nPacket   // answers that each slice has or will have
	after  []model.Time   // the next of them that is of a fill
	crowd  []int          // of them, in each slice's queue to the crossbar
	sent   []int          // and at the crossbar
	seen   []model.Time   // the cycle of the crossbar in which one has left it last
	first  []*nPacket     // of each slice, at the crossbar
	next   []int          // slice whose turn it is at each SM
	flying int            // requests that have not come back
	ports  int            // of SMs, which several may share
}

type nPacket struct {
	kind  trace.InstFlags
	r     *nAsked
	sm    int
	ready model.Time
	late  bool // its answer is of a fill
	last  bool // of those that wait for it
	back  func(t model.Time)

	look  func(t model.Time) bool // at the head of its bank: it may leave
	fetch *nFetch
	kept  bool // it hits: its sectors were there as its L1 was flushed

	lsu      *nLSU
	gathered bool // the answer is in its slice's queue to the crossbar
}

func newNNetwork(m *nMemory) *nNetwork {
	c := m.cfg
	x := &nNetwork{m: m, queue: make([][]*nPacket, c.SM.Count), ports: c.SM.Count / c.Icnt.SMsPerPort}
	x.gate = make([][]*nPacket, x.ports)
	x.doors = make([]nDoor, c.L2.Slices)
	x.inbox, x.turn = make([][]*nPacket, c.L2.Slices), make([]int, c.L2.Slices)
	x.done, x.first, x.next = make([][]*nPacket, c.L2.Slices), make([]*nPacket, c.L2.Slices), make([]int, x.ports)
	x.sent = make([]int, c.L2.Slices)
	x.after, x.seen, x.crowd = make([]model.Time, c.L2.Slices), make([]model.Time, c.L2.Slices), make([]int, c.L2.Slices)
	for range c.SM.Count {
		x.banks = append(x.banks, make([][]*nPacket, c.L1.Banks+1))
		x.left = append(x.left, slices.Repeat([]model.Time{-1}, c.L1.Banks))
	}
	return x
}

// step moves requests at the end of cycle t.
func (x *nNetwork) step(t model.Time) {
	m, c := x.m, x.m.cfg
	for _, d := range m.control {
		d.step(t)
	}
	for i := range x.inbox {
		x.gather(i, t)
		for len(x.inbox[i]) > 0 && x.crowd[i] < max(1, c.L2.Queue) {
			k := x.inbox[i][0]
			if m.sliceIn[i].first(max(t, k.ready, m.blocked[i])) != t || m.control != nil && m.stands(i, k, t) {
				break
			}
			x.inbox[i] = x.inbox[i][1:]
			x.doors[i].took = append(x.doors[i].took, t)
			m.waits, m.drove = nil, 0
			k.ready, k.late = m.perform(i, k.kind, k.r, m.sliceIn[i].claim(t, 1))
			for ; m.drove > 1; m.drove-- { // its data leave by a port of 32 B a cycle
				m.sliceIn[i].reserve(t)
			}
			if m.waits != nil {
				m.waits.answers = append(m.waits.answers, k)
			} else {
				if x.done[i] = append(x.done[i], k); !k.late {
					x.crowd[i]++
				}
			}
		}
	}
	for i := range x.first {
		x.answer(i, t)
	}
	for sm := range x.next {
		x.receive(sm, t)
	}
	for i := range c.SM.Count { // of the SMs of a port another is first in each cycle
		sm := i%x.ports + (i/x.ports+int(t))%c.Icnt.SMsPerPort*x.ports
		banks, past := x.banks[sm], c.L1.Banks
		x.enter(sm, &x.queue[sm], m.out[sm], t)
		for b := range past {
			x.leaveBank(sm, b, t)
		}
		x.enter(sm, &banks[past], m.past[sm], t)
	}
	for i := range x.inbox {
		x.pass(i, t)
		x.admit(i, t)
	}
}

// perform has slice i take a request at t. It returns when the answer is there, and whether it comes from a fill:
// it takes longer than the latency, although the request did not wait at the slice's head.
func (m *nMemory) perform(i int, kind trace.InstFlags, r *nAsked, t model.Time) (done model.Time, longer bool) {
	stood := false
	for n := 1; n < r.turns; n++ {
		t = m.sliceIn[i].reserve(t)
	}
	if m.control == nil {
		t += model.Time(m.cfg.L2.Latency)
	}
	if kind == trace.InstStore {
		done = m.store(i, r, t)
	} else {
		done, stood = m.load(i, r, t)
	}
	if kind == trace.InstAtomic && m.cfg.L2.WriteBack {
		set, tag := m.place(r.sectors[0])
		if l := m.l2[i].find(set, tag, true); l != nil {
			for _, s := range r.sectors {
				l.at(s).dirty = true
			}
		}
	}
	return done, done > t+1 && !stood
}

// answer brings the oldest answer of slice i to the crossbar; of one cycle, the answer of a fill first. There is at
// most one fill a cycle.
func (x *nNetwork) answer(i int, t model.Time) {
	if x.first[i] != nil || len(x.done[i]) == 0 {
		return
	}
	when := func(k *nPacket) model.Time {
		if k.late && !k.gathered {
			return max(k.ready, x.after[i])
		}
		return k.ready
	}
	k := slices.MinFunc(x.done[i], func(a, b *nPacket) int {
		switch {
		case when(a) != when(b):
			return cmp.Compare(when(a), when(b))
		case a.late == b.late:
			return cmp.Compare(a.ready, b.ready)
		case a.late:
			return -1
		}
		return 1
	})
	if when(k) > t {
		return
	}
	x.done[i] = slices.DeleteFunc(x.done[i], func(y *nPacket) bool { return y == k })
	k.ready = x.m.sliceOut[i].claim(k.ready, x.m.flits(k.kind != trace.InstStore, k.r))
	x.first[i] = k
}

// receive lets an SM take one of the answers at the slices' heads that are for it.
func (x *nNetwork) receive(sm int, t model.Time) {
	m := x.m
	at := t + model.Time(max(0, 2*m.cfg.Icnt.Latency-3)) // the way there takes three
	if m.in[sm].first(at) != at {
		return
	}
	for n := range x.first {
		i := (x.next[sm] + n) % len(x.first)
		k := x.first[i]
		if k == nil || k.sm%x.ports != sm || k.ready > t {
			continue
		}
		if x.first[i], x.next[sm] = nil, i+1; x.sent[i] > 0 {
			x.sent[i]--
		} else {
			x.crowd[i]--
		}
		x.answer(i, t)
		back := m.in[sm].claim(at, m.flits(k.kind != trace.InstStore, k.r))
		if back = max(back, t+2); k.kind == trace.InstStore {
			back = max(back, t+4)
		}
		k.lsu.register.respond(k, back)
		return
	}
}

// enter brings the first of some packets to the crossbar, by a port of its SM.
func (x *nNetwork) enter(sm int, from *[]*nPacket, port *nPort, t model.Time) {
	if len(*from) == 0 || len(x.gate[sm%x.ports]) >= max(1, x.m.cfg.Icnt.Queue) {
		return
	}
	k := (*from)[0]
	if k.ready > t || port.first(t) != t {
		return
	}
	*from = (*from)[1:]
	k.ready = port.claim(t, x.m.flits(k.kind != trace.InstLoad, k.r))
	x.gate[sm%x.ports] = append(x.gate[sm%x.ports], k)
}

// admit lets slice i take one of the packets at the SMs' heads that are for it.
func (x *nNetwork) admit(i int, t model.Time) {
	m := x.m
	for n := range x.gate {
		sm := (x.turn[i] + n) % len(x.gate)
		if !x.lets(i) || len(x.gate[sm]) == 0 || x.gate[sm][0].ready > t || nSlice(m.cfg, x.gate[sm][0].r.sectors[0]) != i {
			continue
		}
		k, at := x.gate[sm][0], t+2
		if m.slicePort[i].first(at) != at {
			return
		}
		m.slicePort[i].claim(at, 1)
		x.gate[sm], x.turn[i] = x.gate[sm][1:], sm+1
		k.ready = at
		x.doors[i].before = append(x.doors[i].before, k)
		return
	}
}

// accessInTurn brings an instruction to the unit. It reports whether all is known of it.
func (u *nLSU) accessInTurn(h *nHeld) bool {
	h.since = u.n.t
	u.line = append(u.line, h)
	if len(u.line) == 1 {
		u.resume()
	}
	if h.numbered = h.numbered || !h.closed; h.numbered {
		u.settle(h)
		return false
	}
	return true
}

// resume takes requests that wait for the unit, as far as it can.
func (u *nLSU) resume() {
	for len(u.line) > 0 {
		h := u.line[0]
		if !h.begun {
			h.begun = true
			u.now = max(h.since, u.n.t)
			h.begin()
		}
		for len(h.ask) > 0 {
			if !h.ask[0]() {
				return
			}
			h.ask, h.tried = h.ask[1:], false
		}
		u.line = u.line[1:]
		h.closed = true
		u.free = max(u.free, h.at+1)
		u.settle(h)
	}
}

// goOn is resume at the end of a cycle.
func (u *nLSU) goOn(t model.Time) {
	if len(u.line) == 0 {
		return
	}
	if h := u.line[0]; h.begun {
		if h.bank >= 0 {
			if !u.n.mem.net.hasRoom(u.s.id, h.bank) {
				return
			}
			if h.at < t {
				h.at, h.taken = t, map[int]bool{h.bank: true}
			}
			h.bank = -1
		}
		h.at = max(h.at, t)
	}
	u.resume()
}

// settle ends an access whose times are all known.
func (u *nLSU) settle(h *nHeld) {
	if h.numbered && h.closed && h.open == 0 && h.result != nil {
		result := h.result
		h.result = nil
		result(h.done)
	}
}

// answered tells an access when a request of it is back.
func (u *nLSU) answered(h *nHeld, t model.Time) {
	h.open--
	h.done = max(h.done, t)
	u.settle(h)
}

// requestInTurn brings a request to the banks of the L1 at a time, or past them; it
// reports whether it could.
func (u *nLSU) requestInTurn(h *nHeld, in *trace.Inst, r *nAsked, at model.Time) bool {
	c, x, sm := &u.n.cfg.L1, u.n.mem.net, u.s.id
	per := uint64(c.LineBytes / 32)
	tag := r.sectors[0] / per
	set := tag % uint64(c.Bytes/c.LineBytes/c.Ways)
	block := wholeBlock(r.sectors[0], c.SectorBytes)
	k := &nPacket{kind: trace.InstLoad, r: r, sm: sm, ready: at + model.Time(c.BypassLatency), lsu: u}
	k.back = func(t model.Time) {
		if k.kind != trace.InstStore {
			u.writes(1, t, h, nil)
			return
		}
		u.answered(h, t-2) // no register has to be written
	}
	bank := int(r.sectors[0] / uint64(c.SectorBytes/32) % uint64(c.Banks))
	switch {
	case in.Flags&trace.InstAtomic != 0:
		k.kind, bank = trace.InstAtomic, c.Banks
	case in.Flags&trace.InstStore != 0:
		k.kind = trace.InstStore
		if bank = c.Banks; !u.passes(in) {
			bank = int(r.sectors[0] / uint64(c.SectorBytes/32) % uint64(c.Banks))
		}
	case u.passes(in):
		bank = c.Banks
	default:
		return u.loadInTurn(h, k, bank, set, tag, block, at)
	}
	if !x.hasRoom(sm, bank) {
		h.bank = bank
		return false
	}
	if bank < c.Banks {
		k.ready = at + model.Time(c.Latency)
		k.look = func(t model.Time) bool { return u.storeAtHead(k, set, tag, block, t) }
	}
	h.open, h.numbered = h.open+1, true
	x.banks[sm][bank] = append(x.banks[sm][bank], k)
	x.flying++
	return true
}

func (u *nLSU) loadInTurn(h *nHeld, k *nPacket, bank int, set, tag uint64, block []uint64, at model.Time) bool {
	c, x, sm := &u.n.cfg.L1, u.n.mem.net, u.s.id
	at += model.Time(c.Latency)
	if u.hits(set, tag, k.r.sectors, at) && x.banksEmpty(sm) {
		u.l1.find(set, tag, true)
		u.n.mem.l1Count.note(true, false, len(k.r.sectors))
		left := &x.left[sm][bank]
		*left = max(at, *left+1)
		h.done = max(h.done, *left+4)
		return true
	}
	if k.ready = at; !x.hasRoom(sm, bank) {
		h.bank = bank
		return false
	}
	h.open, h.numbered = h.open+1, true
	k.look = func(t model.Time) bool { return u.loadAtHead(h, k, set, tag, block, t) }
	x.banks[sm][bank] = append(x.banks[sm][bank], k)
	x.flying++
	return true
}

// answers returns the function that books the result of an access of w when it is known.
func (w *nWarp) answers(h *nHeld, in *trace.Inst, frame *nFrame, holds bool) func(done model.Time) {
	c, id := w.cta, w.id
	for _, r := range in.Dst {
		if !r.Zero() {
			frame.regs[r] = 1 << 40
		}
	}
	if c.open == nil {
		c.open = map[uint32]int{}
	}
	c.open[id]++
	c.opens++
	if holds {
		w.held = h
		h.release = func(done model.Time) {
			if w.held == h && !w.exited && w.cta == c && w.id == id {
				w.held, w.from, w.known = nil, max(w.from, done-1), nil
			}
		}
	}
	copying := w.copies.copying
	return func(done model.Time) {
		copying.finish(done)
		for _, r := range in.Dst {
			if !r.Zero() {
				frame.regs[r] = done
			}
		}
		c.open[id]--
		c.opens--
		if w.exited || w.cta != c || w.id != id {
			if w.cta == c && w.id == id {
				w.last = max(w.last, done)
			}
			if c.acked = max(c.acked, done); c.ends != -1 && c.opens == 0 {
				c.ends = c.acked + c.post
			}
			w.behind(c, done)
			return
		}
		w.last, w.known = max(w.last, done), nil
		w.pastFence()
		if holds {
			h.release(done)
		}
	}
}
