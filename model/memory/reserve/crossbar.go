package reserve

import (
	"gpureplay/model/memory/timing"
)

// smPorts is where an SM meets the crossbar.
type smPorts struct {
	out   timing.Reservations // requests
	in    timing.Reservations // replies
	queue timing.LeaveTimes   // requests that wait for out
	until Time                // it has no room before
	last  *slice              // of the latest request
	owed  Time                // for how much longer requests should have held out, in parts of a cycle
}

// mostQueued is how many cycles requests wait at most for a port before no more may
// queue: a port remembers some times as many.
const mostQueued = timing.Window / 4

// room returns from when on, not before t, a request may queue.
func (p *smPorts) room(t Time) Time { return max(p.queue.Room(t), p.until) }

// request carries a request from an SM to the slice of a sector. It stays at the head of its SM's queue until the
// input of the slice takes it, and holds those behind it. A slice whose queues are full takes nothing.
func (m *System) request(p *smPorts, sector uint64, t Time, flits int) (*slice, Time) {
	s := m.sliceOf(sector)
	for ; flits > 1; flits-- {
		t = p.out.Reserve(t)
	}
	leave := p.out.Reserve(t)
	t = s.port.Reserve(s.waiting.Room(leave + m.latency))
	if m.ahead != nil {
		if p.last == s { // a run: its packets' waits are not made good
			p.owed = max(p.owed, 0)
		}
		p.last = s
		if n := m.ahead.Held(&s.port, leave+m.latency, t-m.latency-leave, &p.owed); n > 0 {
			p.out.Fill(leave, n)
		}
		leave = t - m.latency
	}
	p.queue.Put(leave)
	p.until = max(p.until, leave-mostQueued)
	t = s.in.Reserve(max(t, s.blocked))
	s.waiting.Put(t)
	return s, t
}

// sliceOf returns the slice of a sector. Sectors of a chunk come one after another.
func (m *System) sliceOf(sector uint64) *slice {
	if at := sector >> (m.grain & 63); at != m.chunk {
		m.chunk, m.of = at, &m.slices[m.Mapping.Slice(sector)]
		m.of.Tags.PrefetchFirst(sector >> (m.of.Per & 63))
	}
	return m.of
}

// answer carries an answer back. Answers are timed in the order of their requests, not of their leaving: one holds
// its slice for their mean wait.
func (m *System) answer(p *smPorts, s *slice, t Time, flits int) Time {
	for n := flits; n > 1; n-- {
		t = s.out.Reserve(t)
	}
	leave := s.out.Reserve(t)
	if m.back != nil {
		if n := m.back.Held(&p.in, leave+m.latency, 0, &s.owed); n > 0 {
			s.out.Fill(leave, n)
		}
	}
	t = leave + m.latency
	for ; flits > 1; flits-- {
		t = p.in.Reserve(t)
	}
	return p.in.Reserve(t)
}
