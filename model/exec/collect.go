package exec

import (
	"math/bits"

	"gpureplay/model/clock"
	"gpureplay/model/memory"
)

// step moves what is here at the end of cycle t. GPGPU-Sim has two steps of the collectors
// in a cycle, and what issues in t passes them in the next two of its cycles: what moves
// here to units is moved in its t+1, what leaves them in its t+2, and the pipes take it in
// its t+3.
func (c *collectors) step(t Time) {
	c.allocate(t, true)
	for i := range c.lanes {
		if l := &c.lanes[i]; l.stuck > 0 {
			c.first(l, t)
		}
	}
	c.allocate(t, false)
	oldest := (*operands)(nil)
	for i := range c.lanes {
		l := &c.lanes[i]
		if l.stuck > 0 {
			c.second(l, t)
		}
		if l.stands != 0 {
			oldest = c.execute(l, t, oldest)
		}
	}
	if oldest != nil && c.s.lsu.Takes(t) {
		c.lanes[oldest.sched].leave(pipeMemory)
		c.taken(oldest, t)
	}
	c.next = c.after(t)
}

// allocate gives units to what has issued: of each pipe in turn to the oldest of all
// schedulers; where that finds none, no other of its pipe gets one. The first of a cycle
// finds no unit that was given back behind it, in the second dispatch of the last.
func (c *collectors) allocate(t Time, first bool) {
	for round := range uint8(allocations) {
		some := false
		for m := c.some; m != 0; m &= m - 1 {
			p := pipeNumber(bits.TrailingZeros16(m) & 15)
			switch {
			case first && c.at == t && c.past[p] > round, c.give(c.oldest(p), p, t, first):
				some = true
			}
		}
		if !some {
			return
		}
	}
}

// allocations is how many instructions of a pipe get units in a step at most (GPGPU-Sim's
// gpgpu_operand_collector_num_in_ports_gen).
const allocations = 8

// oldest returns the scheduler whose instruction for a pipe issued first, of those that
// have no unit.
func (c *collectors) oldest(p pipeNumber) int {
	best := -1
	for m := c.behind[p]; m != 0; m &= m - 1 {
		if i := bits.TrailingZeros16(m); best < 0 || c.lanes[i].behind[p].order < c.lanes[best].behind[p].order {
			best = i
		}
	}
	return best
}

// give gives what is behind a scheduler a unit, if there is one.
func (c *collectors) give(of int, p pipeNumber, t Time, first bool) bool {
	l := &c.lanes[of]
	u := l.unit(t, first)
	if u < 0 {
		return false
	}
	e := l.behind[p]
	l.units[u], l.behind[p] = e, nil
	if c.behind[p] &^= 1 << of; c.behind[p] == 0 {
		c.some &^= 1 << p
	}
	c.order++
	e.got, e.fresh = c.order, first
	sc := &c.s.sched[of]
	sc.block(p, t+1)
	at := &c.s.at[of]
	*at = min(*at, c.s.turnOf(t+1, uint8(of)))
	return true
}

// unit returns the first that is free, or -1.
func (l *lane) unit(t Time, first bool) int {
	for i, e := range l.units[:l.many] {
		if e == nil && !(first && l.at == t-1 && l.second>>i&1 != 0) {
			return i
		}
	}
	return -1
}

// first has the units that were given in the first half of a step read their registers, and
// what reads none leave them.
func (c *collectors) first(l *lane, t Time) {
	used := uint32(0)
	if l.at == t-1 {
		used = l.used
	}
	fresh := false
	for _, e := range l.units[:l.many] {
		fresh = fresh || e != nil && e.fresh
	}
	if !fresh {
		return
	}
	l.read(c.banks, used, true)
	for i, e := range l.units[:l.many] {
		if e == nil || !e.fresh {
			continue
		}
		e.fresh = false
		if e.o.Reads != 0 || l.before[e.pipe] != nil || l.passed[e.pipe] == t-1 {
			continue
		}
		l.units[i] = nil
		l.stuck--
		if e.pipe != pipeMemory && l.free[e.pipe] < t {
			c.execution(l, e, t-1)
			continue
		}
		l.before[e.pipe] = e
		l.stands |= 1 << e.pipe
	}
}

// read has each bank give a register to the unit that asked first, and returns which do.
func (l *lane) read(banks int, used uint32, fresh bool) uint32 {
	for b := range banks {
		if used>>b&1 != 0 {
			continue
		}
		var first *operands
		for _, e := range l.units[:l.many] {
			if e != nil && e.reads>>(4*b)&15 != 0 && (e.fresh || !fresh) && (first == nil || e.got < first.got) {
				first = e
			}
		}
		if first != nil {
			first.reads -= 1 << (4 * b)
			used |= 1 << b
		}
	}
	return used
}

