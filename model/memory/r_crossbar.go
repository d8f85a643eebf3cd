package memory

// smPort is where an SM meets the crossbar.
type smPort struct {
	out   slots   // requests
	in    slots   // replies
	queue ring    // requests that wait for out
	until Time    // it has no room before
	last  *rSlice // of the latest request
	owed  Time    // for how much longer requests should have held out, in parts of a cycle
}

// mostQueued is how many cycles requests wait at most for a port before no more may
// queue: a port remembers some times as many.
const mostQueued = slotWindow / 4

// room returns from when on, not before t, a request may queue.
func (p *smPort) room(t Time) Time { return max(p.queue.room(t), p.until) }

// request carries a request from an SM to the slice of a sector. It stays at the
// head of its SM's queue until the input of the slice takes it, and holds what is
// behind it. A slice whose queues are full takes nothing.
func (m *rSystem) request(p *smPort, sector uint64, t Time, flits int) (*rSlice, Time) {
	s := &m.slices[m.mapping.slice(sector)]
	s.tags.bringFirst(sector >> (s.per & 63))
	leave := p.out.packet(t, flits)
	t = s.port.reserve(s.waiting.room(leave + m.latency))
	if m.ahead != nil {
		if p.last == s { // a run: what its packets wait is not made good
			p.owed = max(p.owed, 0)
		}
		p.last = s
		if n := m.ahead.held(&s.port, leave+m.latency, t-m.latency-leave, &p.owed); n > 0 {
			p.out.fill(leave, n)
		}
		leave = t - m.latency
	}
	p.queue.put(leave)
	p.until = max(p.until, leave-mostQueued)
	t = s.in.reserve(max(t, s.blocked))
	s.waiting.put(t)
	return s, t
}

// answer carries an answer back. Answers are timed in the order of their requests,
// not in that in which they leave: one holds its slice for what they wait on the
// average.
func (m *rSystem) answer(p *smPort, s *rSlice, t Time, flits int) Time {
	leave := s.out.packet(t, flits)
	if m.back != nil {
		if n := m.back.held(&p.in, leave+m.latency, 0, &s.owed); n > 0 {
			s.out.fill(leave, n)
		}
	}
	return p.in.packet(leave+m.latency, flits)
}
