package memory

import (
	"math"
)

// smPort is where an SM meets the crossbar.
type smPort struct {
	out   *slots // requests
	in    *slots // answers
	queue ring   // requests that wait for out
	until Time   // it has no room before
	last  *slice // of the latest request
	owed  Time   // for how much longer requests should have held out, in parts of a cycle
}

// mostQueued is how many cycles requests wait at most for a port before no more may
// queue: a port remembers some times as many.
const mostQueued = slotWindow / 4

// room returns from when on, not before t, a request may queue.
func (p *smPort) room(t Time) Time { return max(p.queue.room(t), p.until) }

// request carries a request from an SM to the slice of a sector. It stays at the
// head of its SM's queue until the input of the slice takes it, and holds what is
// behind it. A slice whose queues are full takes nothing.
func (m *System) request(p *smPort, sector uint64, t Time, flits int) (*slice, Time) {
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
	s.direct = true
	return s, t
}

// answer carries an answer back. Answers are timed in the order of their requests,
// not in that in which they leave: one holds its slice for what they wait on the
// average.
func (m *System) answer(p *smPort, s *slice, t Time, flits int) Time {
	leave := s.out.packet(t, flits)
	if m.back != nil {
		if n := m.back.held(p.in, leave+m.latency, 0, &s.owed); n > 0 {
			s.out.fill(leave, n)
		}
	}
	return p.in.packet(leave+m.latency, flits)
}

// headOfLine is how long the packet at the head of an input's queue waits for its
// output: where those have been taken for a share of the cycles, as long as a
// customer of a queue with random arrivals and constant service (Karol, Hluchyj and
// Morgan, 1987). Requests are timed before those that will contend with them, so
// that what they meet is less than what they would (docs/model, choice 22).
type headOfLine struct {
	waits [129]Time // by taken cycles of 128, in parts of a cycle
}

// waitParts are the parts of a cycle in which waits are added up.
const (
	waitShift = 8
	waitParts = 1 << waitShift
)

// mostOwed is the most that is made good: the cycles that loads are seen of.
const mostOwed = 128 * waitParts

// newHeadOfLine returns the waits of a crossbar of so many inputs and outputs.
func newHeadOfLine(inputs, outputs int) *headOfLine {
	h := &headOfLine{}
	c := float64(inputs) / float64(outputs)
	most := 1 + c - math.Sqrt(1+float64(c*c)) // the share at which all inputs have a queue
	for n := range h.waits {
		share := min(float64(n)/128, most)
		h.waits[n] = Time(math.Round(waitParts * share / (2 * (1 - share))))
	}
	return h
}

// held returns for how many cycles a packet holds its input that may go to an output
// from t on: as many as it waits, or more, so that packets hold it for what they wait on
// the average. What one has waited beyond that is made good by those after it.
func (h *headOfLine) held(output *slots, t, waits Time, owed *Time) Time {
	o := max(*owed+h.waits[output.load(t)]-waits*waitParts, -mostOwed)
	more := max(0, o) >> waitShift
	*owed = o - more*waitParts
	return waits + more
}
