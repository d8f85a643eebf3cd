package exec

import (
	"math/bits"

	"gpureplay/model/clock"
	"gpureplay/model/memory"
)

// step moves instructions at the end of cycle t. GPGPU-Sim has two steps of the collectors
// in a cycle. An instruction that issues there in t gets its unit in t+1, leaves it in t+2,
// and its pipe takes it in t+3. All three are done here in t.
func (c *collectors) step(t Time) {
	c.allocate(t, true)
	for m := c.fresh; m != 0; m &= m - 1 {
		c.first(c.lane(m), t)
	}
	c.fresh = 0
	c.allocate(t, false)
	for m := c.active; m != 0; m &= m - 1 {
		c.second(c.lane(m), t)
	}
	c.execute(t)
	if c.asks != 0 && c.s.lsu.Takes(t) {
		e := c.oldest()
		c.goes(e.lane, pipeMemory, t)
		c.taken(e, t)
	}
	c.next = c.after(t)
}

// lane returns the first of some.
func (c *collectors) lane(some uint16) *lane {
	return c.lanes[bits.TrailingZeros16(some)&(mostSchedulers-1)]
}

// allocate gives units to instructions behind issue. Each pipe in turn gives one to its
// oldest instruction of all schedulers. A pipe whose oldest finds no free unit gives none to
// the others. The first call of a cycle does not find units that the second dispatch of the
// last cycle has freed.
func (c *collectors) allocate(t Time, first bool) {
	pipes := c.some
	for round := uint8(0); pipes != 0 && round < allocations; round++ {
		for m := pipes; m != 0; m &= m - 1 {
			p := pipeNumber(bits.TrailingZeros16(m) & 15)
			if first && c.at == t && c.past[p] > round {
				continue
			}
			l := c.lanes[c.behind[p].first()]
			free := l.all &^ l.filled
			if first && l.at == t-1 {
				free &^= l.given
			}
			if free == 0 {
				pipes &^= 1 << p
				continue
			}
			u := uint8(bits.TrailingZeros8(free))
			if c.give(p, l, u, t); first {
				l.fresh |= 1 << u
				c.fresh |= l.bit
			}
		}
		pipes &= c.some
	}
}

// allocations is how many instructions of a pipe get units in a step at most (GPGPU-Sim's
// gpgpu_operand_collector_num_in_ports_gen).
const allocations = 8

// give gives the oldest instruction of a pipe that has none, which is of a lane, a unit.
func (c *collectors) give(p pipeNumber, l *lane, u uint8, t Time) {
	q := &c.behind[p]
	if q.pop(); q.many == 0 {
		c.some &^= 1 << p
	}
	c.order++
	l.fill(u, l.behind[p], c.order)
	l.behind[p] = nil
	c.active |= l.bit
	c.s.sched[l.number].open(c.s, p, t+1)
}

// first has the units that were given in the first half of a step read their registers, and
// what reads none leave them.
func (c *collectors) first(l *lane, t Time) {
	used := uint32(0)
	if l.at == t-1 {
		used = l.used
	}
	fresh := l.fresh
	l.fresh = 0
	l.read(fresh&l.reads, used)
	for m := fresh; m != 0; m &= m - 1 {
		u := uint8(bits.TrailingZeros8(m)) & (mostUnits - 1)
		e := l.units[u]
		if e.o.Reads != 0 || l.stands>>e.pipe&1 != 0 || l.passed[e.pipe] == t-1 {
			continue
		}
		if l.leave(u); e.pipe == pipeMemory || l.free[e.pipe] >= t || !c.execution(l, e, t-1, 1) {
			c.arrives(l, e)
		}
	}
}

// second moves what has all its registers to its pipe, twice.
func (c *collectors) second(l *lane, t Time) {
	if l.gives() != 0 {
		c.dispatch(l)
	}
	l.at, l.given, l.used = t, 0, 0
	if l.reads != 0 { // or else the second would move nothing
		l.read(l.reads, l.written(t+2))
		l.given = c.dispatch(l)
		l.used = l.read(l.reads, 0)
	}
	if !l.moves() {
		c.active &^= l.bit
	}
}

// dispatch moves what has all its registers before its pipe, if nothing stands there: that
// of the first unit first (GPGPU-Sim's dispatch_unit_t::find_ready). It returns the units
// that are free now.
func (c *collectors) dispatch(l *lane) (given uint8) {
	for m := l.gives(); m != 0; m &= m - 1 {
		u := uint8(bits.TrailingZeros8(l.whole[bits.TrailingZeros16(m)&15])) & (mostUnits - 1)
		c.arrives(l, l.leave(u))
		given |= 1 << u
	}
	return given
}

// arrives has an instruction stand before its pipe.
func (c *collectors) arrives(l *lane, e *operands) {
	l.before[e.pipe&15] = e
	if l.stands |= 1 << e.pipe; e.pipe == pipeMemory {
		c.asks |= l.bit
	} else {
		c.standing++
		c.stands |= l.bit
	}
}

// goes has what stands before a pipe leave that place in cycle t.
func (c *collectors) goes(l *lane, p pipeNumber, t Time) {
	l.passed[p] = t
	if l.stands &^= 1 << p; p == pipeMemory {
		c.asks &^= l.bit
	} else if c.standing--; l.stands&^(1<<pipeMemory) == 0 {
		c.stands &^= l.bit
	}
	if l.filled != 0 {
		c.active |= l.bit
	}
}

// oldest returns the instruction that issued first of those that stand before memory's pipe.
func (c *collectors) oldest() (first *operands) {
	for m := c.asks; m != 0; m &= m - 1 {
		if e := c.lane(m).before[pipeMemory]; first == nil || e.order < first.order {
			first = e
		}
	}
	return first
}

// execution has a pipe take an instruction in cycle at, if so many buses are left for its result.
func (c *collectors) execution(l *lane, e *operands, at Time, many int) bool {
	s := c.s
	every, latency := c.timing(e.o)
	if !c.bus(at, latency, many) {
		return false
	}
	l.free[e.pipe] = at + every
	if !nameless(e.o) {
		c.write(l, e.o.Writes, at, latency)
		s.booked(&e.lateLoad, max(at+latency, s.now+1), 0)
	}
	c.drop(e)
	return true
}

// taken has the load/store unit take an instruction in cycle t.
func (c *collectors) taken(e *operands, t Time) {
	s := c.s
	s.lsu.Hand(e.o.Written, e.lane.number)
	done := s.timed(&e.asked, e.o, e.c, t)
	load := s.lsu.Load()
	if load >= 0 {
		*s.late(load) = e.lateLoad
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
	switch {
	case c.held == 0:
		return clock.Never
	case c.active != 0:
		return t + 1
	}
	for m := c.some; m != 0; m &= m - 1 {
		if l := c.lanes[c.behind[bits.TrailingZeros16(m)&15].first()]; l.filled != l.all {
			return t + 1
		}
	}
	next := clock.Never
	if c.asks != 0 {
		next = c.s.lsu.Opens(t)
	}
	for m := c.stands; m != 0; m &= m - 1 {
		l := c.lane(m)
		for k := l.stands &^ (1 << pipeMemory); k != 0; k &= k - 1 {
			next = min(next, l.free[bits.TrailingZeros16(k)])
		}
	}
	return max(next, t+1)
}
