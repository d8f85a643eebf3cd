package exec

import (
	"gpureplay/model/clock"
)

// step lets the SM act in cycle t and returns the cycle in which it acts next.
//
// Between two uses of shared units (memory, the end of a CTA) an SM depends on no other
// unit. So it runs ahead of the machine, up to the cycle in which it would use one, and
// acts in that cycle when the machine is there. No result depends on it.
func (s *SM) Step(t Time) Time {
	s.acting, s.now = true, t
	next := s.run(t + 1)
	if s.ends <= t {
		s.finishCTAs(t)
		next = min(s.at, s.closing, s.ends)
	}
	if end := s.horizon(t, next); next < end {
		s.ahead = true
		next = s.run(end)
		s.ahead = false
	}
	s.acting = false
	return next
}

// run lets the schedulers act in the cycles before end, and closes each cycle behind them.
// It returns the next cycle in which there may be something to do. An SM that is ahead stops
// before it uses a unit that SMs share.
func (s *SM) run(end Time) Time {
	for {
		t := min(s.at, s.closing)
		if t >= end || t >= s.ends && s.ahead {
			return min(t, s.ends)
		}
		if s.times.Due < t { // the write-back register has acted in cycles in which the SM has not
			s.port.WriteBack(t - 1)
		}
		if s.now = t; s.at <= t && !s.issue(t) {
			return t
		}
		if s.closing <= t && !s.close(t) {
			return t
		}
	}
}

// turn is a cycle and, within it, how many schedulers act before one.
type turn Time

const (
	turnShift      = 4
	mostSchedulers = 1 << turnShift
	lastTurn       = mostSchedulers - 1 // of a cycle, behind all schedulers
)

func turnIn(t Time, before uint8) turn { return turn(t<<turnShift | Time(before)) }

// turnOf returns the turn of a scheduler in cycle t, of an SM whose schedulers take turns.
func (s *SM) turnOf(t Time, number uint8) turn {
	return turnIn(t, s.rank(uint64(number)-uint64(t+s.began)))
}

// rank returns a number, which may be less than 0, modulo the number of schedulers. That is
// a power of two in nearly all machines, and then takes no division.
func (s *SM) rank(x uint64) uint8 {
	if s.mask != 0 {
		return uint8(x & s.mask)
	}
	n := int64(s.many)
	return uint8((int64(x)%n + n) % n)
}

// occupy notes, before a CTA or a persistent CTA comes in cycle t, that the SM's cycles with one
// are counted from there on.
func (s *SM) occupy(t Time) {
	if len(s.CTAs) > 0 || s.persistents > 0 {
		return
	}
	s.began = s.cycles - t
	s.at = clock.Never // there are no warps
}

// Vacate notes that something has left in cycle t.
func (s *SM) Vacate(t Time) {
	if len(s.CTAs) == 0 && s.persistents == 0 {
		s.cycles = s.began + t + 1
	}
}

// Occupied returns in how many cycles before t the SM had a CTA or a persistent CTA. has: it has
// one in t.
func (s *SM) Occupied(t Time, has bool) Time {
	if has || s.persistents > 0 {
		return s.began + t
	}
	return s.cycles
}

// Pass lets so many cycles pass. In occupied of them the SM has a CTA; has: it has one at
// their end, as at their beginning.
func (s *SM) Pass(cycles, occupied Time, has bool) {
	if has || s.persistents > 0 {
		s.began += occupied - cycles
	} else {
		s.cycles += occupied
	}
}

// closeAt has the SM close cycle t.
func (s *SM) closeAt(t Time) {
	if t < s.closing {
		s.closing = t
		s.wake(t)
	}
}

// close ends cycle t: collectors and fetch act, behind all schedulers. An SM that is ahead
// stops before a step of the collectors if one of their instructions is for memory or for
// the launch path, which SMs share: !done.
func (s *SM) close(t Time) (done bool) {
	if s.ahead && s.pipe.Stops(t) {
		return false
	}
	next := s.fetch.next
	s.closing, s.current = clock.Never, turnIn(t, lastTurn)
	if next <= t {
		s.fetches(t)
		next = s.fetch.next
	}
	next = min(next, s.pipe.Close(t))
	if s.at > t+1 && s.candidates(t+1) != 0 { // a gate is open again
		s.at = t + 1
	}
	if s.leaving != 0 {
		s.leave(t)
	}
	if next < clock.Never {
		s.closeAt(next)
	}
	return true
}

// mostAhead is how many cycles an SM runs ahead at most: a run that is to stop
// must be able to.
const mostAhead = 1 << 16

// horizon returns the cycle up to which nothing can happen to the SM that it does not do itself, as seen from cycle
// t.
//
// That is the next event of another unit, if every kernel that has CTAs has one here. Then none of them ends before
// the SM has ended a CTA, and no kernel that waits for one of them can come. And none of them may have a fitting
// CTA to place. Where requests move beside SMs, it is at most the time when one of its own moves.
func (s *SM) horizon(t, next Time) Time {
	if s.Keeps || s.Marks || s.watched || s.width > 1 {
		return t
	}
	end := min(s.port.Horizon(), t+mostAhead)
	if next >= end {
		return t
	}
	return min(s.d.Horizon(s, t, next), end)
}
