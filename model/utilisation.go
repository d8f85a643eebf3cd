package model

import (
	"math/big"

	"gpureplay/model/clock"
	"gpureplay/model/exec"
)

// utilisation integrates over time how much of the machine CTAs hold. Resource
// utilisation is the largest of register file, shared memory and SM utilisation
// (SPAWN paper, section III.A), over the cycles of the run.
type utilisation struct {
	*core
	at        Time
	ctas      []int // per SM
	busy      int   // SMs with a CTA
	registers int
	shared    int
	sum       clock.Sum // of the utilisation over the cycles so far, in shares
	child     int       // child CTAs on SMs
	childMost int
}

func newUtilisation(m *core) *utilisation {
	return &utilisation{core: m, ctas: make([]int, len(m.sms))}
}

// change books a CTA that comes (by = 1) or goes (by = -1) in cycle t.
func (u *utilisation) change(c *ctaRun, by int, t Time) {
	u.move(c.kernel, c.SM, by, t)
	if c.launch() != nil {
		u.child += by
		u.childMost = max(u.childMost, u.child)
	}
}

// move books a CTA of k that comes to an SM or goes.
func (u *utilisation) move(k *kernelRun, s *exec.SM, by int, t Time) {
	u.settle(t)
	n := &u.ctas[s.ID]
	if *n == 0 || *n+by == 0 {
		u.busy += by
	}
	*n += by
	u.registers += by * k.seen.Resources.Registers
	u.shared += by * k.seen.Resources.SharedBytes
}

// settle brings the sum up to cycle t.
func (u *utilisation) settle(t Time) {
	if t <= u.at {
		return
	}
	registers, shared := u.whole()
	share := max(uint64(u.busy)*registers*shared, uint64(u.registers)*shared, uint64(u.shared)*registers)
	u.sum.Add(share, uint64(t-u.at))
	u.at = t
}

// whole returns the registers and the bytes of shared memory of an SM, 1 where there are none. Their product is the
// unit of a share, so that shares of all three are whole numbers.
func (u *utilisation) whole() (registers, shared uint64) {
	c := &u.cfg.SM
	return uint64(max(1, c.Registers)), uint64(max(1, c.SharedBytes))
}

// percent is the mean over the run.
func (u *utilisation) percent(cycles Time) float64 {
	u.settle(cycles)
	registers, shared := u.whole()
	n := new(big.Int).SetUint64(registers * shared)
	n.Mul(n, big.NewInt(int64(u.cfg.SM.Count)))
	n.Mul(n, big.NewInt(int64(max(0, cycles))))
	return u.sum.Over(n) * 100
}
