package collector

import "math/bits"

// buses limit how many results of arithmetic leave the pipes of an SM in a cycle
// (`sm.result_buses`; GPGPU-Sim's m_result_bus).
type buses struct {
	most  int      // 0: any number
	taken []uint64 // by cycle: it, and how many are taken in it
}

// busBits is how many bits of taken are a number of buses.
const busBits = 8

func (b *buses) init(most int, longest Time) {
	if b.most = most; most > 0 {
		ring := 4
		for Time(ring) <= longest+4 {
			ring *= 2
		}
		b.taken = make([]uint64, ring)
	}
}

// bus reserves a bus for the result of an instruction that its pipe takes in cycle at, if
// at least so many are left. The order of instructions does not matter where there are
// enough for all of them.
func (c *Pipeline) bus(at, latency Time, many int) bool {
	b := &c.buses
	if b.most == 0 || latency > c.longest {
		return true
	}
	t := uint64(at + latency)
	x := &b.taken[t&uint64(len(b.taken)-1)]
	if *x>>busBits != t {
		*x = t << busBits
	}
	if b.most-int(*x&(1<<busBits-1)) < many {
		return false
	}
	*x++
	return true
}

// executes are the pipes in the order in which they take instructions, and results get buses
// (GPGPU-Sim's shader_core_ctx::execute, m_fu).
var executes = [...]pipe{pipeSP, pipeDP, pipeInt, pipeSFU, pipeBranch, pipeTexture, pipeTensor, pipeUniform}

// executeInOrder lets the pipes take instructions as long as buses are left for their
// results: a pipe of all sub-cores, then the next pipe. A late instruction keeps its bus for the one of its pipe that
// leaves in the next step.
func (c *Pipeline) executeInOrder(t Time) {
	for _, p := range executes {
		for m := c.outputs | c.late; m != 0; m &= m - 1 {
			s := c.core(m)
			if s.free[p] > t {
				continue
			}
			if s.outputs>>p&1 != 0 {
				if c.start(s, s.output[p], t, 1) {
					c.clear(s, p, t)
				}
			} else if e := s.lateFor(p); e != nil && c.bus(t, c.latency(e), 1) {
				s.kept |= 1 << p
			}
		}
	}
}

// release gives back the bus that a late instruction kept in cycle t.
func (c *Pipeline) release(s *subcore, p pipe, t Time) {
	b, latency := &c.buses, c.latency(s.lateFor(p))
	if b.most > 0 && latency <= c.longest {
		b.taken[uint64(t+latency)&uint64(len(b.taken)-1)]--
	}
}

// latency returns after how many cycles the result of an instruction is there.
func (c *Pipeline) latency(e *inst) Time {
	_, latency := c.times(e.o)
	return latency
}

// execute lets the pipes take the instructions in output registers.
func (c *Pipeline) execute(t Time) {
	contend := false
	for m := c.outputs; m != 0; m &= m - 1 {
		s := c.core(m)
		for k := s.outputs &^ (1 << pipeMemory); k != 0; k &= k - 1 {
			p := pipe(bits.TrailingZeros16(k)) & 15
			if s.free[p] > t {
				continue
			}
			if c.start(s, s.output[p], t, c.standing+c.waiting) {
				c.clear(s, p, t)
			} else {
				contend = true
			}
		}
	}
	if contend || c.late != 0 && c.buses.most > 0 {
		c.executeInOrder(t)
	}
}
