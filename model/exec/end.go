package exec

import "gpureplay/model/clock"

// ending is a CTA whose warps have exited and whose last store is acknowledged
// at t.
type ending struct {
	t, post Time // post: for how long the device holds its place
	cta     *CTA
}

// End notes that c, whose work is done at t, ends so many cycles later.
func (s *SM) End(c *CTA, t, post Time) {
	if t += post; c.open > 0 {
		t = clock.Never // until is known when its accesses are done
	}
	s.ending = append(s.ending, ending{t, post, c})
	s.ends = min(s.ends, t)
	s.wake(t)
}

// TakeCTAs takes all CTAs off the SM's books and hands them over. They do nothing but hold
// their places until they end. The caller then reports CTAs that come ([SM.TurnTo]) and the
// last that leaves ([SM.Vacate]).
func (s *SM) TakeCTAs(each func(c *CTA, end Time)) {
	for _, e := range s.ending {
		s.freeSlots(e.cta)
		each(e.cta, e.t)
	}
	s.CTAs, s.ending, s.ends = s.CTAs[:0], s.ending[:0], clock.Never
}

// PutBack puts a CTA that does nothing but hold its place on the SM's books again.
func (s *SM) PutBack(c *CTA, since, end Time) {
	c.place(s, since)
	c.Rec.Held, c.until = true, end
	s.CTAs = append(s.CTAs, c)
	s.End(c, end, 0)
}

// finishCTAs frees the resources of the CTAs that end in cycle t, at its end.
func (s *SM) finishCTAs(t Time) {
	kept := s.ending[:0]
	s.ends = clock.Never
	for _, e := range s.ending {
		if e.t <= t && s.fetch.passedOver(e.cta.kept, t) {
			e.t = t + 1
		}
		if e.t > t {
			kept, s.ends = append(kept, e), min(s.ends, e.t)
			continue
		}
		s.finishCTA(e.cta, t)
	}
	s.ending = kept
}

// remove takes c off the SM's books in cycle t.
func (s *SM) remove(c *CTA, t Time) {
	for i, r := range s.CTAs {
		if r == c {
			s.CTAs = append(s.CTAs[:i], s.CTAs[i+1:]...)
			break
		}
	}
	s.freeSlots(c)
	s.Vacate(t)
}

// freeSlots frees the slots of a CTA's warps that have exited. In GPGPU-Sim a CTA keeps its warps' slots until it ends
// (shader_core_ctx::issue_block2core).
func (s *SM) freeSlots(c *CTA) {
	s.free |= c.kept
	s.fetch.exited &^= c.kept
	c.kept = 0
}

func (s *SM) finishCTA(c *CTA, t Time) {
	s.remove(c, t)
	if c.Rec.Held {
		s.Settle(t)
		s.Resident -= uint64(c.Kernel.Resources.Warps)
	}
	if !c.Rec.Resident {
		s.Used = s.Used.Minus(c.Kernel.Resources)
	}
	c.stall(t, StallMemory)
	c.Rec.End = t
	s.ThreadInsts += c.ThreadInsts
	s.d.Ended(c, t)
}
