package exec

import "math/bits"

// buses are those on which results leave the pipes of an SM (`sm.result_buses`; GPGPU-Sim's
// m_result_bus): so many results of arithmetic are there in a cycle at most.
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

// bus gives the result of an instruction that its pipe takes in cycle at a bus, if so many
// are left. The order does not matter where there are as many as may be asked for.
func (c *collectors) bus(at, latency Time, many int) bool {
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
var executes = [...]pipeNumber{pipeSP, pipeDP, pipeInt, pipeSFU, pipeBranch, pipeTexture, pipeTensor, pipeUniform}

// inOrder has the pipes take the instructions before them, as long as there are buses for their
// results: a pipe of all schedulers, then the next pipe.
func (c *collectors) inOrder(t Time) {
	for _, p := range executes {
		for m := c.stands; m != 0; m &= m - 1 {
			if l := c.lane(m); l.stands>>p&1 != 0 && l.free[p] <= t && c.execution(l, l.before[p], t, 1) {
				c.goes(l, p, t)
			}
		}
	}
}

// execute has the pipes take the instructions before them.
func (c *collectors) execute(t Time) {
	contend := false
	for m := c.stands; m != 0; m &= m - 1 {
		l := c.lane(m)
		for k := l.stands &^ (1 << pipeMemory); k != 0; k &= k - 1 {
			p := pipeNumber(bits.TrailingZeros16(k)) & 15
			if l.free[p] > t {
				continue
			}
			if c.execution(l, l.before[p], t, c.standing) {
				c.goes(l, p, t)
			} else {
				contend = true
			}
		}
	}
	if contend {
		c.inOrder(t)
	}
}
