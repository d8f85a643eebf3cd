package collector

import (
	"gpureplay/model/memory"
	"math/bits"

	"gpureplay/model/clock"
)

// Close moves held instructions and results of memory at the end of cycle t. It returns
// the next cycle in which there is something to move.
func (c *Pipeline) Close(t Time) (next Time) {
	c.now = t
	if len(c.soon) > 0 {
		c.noteSoon(t, t)
	}
	if c.signals.Due <= t {
		c.sm.Returned(c.port.WriteBack(t), t)
	}
	if len(c.soon) > 0 {
		c.noteSoon(t+1, t)
	}
	if c.next <= t {
		c.step(t)
	}
	return min(c.next, c.signals.Wake)
}

// step moves instructions at the end of cycle t. GPGPU-Sim steps its collectors twice in a
// cycle. There an instruction that issues in t gets its unit in t+1 and leaves it in t+2,
// and its pipe takes it in t+3. All three happen here in t.
func (c *Pipeline) step(t Time) {
	more := c.filled != 0 && c.allocate(t, true)
	if early := c.idle | c.late; early != 0 {
		c.leaveEarly(early, t)
		more = true
	}
	if more && c.filled != 0 {
		c.allocate(t, false)
	}
	for m := c.active; m != 0; m &= m - 1 {
		c.move(c.core(m), t)
	}
	if c.lent != 0 {
		c.takeBack()
	}
	if c.outputs|c.late != 0 {
		c.execute(t)
	}
	if c.memory != 0 && c.port.Takes(t) {
		c.takeMemory(t)
	}
	c.next = c.after(t)
}

// core returns the first sub-core of a set.
func (c *Pipeline) core(set uint16) *subcore {
	return c.cores[bits.TrailingZeros16(set)&(mostCores-1)]
}

// allocate gives units to instructions in input registers. Each pipe in turn gives one to
// its oldest instruction of all sub-cores. If that finds no free unit, the pipe's younger
// instructions wait too. A unit that the second dispatch of the last cycle freed is not
// free for the first call of a cycle. It reports whether another may give more.
func (c *Pipeline) allocate(t Time, first bool) (more bool) {
	pipes := c.filled
	for round := uint8(0); pipes != 0 && round < allocations; round++ {
		for m := pipes; m != 0; m &= m - 1 {
			p := pipe(bits.TrailingZeros16(m) & 15)
			if first && c.at == t && c.bypassed[p] > round {
				continue
			}
			q := &c.inputs[p]
			s := c.cores[q.first()]
			free := s.all &^ s.taken
			if first && free != 0 {
				free &^= s.freedBefore(t)
				more = more || free == 0
			}
			if free == 0 {
				pipes &^= 1 << p
				continue
			}
			if q.pop(); q.many == 0 {
				c.filled &^= 1 << p
				pipes &^= 1 << p
			}
			e := s.input[p]
			s.filled &^= 1 << p
			c.gates.Open(s.number, unitOf[p])
			if c.take(s, e, free&-free); first {
				c.freshly(s, e, free&-free)
			}
		}
	}
	return more || pipes != 0
}

// freedBefore returns the units that the second dispatch of the cycle before t freed.
func (s *subcore) freedBefore(t Time) uint8 {
	switch s.at {
	case t - 1:
		return s.freed
	case t: // one is lent
		return s.prior
	}
	return 0
}

// allocations is how many instructions of a pipe get units in a step at most (GPGPU-Sim's
// gpgpu_operand_collector_num_in_ports_gen).
const allocations = 8

// take puts an instruction into a unit, a bit.
func (c *Pipeline) take(s *subcore, e *inst, unit uint8) {
	c.order++
	e.given = c.order
	u := uint8(bits.TrailingZeros8(unit)) & (mostUnits - 1)
	s.units[u] = e
	if s.taken |= unit; e.left != 0 {
		s.reads |= unit
	} else {
		s.has(u, e)
	}
	c.active |= s.bit
}

