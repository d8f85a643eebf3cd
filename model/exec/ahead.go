package exec

import (
	"slices"

	"gpureplay/model/clock"
)

// step lets the SM act in cycle t and returns the cycle in which it acts next.
//
// Between two uses of shared units (memory, the end of a CTA) an SM depends on no other
// unit. So it runs ahead of the machine, up to the cycle in which it would use one, and
// acts in that cycle when the machine is there. No result depends on it.
func (s *SM) Step(t Time) Time {
	s.acting, s.now = true, t
	if s.ends <= t {
		s.finishCTAs(t)
	}
	next := s.run(t + 1)
	if end := s.horizon(t, next); next < end {
		s.ahead = true
		next = s.run(end)
		s.ahead = false
	}
	s.acting = false
	return next
}

// run lets the schedulers act in the cycles before end, in order of time and of
// their turns, and returns the next cycle in which there may be something to do. An
// SM that is ahead stops before it uses a unit that SMs share.
func (s *SM) run(end Time) Time {
	for {
		at := &s.at
		next := sooner(sooner(at[0], at[1]), sooner(at[2], at[3]))
		if len(s.sched) > 4 {
			next = min(next, slices.Min(at[4:]))
		}
		last := s.closing < next // or, of 16 schedulers, behind the last
		if last {
			next = s.closing
		}
		t := Time(next >> turnShift)
		if t >= end || t >= s.ends && s.ahead {
			return min(next.cycle(), s.ends)
		}
		s.now, s.current = t, next
		if last {
			if !s.close(t) {
				return t
			}
			continue
		}
		if !s.whose(next).step(s, t) {
			return t
		}
	}
}

// turn is when a scheduler acts next: the cycle and, within it, the number of the
// scheduler or, where they take turns, how many act before it.
type turn Time

const (
	turnShift      = 4
	mostSchedulers = 1 << turnShift
	lastTurn       = mostSchedulers - 1 // of a cycle, behind all schedulers
	noTurn         = turn(1<<63 - 1)
)

// turnOf returns the turn of a scheduler in cycle t.
func (s *SM) turnOf(t Time, number uint8) turn {
	if t >= clock.Never {
		return noTurn
	}
	if s.rotates {
		number = s.rank(uint64(number) - uint64(t+s.began))
	}
	return turn(t<<turnShift | Time(number))
}

// whose returns the scheduler of a turn.
func (s *SM) whose(x turn) *scheduler {
	at := uint8(x) & (mostSchedulers - 1)
	if s.rotates {
		at = s.rank(uint64(at) + uint64(Time(x>>turnShift)+s.began))
	}
	return s.turns[at&(mostSchedulers-1)]
}

// rank returns a number, which may be less than 0, modulo the number of schedulers. That is
// a power of two in nearly all machines, and then takes no division.
func (s *SM) rank(x uint64) uint8 {
	if s.mask != 0 {
		return uint8(x & s.mask)
	}
	n := int64(len(s.sched))
	return uint8((int64(x)%n + n) % n)
}

// occupy notes, before a CTA or a persistent CTA comes in cycle t, that the SM's cycles with one
// are counted from there on.
func (s *SM) occupy(t Time) {
	if len(s.CTAs) > 0 || s.persistents > 0 {
		return
	}
	s.began = s.cycles - t
	for i := range s.at {
		s.at[i] = noTurn // there are no warps
	}
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
	if at := turn(t<<turnShift | lastTurn); at < s.closing {
		s.closing = at
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
	s.closing = noTurn
	if next <= t {
		s.fetches(t)
		next = s.fetch.next
	}
	next = min(next, s.pipe.Close(t))
	if s.leaving != 0 {
		s.leave(t)
	}
	if next < clock.Never {
		s.closeAt(next)
	}
	return true
}

// sooner returns the smaller of two turns. A branch would be guessed wrongly as often
// as not.
func sooner(a, b turn) turn { return a + (b-a)&((b-a)>>63) }

func (x turn) cycle() Time {
	if x == noTurn {
		return clock.Never
	}
	return Time(x >> turnShift)
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
