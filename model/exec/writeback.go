package exec

import "gpureplay/model/memory"

// Write is of [memory.RegisterFile].
func (c *collectors) Write(lane uint8, banks uint32, at, t Time) (left uint32) {
	l := c.lanes[lane&(mostSchedulers-1)]
	for ; banks != 0; banks >>= 4 {
		bank := uint32(1) << (4 * (banks&15 - 1))
		if l.written(at)&bank != 0 {
			break
		}
		l.write(bank, at, t)
	}
	return banks
}

// due has the SM act when the write-back register has something to do, no sooner than in cycle t.
func (s *SM) due(t Time) {
	if d := s.lsu.Due; d < memory.Never {
		s.closeAt(max(d, t))
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