// freshly notes that an instruction gets its unit in the first half of the step.
func (c *Pipeline) freshly(s *subcore, e *inst, unit uint8) {
	if s.fresh |= unit; e.left == 0 {
		c.idle |= s.bit
	}
}

// leaveEarly is the second dispatch of the cycle before t in some sub-cores. To an empty output register goes the
// first unit, of those with an instruction that reads no register, which got it in the first half of this step, and
// those that dispatchAgain left.
func (c *Pipeline) leaveEarly(cores uint16, t Time) {
	for ; cores != 0; cores &= cores - 1 {
		s, full := c.core(cores), uint16(0)
		for m := s.fresh&^s.reads | s.late; m != 0; m &= m - 1 {
			u := uint8(bits.TrailingZeros8(m)) & (mostUnits - 1)
			e := s.units[u]
			if (s.outputs|full)>>e.pipe&1 != 0 || s.passed[e.pipe&15] == t-1 {
				continue
			}
			full |= 1 << e.pipe
			s.fresh &^= 1 << u // another may get it
			if s.kept>>e.pipe&1 != 0 {
				c.release(s, e.pipe&15, t-1)
			}
			if s.leave(u, e); e.pipe == pipeMemory || s.free[e.pipe&15] >= t || !c.start(s, e, t-1, 1) {
				c.stand(s, e)
			}
		}
		s.late, s.kept = 0, 0
	}
	c.idle, c.late, c.waiting = 0, 0, 0
}

// move lets the units of a sub-core read and dispatch. Those allocated in the first half of
// the step read a register of each bank. Then instructions that have all their registers
// dispatch and others read, twice.
func (c *Pipeline) move(s *subcore, t Time) {
	used, reads := uint32(0), s.reads
	switch s.at {
	case t - 1:
		used = s.used
	case t: // a unit is lent
		used = s.first
	}
	if reads&(reads-1) != 0 {
		c.moveMany(s, used, t)
		return
	}
	fresh := s.fresh & reads
	s.begin(t)
	if reads == 0 {
		if s.dispatches() != 0 {
			c.dispatch(s)
		}
	} else {
		u := uint8(bits.TrailingZeros8(reads)) & (mostUnits - 1)
		e := s.units[u]
		left := e.left
		if fresh != 0 {
			left -= each(left, used)
		}
		if left == 0 {
			s.reads = 0
			s.has(u, e)
		}
		if s.dispatches() != 0 {
			c.dispatch(s)
		}
		if left != 0 {
			if left -= each(left, s.written(t+2)|s.second); left == 0 {
				s.reads = 0
				s.has(u, e)
			}
			if s.dispatches() != 0 {
				c.dispatchAgain(s)
			}
			if left != 0 {
				s.used = each(left, 0)
				if left -= s.used; left == 0 {
					s.reads = 0
					s.has(u, e)
				}
			}
		}
		e.left = left
	}
	if !s.moves() {
		c.active &^= s.bit
	}
}

// begin begins a step in cycle t. An instruction that bypasses may have left a unit in it.
func (s *subcore) begin(t Time) {
	if s.at != t {
		s.freed, s.second = 0, 0
	}
	s.at, s.used, s.fresh = t, 0, 0
}

// moveMany is move for more than one unit that reads; used are the banks that the last cycle used.
func (c *Pipeline) moveMany(s *subcore, used uint32, t Time) {
	if fresh := s.fresh & s.reads; fresh != 0 {
		s.read(fresh, used)
	}
	s.begin(t)
	if s.dispatches() != 0 {
		c.dispatch(s)
	}
	if s.reads != 0 { // or else the second would move nothing
		s.read(s.reads, s.written(t+2)|s.second)
		if s.dispatches() != 0 {
			c.dispatchAgain(s)
		}
		if s.reads != 0 {
			s.used = s.read(s.reads, 0)
		}
	}
	if !s.moves() {
		c.active &^= s.bit
	}
}

