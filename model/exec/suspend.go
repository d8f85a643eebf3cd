package exec

import "math/bits"

// Slot is the hardware warp slot of w.
func (s *SM) Slot(w *Warp) int { return int(w.slot) }

// sync lets w wait for the children of its CTA. It reports whether it has to.
func (s *SM) sync(w *Warp) bool {
	c := w.CTA
	if c.Children == 0 || s.Detached {
		return false
	}
	c.Syncing++
	c.synced |= 1 << s.Slot(w)
	if c.stranded() {
		s.suspend(c)
	}
	return true
}

// stranded reports whether no live warp of c can go on before a child has ended:
// each waits for children, or at a barrier for one that does.
func (c *CTA) stranded() bool { return c.Syncing > 0 && c.Syncing+c.Waiting == c.Live }

// suspend takes a stranded CTA off the SM.
func (s *SM) suspend(c *CTA) {
	t := s.d.Now()
	s.Settle(t + 1)
	c.saved = c.saved[:0]
	for m := c.slots; m != 0; m &= m - 1 {
		w := &s.warps[bits.TrailingZeros64(m)]
		s.forget(w, t)
		c.saved = append(c.saved, *w)
		w.bank, w.Callers = nil, nil // they are the saved warp's
	}
	s.free |= c.slots
	c.slots = 0
	s.Resident -= uint64(c.Live)
	s.remove(c, t)
	s.Used = s.Used.Minus(c.Kernel.Resources)
	s.d.Suspended(c, t)
}

// restore puts a suspended CTA back on its SM in cycle t.
func (s *SM) Restore(c *CTA, t Time) {
	s.Settle(t)
	s.Used = s.Used.Plus(c.Kernel.Resources)
	s.occupy(t)
	s.CTAs = append(s.CTAs, c)
	s.d.Resumed(c, t)
	s.Resident += uint64(c.Live)
	synced, barriers := c.synced, c.barriers // by the slots that the warps had
	c.synced = 0
	for b := range c.barriers {
		c.barriers[b].waiting = 0
	}
	for i := range c.saved {
		was := s.Slot(&c.saved[i])
		slot, w := s.takeSlot()
		c.slots |= 1 << slot
		c.saved[i].sched, c.saved[i].slot = w.sched, w.slot
		before := w.unit
		*w = c.saved[i]
		u := w.unit
		w.unit = before
		s.place(w, u)
		if s.fetch.width > 0 && w.has == 0 {
			s.starve(w, t)
		}
		c.synced |= synced >> was & 1 << slot
		for b := range barriers {
			c.barriers[b].waiting |= barriers[b].waiting >> was & 1 << slot
		}
	}
	c.saved = c.saved[:0]
	s.Release(c, t)
}

// release lets the warps of c that wait for children go on from cycle t+1.
func (s *SM) Release(c *CTA, t Time) {
	for m := c.synced; m != 0; m &= m - 1 {
		w := &s.warps[bits.TrailingZeros64(m)]
		w.reason = StallChild
		s.schedule(w, max(w.ready, t+1))
	}
	c.Syncing, c.synced = 0, 0
}
