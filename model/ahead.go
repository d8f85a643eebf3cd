package model

// step lets the SM act in cycle t and returns the cycle in which it acts next.
//
// What an SM does between two uses of what SMs share (memory, the end of a CTA)
// is its own affair. It does it at once: it runs ahead of the machine, up to the
// cycle in which it would use them, and acts in that when the machine is there.
// Nothing of a run depends on it.
func (s *sm) step(t Time) Time {
	s.acting = true
	next, _ := s.cycle(t)
	s.ahead = true
	for end := s.horizon(t, next); next < end; {
		at, done := s.cycle(next)
		if !done {
			break
		}
		next = at
	}
	s.ahead, s.acting = false, false
	return next
}

// cycle acts in cycle t and returns the next cycle in which there may be
// something to do. !done: the SM is ahead and has met what it shares.
func (s *sm) cycle(t Time) (next Time, done bool) {
	s.now = t
	if len(s.ending) > 0 {
		if s.ahead && s.endsBy(t) {
			return t, false
		}
		s.finishCTAs(t)
	}
	next, s.soon = never, never
	for i, at := range s.at {
		if at <= t {
			if !s.sched[i].step(s, t) {
				return t, false
			}
			at = s.at[i]
		}
		next = min(next, at)
	}
	next = min(next, s.soon)
	for i := range s.ending {
		next = min(next, s.ending[i].t)
	}
	return next, true
}

// endsBy reports whether a CTA ends at or before t.
func (s *sm) endsBy(t Time) bool {
	for i := range s.ending {
		if s.ending[i].t <= t {
			return true
		}
	}
	return false
}

// mostAhead is how many cycles an SM runs ahead at most: a run that is to stop
// must be able to.
const mostAhead = 1 << 16

// horizon returns the cycle up to which nothing can happen to the SM that it does
// not do itself, as seen from cycle t.
//
// That is, up to the next event of another unit, if every kernel that has CTAs
// has one here: then none of them ends before the SM has ended a CTA, and no
// kernel can come that waits for one of them. And none of them may have a CTA to
// give that fits.
func (s *sm) horizon(t, next Time) Time {
	m := s.m
	end := min(m.queue.next(), m.sampler.next, t+mostAhead)
	if next >= end || m.overlap != nil || m.issued != nil || m.cfg.SM.IssueWidth > 1 || m.tasks.count > 0 || m.sum.LaunchesRequested > 0 {
		return t
	}
	if n := len(m.ctas.entries); n == 0 || n > mostKernels || m.ctas.resumes.len() > 0 {
		return t
	}
	for _, k := range m.ctas.entries {
		if k.smCTAs[s.id] == 0 || k.launch != nil || k.code.launches || k.Left > 0 && s.fits(k) {
			return t
		}
	}
	return end
}

// mostKernels is with how many kernels in the distributor it is worth asking.
const mostKernels = 4
