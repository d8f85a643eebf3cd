package collector

import (
	"math/bits"

	"gpureplay/model/program"
)

// passing is the way of an instruction that bypasses the collectors through a unit of its sub-core.
type passing struct {
	unit   uint8  // the unit
	freed  bool   // it leaves the unit at the second dispatch of the step
	lends  bool   // an instruction in an input register of the sub-core may get a unit in the step, behind it
	first  uint32 // banks that give no register to others at the first read of the step
	second uint32 // and those that it reads at the second
}

// meets reports whether an instruction of a sub-core meets another one on its way to its pipe.
func (c *Pipeline) meets(s *subcore, p pipe) bool {
	return s.taken == s.all || s.reads != 0 || (c.filled|s.outputs|s.ready)>>p&1 != 0
}

// bypasses reports whether an instruction that meets no other in its sub-core is delayed by nothing on its way to its
// pipe. The pipe then takes it in the cycle of issue or, if it reads no register, in the
// one before. c.plan is its way, if others of the sub-core see it (c.enters).
func (c *Pipeline) bypasses(s *subcore, p pipe, o *program.Op, t Time) (at Time, ok bool) {
	free, used := s.all&^s.taken, uint32(0)
	if s.at == t-1 {
		free, used = free&^s.freed, s.used
	}
	if c.dual || free == 0 || s.free[p] > t || p == pipeMemory && (c.accesses > 0 || !c.port.Takes(t)) {
		return t, false
	}
	lends := s.filled != 0 && !c.blocked()
	if lends && (o.Reads == 0 || !c.before(s, p, t)) {
		return t, false
	}
	gives := each(o.Reads, used)
	left := o.Reads - gives
	if left != 0 && !c.readsAgain(s, p, free, left, t) {
		return t, false
	}
	if c.enters = lends || left != 0; c.enters {
		c.plan = passing{free & -free, left != 0, lends, used | gives, left}
	}
	if o.Reads == 0 && s.passed[p] != t-1 && s.free[p] < t && p != pipeMemory {
		return t - 1, true
	}
	return t, true
}

// readsAgain reports whether an instruction reads its other registers at the second read and leaves the first of
// some free units at the second dispatch, before any that gets a unit meanwhile. All writes must be noted.
func (c *Pipeline) readsAgain(s *subcore, p pipe, free uint8, left uint32, t Time) bool {
	return len(c.soon) == 0 && c.late&s.bit == 0 && left == each(left, s.written(t+2)) &&
		(free&1 != 0 || p == pipeMemory)
}

// blocked reports whether no instruction in an input register gets a unit in the next step.
func (c *Pipeline) blocked() bool {
	for m := c.filled; m != 0; m &= m - 1 {
		if s := c.cores[c.inputs[bits.TrailingZeros16(m)&15].first()]; s.taken != s.all {
			return false
		}
	}
	return true
}

// before reports whether an instruction for a pipe, which issues in cycle t, gets its unit before the one in the
// input register of its sub-core, which is for memory: of each pipe one gets a unit in turn.
func (c *Pipeline) before(s *subcore, p pipe, t Time) bool {
	if c.filled != 1<<pipeMemory {
		return false
	}
	turns := 0
	if c.at == t {
		turns = int(c.bypassed[p])
	}
	if p > pipeMemory {
		turns++
	}
	return c.inputs[pipeMemory].place(s.number) >= turns
}

// bypass notes that a pipe takes an instruction in cycle at that is not held. It counts as
// an allocation, and the held instructions of the pipe have their turns behind it.
func (c *Pipeline) bypass(s *subcore, p pipe, at, t Time) {
	if c.enters {
		s.enter(&c.plan, t)
		if c.plan.lends {
			c.lent |= s.bit
		}
	}
	if c.turn(p, t); at == t {
		s.passed[p] = t
	}
}

// turn notes that an instruction of a pipe gets its unit as it issues in cycle t.
func (c *Pipeline) turn(p pipe, t Time) {
	if c.at != t {
		c.at, c.bypassed = t, [16]uint8{}
	}
	c.bypassed[p&15]++
}

// enter notes what others of the sub-core see of an instruction that goes through a unit in cycle t.
func (s *subcore) enter(x *passing, t Time) {
	if x.lends {
		s.prior = 0
		if s.at == t-1 {
			s.prior = s.freed
		}
		s.taken |= x.unit
		s.lent = x.unit
	}
	s.at, s.freed, s.used, s.first, s.second = t, 0, 0, x.first, x.second
	if x.freed {
		s.freed = x.unit
	}
}

// takeBack frees the units that instructions have left that bypass.
func (c *Pipeline) takeBack() {
	for m := c.lent; m != 0; m &= m - 1 {
		s := c.core(m)
		s.taken &^= s.lent
	}
	c.lent = 0
}
