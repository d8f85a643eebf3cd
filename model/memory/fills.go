package memory

// fills are the fetches of slices of which nobody knows when they come, and the answers
// that wait for them (`dram.in_turn`).
type fills struct {
	all  []fillOf
	free int32
	held []heldAnswer
	rest int32 // the first of held that is free
}

// fillOf is one of them.
type fillOf struct {
	slice       int32
	line        int32 // that it fills; noLine: none
	bit         uint8 // the first sector
	counts      bool  // it has an MSHR
	first, last int32 // answers that wait for it, in their order; of one that is free last is the next
}

type heldAnswer struct {
	answer
	next int32
}

const (
	noFetch  = -1
	noAnswer = -1
)

func newFills() fills { return fills{free: noFetch, rest: noAnswer} }

// open numbers a fetch of a slice.
func (q *fills) open(slice int32) int32 {
	f := q.free
	if f == noFetch {
		f = int32(len(q.all))
		q.all = append(q.all, fillOf{})
	} else {
		q.free = q.all[f].last
	}
	q.all[f] = fillOf{slice: slice, line: noLine, first: noAnswer}
	return f
}

// close forgets a fetch for which no answer waits.
func (q *fills) close(f int32) { q.all[f].last, q.free = q.free, f }

// hold has an answer wait for a fetch.
func (q *fills) hold(f int32, x *answer) {
	id := q.rest
	if id == noAnswer {
		id = int32(len(q.held))
		q.held = append(q.held, heldAnswer{})
	} else {
		q.rest = q.held[id].next
	}
	q.held[id] = heldAnswer{*x, noAnswer}
	if o := &q.all[f]; o.first == noAnswer {
		o.first, o.last = id, id
	} else {
		q.held[o.last].next, o.last = id, id
	}
}

// next takes out an answer that waits for a fetch, and returns it and the one behind it.
func (q *fills) next(id int32) (x answer, behind int32) {
	h := &q.held[id]
	x, behind = h.answer, h.next
	h.next, q.rest = q.rest, id
	return x, behind
}

// control has channels schedule the requests of slices in the order of time.
func (n *network) control() {
	of := map[*channel]*controller{}
	n.dramTimes = newDRAMTimes(&n.m.channels[0])
	for i := range n.m.channels {
		ch := &n.m.channels[i]
		of[ch] = newController(ch, n, i)
		n.controllers, n.dramDue = append(n.controllers, of[ch]), append(n.dramDue, Never)
	}
	for i := range n.m.slices {
		s := &n.m.slices[i]
		s.ctl, s.fills, s.number = of[s.chan_], &n.fills, int32(i)
		s.inChannel, s.room = len(s.ctl.slices), int32(n.m.cfg.L2.Queue)
		s.ctl.slices = append(s.ctl.slices, newDRAMQueue(s.number))
	}
}

// filling is a fetch of which is known now when it comes.
type filling struct {
	fetch int32
	t     Time
}

// due has a channel act in the cycle in which it has something to do next. What slices
// take in an SM cycle comes to it their latency later, and so it acts so long before its time.
func (n *network) due(c *controller) {
	n.dramDue[c.index] = c.next
	n.dramSoon = min(n.dramSoon, n.dramTimes.timeOf(c.next)-n.rop)
}

// serveDRAM has the channels act that have something to do up to SM cycle t.
func (n *network) serveDRAM(t Time) {
	next, limit := Never, n.dramTimes.from(t+n.rop+1)
	for i, due := range n.dramDue {
		if due < limit {
			c := n.controllers[i]
			c.bringNext()
			c.run(limit)
			due = c.next
			n.dramDue[i] = due
		}
		next = min(next, due)
	}
	if len(n.known)+len(n.freed) > 0 {
		n.bringLines() // all at a time, or else each would be waited for
		n.tellSlices(t)
	}
	if n.dramSoon = Never; next < Never {
		n.dramSoon = n.dramTimes.timeOf(next) - n.rop
	}
}

