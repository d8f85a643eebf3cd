package model

// utilisation integrates over time how much of the machine CTAs hold. Resource
// utilisation is the largest of register file, shared memory and SM utilisation
// (SPAWN paper, section III.A), over the cycles of the run.
type utilisation struct {
	m         *Machine
	at        Time
	ctas      []int // per SM
	busy      int   // SMs with a CTA
	registers int
	shared    int
	sum       float64 // of the utilisation over the cycles so far
	child     int     // child CTAs on SMs
	childMost int
}

func newUtilisation(m *Machine) utilisation {
	return utilisation{m: m, ctas: make([]int, len(m.sms))}
}

// change books a CTA that comes (by = 1) or goes (by = -1) in cycle t.
func (u *utilisation) change(c *ctaRun, by int, t Time) {
	u.settle(t)
	n := &u.ctas[c.sm.id]
	if *n == 0 || *n+by == 0 {
		u.busy += by
	}
	*n += by
	u.registers += by * c.kernel.res.Registers
	u.shared += by * c.kernel.res.SharedBytes
	if c.launch() != nil {
		u.child += by
		u.childMost = max(u.childMost, u.child)
	}
}

// settle brings the sum up to cycle t.
func (u *utilisation) settle(t Time) {
	if t <= u.at {
		return
	}
	c := &u.m.cfg.SM
	share := float64(u.busy)
	if c.Registers > 0 {
		share = max(share, float64(u.registers)/float64(c.Registers))
	}
	if c.SharedBytes > 0 {
		share = max(share, float64(u.shared)/float64(c.SharedBytes))
	}
	u.sum += share / float64(c.Count) * float64(t-u.at)
	u.at = t
}

// percent is the mean over the run.
func (u *utilisation) percent(cycles Time) float64 {
	u.settle(cycles)
	if cycles <= 0 {
		return 0
	}
	return u.sum / float64(cycles) * 100
}