// dispatch moves instructions that have all their registers to empty output registers,
// the first units first (GPGPU-Sim's dispatch_unit_t::find_ready).
func (c *Pipeline) dispatch(s *subcore) {
	for m := s.dispatches(); m != 0; m &= m - 1 {
		u := s.firstWhole(m)
		e := s.units[u]
		s.leave(u, e)
		c.stand(s, e)
	}
}

// dispatchAgain is the second dispatch of a cycle. Before it an instruction that reads no register may get a unit,
// in the next step here. Where that may be a lower unit, the next step decides which goes first; not for memory,
// which takes instructions at the end of this one.
func (c *Pipeline) dispatchAgain(s *subcore) {
	free := s.all &^ s.taken
	if c.lent&s.bit != 0 {
		free |= s.lent
	}
	free &^= s.freed
	for m := s.dispatches(); m != 0; m &= m - 1 {
		u := s.firstWhole(m)
		e, bit := s.units[u], uint8(1)<<u
		if e.pipe != pipeMemory && free&(bit-1) != 0 {
			s.late |= bit
			c.late |= s.bit
			c.waiting++
			continue
		}
		s.leave(u, e)
		c.stand(s, e)
		s.freed |= bit
	}
}

// stand puts an instruction into the output register before its pipe.
func (c *Pipeline) stand(s *subcore, e *inst) {
	s.output[e.pipe&15] = e
	if s.outputs |= 1 << e.pipe; e.pipe == pipeMemory {
		c.memory |= s.bit
		c.outOrder[s.number&(mostCores-1)] = e.order
	} else {
		c.standing++
		c.outputs |= s.bit
	}
}

// clear empties the output register before a pipe in cycle t.
func (c *Pipeline) clear(s *subcore, p pipe, t Time) {
	s.passed[p] = t
	if s.outputs &^= 1 << p; p == pipeMemory {
		c.memory &^= s.bit
	} else if c.standing--; s.outputs&^(1<<pipeMemory) == 0 {
		c.outputs &^= s.bit
	}
	if s.taken != 0 {
		c.active |= s.bit
	}
}

// start lets a pipe take an instruction in cycle at, if at least so many buses are left for
// its result.
func (c *Pipeline) start(s *subcore, e *inst, at Time, many int) bool {
	every, latency := c.times(e.o)
	if !c.bus(at, latency, many) {
		return false
	}
	s.free[e.pipe&15] = at + every
	c.write(s, e.o.Writes, at, latency)
	c.sm.Booked(e.number, max(at+latency, c.now+1))
	c.drop(e)
	return true
}

// takeMemory hands the oldest instruction in memory's output registers to the load/store
// unit in cycle t.
func (c *Pipeline) takeMemory(t Time) {
	first, least := 0, ^uint64(0)
	for m := c.memory; m != 0; m &= m - 1 {
		i := bits.TrailingZeros16(m) & (mostCores - 1)
		if order := c.outOrder[i]; order < least {
			first, least = i, order
		}
	}
	s := c.cores[first&(mostCores-1)]
	e := s.output[pipeMemory]
	c.clear(s, pipeMemory, t)
	c.port.Into(memory.Destination{Banks: e.o.Written, Subcore: s.number})
	c.sm.Take(e.number, t)
	c.accesses--
	c.drop(e)
}

// drop frees the place of an instruction.
func (c *Pipeline) drop(e *inst) {
	if c.held--; e.o.Shared {
		c.shared--
	}
	e.next, c.spare = c.spare, e
}

// after returns in which cycle after t something may move.
func (c *Pipeline) after(t Time) Time {
	switch {
	case c.held == 0:
		return clock.Never
	case c.active != 0:
		return t + 1
	}
	if !c.blocked() {
		return t + 1
	}
	next := clock.Never
	if c.memory != 0 {
		next = c.port.Opens(t)
	}
	for m := c.outputs; m != 0; m &= m - 1 {
		s := c.core(m)
		for k := s.outputs &^ (1 << pipeMemory); k != 0; k &= k - 1 {
			next = min(next, s.free[bits.TrailingZeros16(k)])
		}
	}
	return max(next, t+1)
}
