package model

import "math/bits"

// ringSlots is how many cycles ahead a scheduler's ring of waking warps reaches.
const ringSlots = 64

// scheduler is one warp scheduler. Its warps are bits; a warp is ready, or in
// the ring by the cycle in which its operands are there, or far if that is
// farther ahead, or parked (in none) until something wakes it.
type scheduler struct {
	at    Time       // the earliest cycle in which it may act
	ready [16]uint64 // by the unit that the next instruction needs
	any   uint64     // all of them
	units uint16     // those with a ready warp
	full  uint64     // ring slots with a bit
	far   uint64
	farAt Time     // earliest of far
	free  [16]Time // from when each unit takes an instruction
	last  int
	slots uint8 // warps of this scheduler are slots bit·slots + first
	first uint8
	ring  [ringSlots]uint64
	age   [64]uint64
}

func (sc *scheduler) init(s *sm) {
	for i := range s.sched {
		if &s.sched[i] == sc {
			sc.first = uint8(i)
		}
	}
	sc.slots, sc.last, sc.farAt, sc.at = uint8(len(s.sched)), -1, never, never
}

func (sc *scheduler) warp(s *sm, bit int) *warp {
	return &s.warps[bit*int(sc.slots)+int(sc.first)]
}

// add makes w ready at t, which is later than the scheduler's last step.
func (sc *scheduler) add(s *sm, w *warp, t Time) {
	sc.at = min(sc.at, t)
	b := uint64(1) << w.bit
	if t-s.now < ringSlots {
		i := uint(t) & (ringSlots - 1)
		sc.ring[i] |= b
		sc.full |= 1 << i
		return
	}
	w.ready = t
	sc.far |= b
	sc.farAt = min(sc.farAt, t)
}

// collect makes the warps ready whose time has come.
func (sc *scheduler) collect(s *sm, t Time) {
	i := uint(t) & (ringSlots - 1)
	if sc.full>>i&1 != 0 {
		sc.full &^= 1 << i
		for m := sc.ring[i]; m != 0; m &= m - 1 {
			sc.makeReady(s, bits.TrailingZeros64(m))
		}
		sc.ring[i] = 0
	}
	if sc.farAt > t {
		return
	}
	sc.farAt = never
	for m := sc.far; m != 0; m &= m - 1 {
		b := bits.TrailingZeros64(m)
		if at := sc.warp(s, b).ready; at <= t {
			sc.far &^= 1 << b
			sc.makeReady(s, b)
		} else {
			sc.farAt = min(sc.farAt, at)
		}
	}
}

func (sc *scheduler) makeReady(s *sm, b int) {
	u := sc.warp(s, b).unit
	sc.ready[u] |= 1 << b
	sc.units |= 1 << u
	sc.any |= 1 << b
}

func (sc *scheduler) drop(w *warp) {
	if sc.ready[w.unit] &^= 1 << w.bit; sc.ready[w.unit] == 0 {
		sc.units &^= 1 << w.unit
	}
	sc.any &^= 1 << w.bit
}

// step issues in cycle t, s.now, and finds when the scheduler may act again. An
// SM that is ahead does not get over an instruction that is not its own: !done.
func (sc *scheduler) step(s *sm, t Time) (done bool) {
	sc.collect(s, t)
	for sc.any != 0 {
		cand := sc.candidates(s, t)
		if cand == 0 {
			break
		}
		b := s.m.policy.Warp.Pick(cand, sc.last, &sc.age)
		w := sc.warp(s, b)
		if s.ahead && w.shared {
			return false
		}
		sc.drop(w)
		if s.m.overlap != nil && s.stalls(w) {
			continue // not eligible: the scheduler takes another
		}
		sc.last = b
		s.issue(sc, w, t)
		break
	}
	sc.at = sc.next(s, t)
	return true
}

// candidates returns the ready warps whose unit takes an instruction in cycle t.
func (sc *scheduler) candidates(s *sm, t Time) uint64 {
	var cand uint64
	for m := sc.units; m != 0; m &= m - 1 {
		if u := unit(bits.TrailingZeros16(m)); s.unitFree(sc, u) <= t {
			cand |= sc.ready[u]
		}
	}
	return cand
}

// next returns the earliest cycle after t in which a warp may issue.
func (sc *scheduler) next(s *sm, t Time) Time {
	next := sc.farAt
	if sc.full != 0 {
		i := uint(t+1) & (ringSlots - 1)
		next = min(next, t+1+Time(bits.TrailingZeros64(bits.RotateLeft64(sc.full, -int(i)))))
	}
	for m := sc.units; m != 0 && next > t+1; m &= m - 1 {
		next = min(next, max(t+1, s.unitFree(sc, unit(bits.TrailingZeros16(m)))))
	}
	return next
}

// unitFree returns from when a unit takes an instruction.
func (s *sm) unitFree(sc *scheduler, u unit) Time {
	if u == unitMemory {
		return s.lsu.takes()
	}
	return sc.free[u&15]
}
