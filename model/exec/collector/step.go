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
		c.sm.Returned(c.port.WriteBack(c, t), t)
	}
	if len(c.soon) > 0 {
		c.noteSoon(t+1, t)
	}
	if c.next <= t {
		c.step(t)
	}
	return min(c.next, c.signals.Due)
}

// step moves instructions at the end of cycle t. GPGPU-Sim steps its collectors twice in a
// cycle. There an instruction that issues in t gets its unit in t+1 and leaves it in t+2,
// and its pipe takes it in t+3. All three happen here in t.
func (c *Pipeline) step(t Time) {
	if c.filled != 0 {
		c.allocate(t, true)
	}
	for m := c.fresh; m != 0; m &= m - 1 {
		c.readFresh(c.core(m), t)
	}
	c.fresh = 0
	if c.filled != 0 {
		c.allocate(t, false)
	}
	for m := c.active; m != 0; m &= m - 1 {
		c.dispatchTwice(c.core(m), t)
	}
	c.execute(t)
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
// free for the first call of a cycle.
func (c *Pipeline) allocate(t Time, first bool) {
	pipes := c.filled
	for round := uint8(0); pipes != 0 && round < allocations; round++ {
		for m := pipes; m != 0; m &= m - 1 {
			p := pipe(bits.TrailingZeros16(m) & 15)
			if first && c.at == t && c.bypassed[p] > round {
				continue
			}
			s := c.cores[c.inputs[p].first()]
			free := s.all &^ s.taken
			if first && s.at == t-1 {
				free &^= s.freed
			}
			if free == 0 {
				pipes &^= 1 << p
				continue
			}
			u := uint8(bits.TrailingZeros8(free))
			if c.give(p, s, u, t); first {
				s.fresh |= 1 << u
				c.fresh |= s.bit
			}
		}
		pipes &= c.filled
	}
}

// allocations is how many instructions of a pipe get units in a step at most (GPGPU-Sim's
// gpgpu_operand_collector_num_in_ports_gen).
const allocations = 8

// give moves the oldest instruction in input registers of a pipe, which is a sub-core's, to
// a unit.
func (c *Pipeline) give(p pipe, s *subcore, u uint8, t Time) {
	q := &c.inputs[p]
	if q.pop(); q.many == 0 {
		c.filled &^= 1 << p
	}
	c.order++
	s.fill(u, s.input[p], c.order)
	s.input[p] = nil
	c.active |= s.bit
	c.sm.Open(s.number, unitOf[p], t+1)
}

// readFresh reads registers for the units allocated in the first half of a step. An
// instruction that reads none leaves its unit.
func (c *Pipeline) readFresh(s *subcore, t Time) {
	used := uint32(0)
	if s.at == t-1 {
		used = s.used
	}
	fresh := s.fresh
	s.fresh = 0
	s.read(fresh&s.reads, used)
	for m := fresh; m != 0; m &= m - 1 {
		u := uint8(bits.TrailingZeros8(m)) & (mostUnits - 1)
		e := s.units[u]
		if e.o.Reads != 0 || s.outputs>>e.pipe&1 != 0 || s.passed[e.pipe] == t-1 {
			continue
		}
		if s.leave(u); e.pipe == pipeMemory || s.free[e.pipe] >= t || !c.start(s, e, t-1, 1) {
			c.stand(s, e)
		}
	}
}

// dispatchTwice dispatches instructions that have all their registers and reads registers
// for others, twice.
func (c *Pipeline) dispatchTwice(s *subcore, t Time) {
	if s.dispatches() != 0 {
		c.dispatch(s)
	}
	s.at, s.freed, s.used = t, 0, 0
	if s.reads != 0 { // or else the second would move nothing
		s.read(s.reads, s.written(t+2))
		s.freed = c.dispatch(s)
		s.used = s.read(s.reads, 0)
	}
	if !s.moves() {
		c.active &^= s.bit
	}
}

// dispatch moves instructions that have all their registers to empty output registers,
// the first units first (GPGPU-Sim's dispatch_unit_t::find_ready). It returns the
// units that it frees.
func (c *Pipeline) dispatch(s *subcore) (freed uint8) {
	for m := s.dispatches(); m != 0; m &= m - 1 {
		u := uint8(bits.TrailingZeros8(s.whole[bits.TrailingZeros16(m)&15])) & (mostUnits - 1)
		c.stand(s, s.leave(u))
		freed |= 1 << u
	}
	return freed
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
	s.free[e.pipe] = at + every
	if e.o.Awaited() {
		c.write(s, e.o.Writes, at, latency)
		c.sm.Booked(e.number, max(at+latency, c.now+1))
	}
	c.drop(e)
	return true
}

// takeMemory hands the oldest instruction in memory's output registers to the load/store
// unit in cycle t.
func (c *Pipeline) takeMemory(t Time) {
	first := c.memory
	for m := first & (first - 1); m != 0; m &= m - 1 {
		if c.outOrder[bits.TrailingZeros16(m)&(mostCores-1)] < c.outOrder[bits.TrailingZeros16(first)&(mostCores-1)] {
			first = m
		}
	}
	e := c.core(first).output[pipeMemory]
	c.clear(e.core, pipeMemory, t)
	c.port.Into(memory.Destination{Banks: e.o.Written, Subcore: e.core.number})
	c.sm.Take(e.number, t)
	c.accesses--
	c.drop(e)
}

// drop frees the place of an instruction.
func (c *Pipeline) drop(e *inst) {
	if c.held--; e.o.Shared {
		c.shared--
	}
	e.o = nil
	c.spare = append(c.spare, e)
}

// after returns in which cycle after t something may move.
func (c *Pipeline) after(t Time) Time {
	switch {
	case c.held == 0:
		return clock.Never
	case c.active != 0:
		return t + 1
	}
	for m := c.filled; m != 0; m &= m - 1 {
		if s := c.cores[c.inputs[bits.TrailingZeros16(m)&15].first()]; s.taken != s.all {
			return t + 1
		}
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
