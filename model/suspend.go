package model

import "math/bits"

// slot is the hardware warp slot of w.
func (s *sm) slot(w *warp) int { return int(w.bit)*len(s.sched) + int(w.sched) }

// sync lets w wait for the children of its CTA. It reports whether it has to.
func (s *sm) sync(w *warp) bool {
	c := w.cta
	if c.children == 0 {
		return false
	}
	c.syncing++
	c.synced |= 1 << s.slot(w)
	if c.stranded() {
		s.suspend(c)
	}
	return true
}

// stranded reports whether no live warp of c can go on before a child has ended:
// each waits for children, or at a barrier for one that does.
func (c *ctaRun) stranded() bool { return c.syncing > 0 && c.syncing+c.waiting == c.live }

// suspend takes a stranded CTA off the SM.
func (s *sm) suspend(c *ctaRun) {
	t := s.m.now
	s.settle(t + 1)
	c.saved = c.saved[:0]
	for m := c.slots; m != 0; m &= m - 1 {
		w := &s.warps[bits.TrailingZeros64(m)]
		c.saved = append(c.saved, *w)
		w.bank, w.Callers = nil, nil // they are the saved warp's
	}
	s.free |= c.slots
	c.slots = 0
	s.resident -= uint64(c.live)
	s.remove(c)
	s.used = s.used.Minus(c.kernel.res)
	if s.m.swapped != nil {
		s.m.swapped.Suspended(&c.rec, t)
	}
	s.m.ctas.left(c, t)
}

// restore puts a suspended CTA back on its SM in cycle t.
func (s *sm) restore(c *ctaRun, t Time) {
	s.settle(t)
	s.used = s.used.Plus(c.kernel.res)
	s.ctas = append(s.ctas, c)
	s.m.ctas.arrived(c)
	if s.m.swapped != nil {
		s.m.swapped.Resumed(&c.rec, t)
	}
	s.resident += uint64(c.live)
	synced, barriers := c.synced, c.barriers // by the slots that the warps had
	c.synced = 0
	for b := range c.barriers {
		c.barriers[b].waiting = 0
	}
	for i := range c.saved {
		was := s.slot(&c.saved[i])
		slot, w := s.takeSlot()
		c.slots |= 1 << slot
		c.saved[i].sched, c.saved[i].bit = w.sched, w.bit
		*w = c.saved[i]
		c.synced |= synced >> was & 1 << slot
		for b := range barriers {
			c.barriers[b].waiting |= barriers[b].waiting >> was & 1 << slot
		}
	}
	c.saved = c.saved[:0]
	s.release(c, t)
}

// release lets the warps of c that wait for children go on from cycle t+1.
func (s *sm) release(c *ctaRun, t Time) {
	for m := c.synced; m != 0; m &= m - 1 {
		w := &s.warps[bits.TrailingZeros64(m)]
		w.reason = StallChild
		s.schedule(w, max(w.ready, t+1))
	}
	c.syncing, c.synced = 0, 0
}