// second moves what has all its registers to its pipe, twice.
func (c *collectors) second(l *lane, t Time) {
	c.dispatch(l)
	if l.at, l.second, l.used = t, 0, 0; !l.asks() {
		return // the second would move nothing
	}
	busy := uint32(0)
	if w := &l.writes[int(t+2)&(len(l.writes)-1)]; w.at == t+2 {
		busy = w.banks
	}
	l.read(c.banks, busy, false)
	l.second = c.dispatch(l)
	l.used = l.read(c.banks, 0, false)
}

// asks reports whether a unit has registers to read.
func (l *lane) asks() bool {
	for _, e := range l.units[:l.many] {
		if e != nil && e.reads != 0 {
			return true
		}
	}
	return false
}

// dispatch moves what has all its registers before its pipe, if nothing stands there: that
// of the first unit first (GPGPU-Sim's dispatch_unit_t::find_ready). It returns the units
// that are free now.
func (c *collectors) dispatch(l *lane) (given uint32) {
	for i, e := range l.units[:l.many] {
		if e != nil && e.reads == 0 && l.before[e.pipe] == nil {
			l.before[e.pipe], l.units[i] = e, nil
			l.stands |= 1 << e.pipe
			l.stuck--
			given |= 1 << i
		}
	}
	return given
}

// execute has the pipes of a scheduler take what stands before them, and returns the
// oldest instruction so far that stands before that of memory.
func (c *collectors) execute(l *lane, t Time, oldest *operands) *operands {
	for m := l.stands; m != 0; m &= m - 1 {
		p := pipeNumber(bits.TrailingZeros16(m))
		e := l.before[p]
		l.passed[p] = t
		switch {
		case p == pipeMemory:
			if oldest == nil || e.order < oldest.order {
				oldest = e
			}
		case l.free[p] <= t:
			l.leave(p)
			c.execution(l, e, t)
		}
	}
	return oldest
}

func (l *lane) leave(p pipeNumber) {
	l.before[p] = nil
	l.stands &^= 1 << p
}

// execution has a pipe take an instruction in cycle at.
func (c *collectors) execution(l *lane, e *operands, at Time) {
	s := c.s
	every, latency := c.timing(e.o)
	l.free[e.pipe] = at + every
	if !nameless(e.o) {
		l.write(e.o.Writes, at+latency)
		s.booked(&e.lateLoad, max(at+latency, s.now+1), 0)
	}
	c.drop(e)
}

// taken has the load/store unit take an instruction in cycle t.
func (c *collectors) taken(e *operands, t Time) {
	s := c.s
	done := s.timed(&e.asked, e.o, e.c, t)
	load := s.lsu.Load()
	if load >= 0 {
		s.awaits(load, &e.lateLoad)
	}
	if done < memory.Unknown {
		s.booked(&e.lateLoad, done, 1)
	}
	c.memory--
	c.drop(e)
}

func (c *collectors) drop(e *operands) {
	if c.held--; e.o.Shared {
		c.shared--
	}
	e.w, e.c, e.o, e.regs, e.a, e.lists = nil, nil, nil, nil, nil, nil
	c.spare = append(c.spare, e)
}

// after returns in which cycle after t something may move.
func (c *collectors) after(t Time) Time {
	if c.held == 0 {
		return clock.Never
	}
	for m := c.some; m != 0; m &= m - 1 {
		p := pipeNumber(bits.TrailingZeros16(m))
		if c.lanes[c.oldest(p)].unit(t, false) >= 0 {
			return t + 1
		}
	}
	next := clock.Never
	for i := range c.lanes {
		l := &c.lanes[i]
		if l.stuck > 0 && l.moves() {
			return t + 1
		}
		for m := l.stands; m != 0; m &= m - 1 {
			if p := bits.TrailingZeros16(m); pipeNumber(p) != pipeMemory {
				next = min(next, l.free[p])
			} else {
				next = min(next, c.s.lsu.Opens(t))
			}
		}
	}
	return max(next, t+1)
}

// moves reports whether a unit reads, or can give what it has to its pipe.
func (l *lane) moves() bool {
	for _, e := range l.units[:l.many] {
		if e != nil && (e.reads != 0 || l.before[e.pipe] == nil) {
			return true
		}
	}
	return false
}