// bringLines loads the lines that fetches fill, the answers that wait for them, and what finds
// the line of the first request of a slice for which there is room now.
func (n *network) bringLines() {
	for i := range n.known {
		f := &n.fills.all[n.known[i].fetch]
		if f.line != noLine {
			bring(&n.m.slices[f.slice].tags.lines[f.line])
		}
		if f.first != noAnswer {
			bring(&n.fills.held[f.first])
		}
	}
	for _, slice := range n.freed {
		if s := &n.m.slices[slice]; s.stands {
			s.tags.bringSet(n.inboxes[slice].first(n.packets.all).sector >> (s.per & 63))
		}
	}
}

// tellSlices tells slices which fetches come, and that there is room for requests.
func (n *network) tellSlices(t Time) {
	for _, k := range n.known {
		f := &n.fills.all[k.fetch]
		s, b := &n.m.slices[f.slice], &n.back[f.slice]
		if f.line != noLine {
			s.tags.known(f.line, uint(f.bit), unknownFill+uint32(k.fetch), k.t)
		}
		if f.counts {
			s.unknown--
			s.pending.push(k.t)
		}
		for id := f.first; id != noAnswer; {
			var x answer
			x, id = n.fills.next(id)
			x.at = k.t + 1
			b.fills.push(&x)
			if !b.heads {
				n.post(n.offers+int(f.slice), x.at)
			}
		}
		n.lookAgain(f.slice, t)
		n.fills.close(k.fetch)
	}
	for _, slice := range n.freed {
		n.m.slices[slice].asked--
		n.lookAgain(slice, t)
	}
	n.known, n.freed = n.known[:0], n.freed[:0]
}

// lookAgain has a slice try its first request in cycle t, which it did not take.
func (n *network) lookAgain(slice int32, t Time) {
	if s := &n.m.slices[slice]; s.stands {
		s.stands = false
		n.first(&n.inboxes[slice], int(slice), t)
	}
}

// full reports whether there is no room for what a slice asks of its channel.
func (s *slice) full() bool { return s.asked >= s.room }

// waits returns until when a request has to wait at its slice, no earlier than t, for room in
// the channel, a fetch that as many wait for as may, or an MSHR. Never: it is not known yet.
func (s *slice) waits(k *packet, t Time) Time {
	if s.full() {
		return Never
	}
	if k.way == wayStore || k.way == wayStorePast {
		return t
	}
	id, bit := s.tags.find(k.sector>>(s.per&63)), uint(k.sector)&(1<<(s.per&63)-1)
	if id != noLine && s.tags.lines[id].readable(bit, k.mask) {
		if !s.tags.crowded(id, bit, s.merge) {
			return t
		}
		fetch, fill := s.tags.coming(id, bit, k.mask)
		if fetch != noFetch {
			return Never
		}
		return max(t, fill-s.ahead-s.rop)
	}
	if s.mshrs > 0 && s.unknown >= s.mshrs {
		return Never
	}
	return t
}

// ask has the block of a sector read, and the answer at hand wait for it.
func (s *slice) ask(id int32, sector uint64, bit uint, t Time) Time {
	if id == noLine {
		id = s.allocate(sector, t)
	}
	n := s.tags.block.sectors()
	f := s.fills.open(s.number)
	s.ctl.put(s, sector&^uint64(n-1), n, t, false, f)
	x := &s.fills.all[f]
	if x.counts = s.mshrs > 0; x.counts {
		s.unknown++
	}
	if id != noLine {
		x.line, x.bit = id, uint8(bit)
		s.tags.expect(id, bit, unknownFill+uint32(f))
	}
	s.waitsFor = f
	return Unknown
}

// wait has the answer at hand wait for a fetch that others wait for.
func (s *slice) wait(f, id int32, bit uint) Time {
	s.tags.merge(id, bit, 0)
	s.waitsFor = f
	return Unknown
}

// request gives one that is no fetch to the channel. An answer waits for a write that passes by the
// L2; a unit of the machine's own, which asks without a packet, waits for nothing.
func (s *slice) request(sector uint64, n uint, t Time, write bool) Time {
	if !write {
		s.chan_.stats.ReadSectors += uint64(n)
		s.chan_.stats.Accesses += uint64(n)
	} else {
		s.ctl.put(s, sector, n, t, true, noFetch)
	}
	return t + s.ctl.alone()
}
