package exec

import "gpureplay/model/memory"

// writeback is the write-back register of an SM's load/store unit (`sm.writeback_in_turn`;
// GPGPU-Sim's ldst_unit::m_next_wb). The result in it is written into its banks. A bank into
// which arithmetic writes in that cycle keeps it, and the results behind it wait, too.
type writeback struct {
	full bool
	lane uint8
	load int32
	left uint32 // banks, as in [program.Op.Written]
}

// writeBack has the register act, at the end of cycle t, for the cycle that comes
// memory.WrittenAhead later. A bank into which it writes gives no register then.
func (c *collectors) writeBack(t Time) {
	u, r, at := &c.s.lsu, &c.register, t+memory.WrittenAhead
	u.EnterShared(t)
	if r.full {
		l := c.lanes[r.lane&(mostSchedulers-1)]
		for ; r.left != 0; r.left >>= 4 {
			bank := uint32(1) << (4 * (r.left&15 - 1))
			if l.written(at)&bank != 0 {
				break
			}
			l.write(bank, at, t)
		}
		if r.left == 0 {
			r.full = false
			u.Written(r.load, at)
			c.s.tell(u.Known(), t)
		}
	}
	if !r.full {
		r.load, r.left, r.lane = u.Result(at + 1)
		r.full = r.load >= 0
	}
	if r.full {
		u.Due = t + 1
	} else {
		u.SetDue(t)
	}
}

// due has the SM act when the register has something to do, behind cycle t.
func (c *collectors) due(t Time) {
	if d := c.s.lsu.Due; d < memory.Never {
		c.s.closeAt(max(d, t))
	}
}

// soonWritten is a result of an instruction of arithmetic that meets nothing, and is so short
// that the register acts for the cycle of its write in the cycle of issue. The pipe takes the
// instruction behind that, so that the register does not know of the write.
type soonWritten struct {
	l           *lane
	banks       uint32
	at, latency Time
	issued      Time
}

// noteSoon notes the writes of instructions that issued before a cycle, if they issued before
// another as well or their pipes took them before that.
func (c *collectors) noteSoon(issued, taken Time) {
	kept := c.soon[:0]
	for _, x := range c.soon {
		if x.issued < issued && (x.at < taken || x.issued < taken) {
			c.write(x.l, x.banks, x.at, x.latency)
		} else {
			kept = append(kept, x)
		}
	}
	c.soon = kept
}
