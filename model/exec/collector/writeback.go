package collector

// Write writes a result of memory into banks of a sub-core in cycle at, as far as the first
// bank that arithmetic writes in that cycle ([memory.RegisterFile]). It returns the banks
// that are left. A bank that it writes then gives no register.
func (c *Pipeline) Write(core uint8, banks uint32, at, t Time) (left uint32) {
	if t > c.now && len(c.soon) > 0 { // Close was not called in that cycle
		c.now = t
		c.noteSoon(t, t)
	}
	s := c.cores[core&(mostCores-1)]
	for ; banks != 0; banks >>= 4 {
		bank := uint32(1) << (4 * (banks&15 - 1))
		if s.written(at)&bank != 0 {
			break
		}
		s.write(bank, at, t)
	}
	return banks
}

// soonWritten is a result of a bypassing instruction whose latency is so short that the
// write-back register acts for the cycle of its write in the cycle of issue. The pipe takes
// the instruction after the register has acted, so the register does not see the write.
type soonWritten struct {
	s           *subcore
	banks       uint32
	at, latency Time
	issued      Time
}

// noteSoon notes the writes of instructions that issued before a cycle, if they issued before
// another as well or their pipes took them before that.
func (c *Pipeline) noteSoon(issued, taken Time) {
	kept := c.soon[:0]
	for _, x := range c.soon {
		if x.issued < issued && (x.at < taken || x.issued < taken) {
			c.write(x.s, x.banks, x.at, x.latency)
		} else {
			kept = append(kept, x)
		}
	}
	c.soon = kept
}
