package model

import "math/bits"

// ringSlots is how many cycles ahead a scheduler's ring of waking warps reaches.
const ringSlots = 64

// scheduler is one warp scheduler. Its warps are bits; a warp is ready, or in
// the ring by the cycle in which its operands are there, or far if that is
// farther ahead, or parked (in none) until something wakes it.
type scheduler struct {
	ready  [16]uint64 // by the unit that the next instruction needs
	units  uint16     // those with a ready warp
	full   uint64     // ring slots with a bit
	far    uint64
	farAt  Time     // earliest of far
	free   [16]Time // from when each unit takes an instruction
	last   int
	number uint8    // of the scheduler
	unit   [64]unit // of the next instruction of each warp
	warps  [64]*warp
	ring   [ringSlots]uint64
	age    [64]uint64
}

func (sc *scheduler) init(s *sm, i int) {
	sc.number, sc.last, sc.farAt = uint8(i), -1, never
	for slot := i; slot < len(s.warps); slot += len(s.sched) {
		sc.warps[slot/len(s.sched)] = &s.warps[slot]
	}
}

// add makes w ready at t, which is later than the scheduler's last step.
func (sc *scheduler) add(s *sm, w *warp, t Time) {
	s.at[sc.number] = min(s.at[sc.number], t)
	s.soon = min(s.soon, t)
	sc.put(s, w, t)
}

// put is add while the scheduler itself acts, which looks at its warps when it
// has done.
func (sc *scheduler) put(s *sm, w *warp, t Time) {
	b := uint64(1) << (w.bit & 63)
	sc.unit[w.bit&63] = w.unit
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
	if i := uint(t) & (ringSlots - 1); sc.full>>i&1 != 0 {
		sc.full &^= 1 << i
		for m := sc.ring[i]; m != 0; m &= m - 1 {
			sc.makeReady(bits.TrailingZeros64(m))
		}
		sc.ring[i] = 0
	}
	if sc.farAt <= t {
		sc.collectFar(s, t)
	}
}

func (sc *scheduler) collectFar(s *sm, t Time) {
	sc.farAt = never
	for m := sc.far; m != 0; m &= m - 1 {
		b := bits.TrailingZeros64(m)
		if at := sc.warps[b&63].ready; at <= t {
			sc.far &^= 1 << b
			sc.makeReady(b)
		} else {
			sc.farAt = min(sc.farAt, at)
		}
	}
}

func (sc *scheduler) makeReady(b int) {
	u := sc.unit[b&63] & 15
	sc.ready[u] |= 1 << (uint(b) & 63)
	sc.units |= 1 << u
}

func (sc *scheduler) drop(w *warp) {
	u := w.unit & 15
	if sc.ready[u] &^= 1 << (w.bit & 63); sc.ready[u] == 0 {
		sc.units &^= 1 << u
	}
}

// step issues in cycle t, s.now, and finds when the scheduler may act again. An
// SM that is ahead does not get over an instruction that is not its own: !done.
func (sc *scheduler) step(s *sm, t Time) (done bool) {
	if sc.full>>(uint(t)&(ringSlots-1))&1 != 0 || sc.farAt <= t {
		sc.collect(s, t)
	}
	next := never
	for sc.units != 0 {
		var cand uint64
		if cand, next = sc.candidates(s, t); cand == 0 {
			break
		}
		b := bits.TrailingZeros64(cand)
		if cand&(cand-1) != 0 {
			b = s.m.policy.Warp.Pick(cand, sc.last, &sc.age)
		}
		w := sc.warps[b&63]
		if s.ahead && w.shared {
			return false
		}
		sc.drop(w)
		if s.m.overlap != nil && s.stalls(w) {
			continue // not eligible: the scheduler takes another
		}
		sc.last = b
		next = t + 1
		if u := w.unit & 15; cand&^(sc.ready[u]|1<<(uint(b)&63)) != 0 {
			s.issue(sc, w, t) // warps of other units are left, whose units are free
		} else {
			s.issue(sc, w, t)
			next = sc.unitsFree(s, t+1)
		}
		break
	}
	s.at[sc.number] = min(next, sc.wakes(t))
	return true
}

// candidates returns the ready warps whose unit takes an instruction in cycle t;
// if there are none, when the first unit does.
func (sc *scheduler) candidates(s *sm, t Time) (cand uint64, next Time) {
	next = never
	for m := sc.units; m != 0; m &= m - 1 {
		u := unit(bits.TrailingZeros16(m)) & 15
		if free := s.unitFree(sc, u); free <= t {
			cand |= sc.ready[u]
		} else {
			next = min(next, free)
		}
	}
	return cand, next
}

// unitsFree returns when the first unit that a ready warp needs is free, t at the
// earliest.
func (sc *scheduler) unitsFree(s *sm, t Time) Time {
	next := never
	for m := sc.units; m != 0 && next > t; m &= m - 1 {
		next = min(next, max(t, s.unitFree(sc, unit(bits.TrailingZeros16(m)))))
	}
	return next
}

// wakes returns when the next of the warps that are not ready will be.
func (sc *scheduler) wakes(t Time) Time {
	if sc.full == 0 {
		return sc.farAt
	}
	i := int(t+1) & (ringSlots - 1)
	return min(sc.farAt, t+1+Time(bits.TrailingZeros64(bits.RotateLeft64(sc.full, -i))))
}

// unitFree returns from when a unit takes an instruction.
func (s *sm) unitFree(sc *scheduler, u unit) Time {
	if u == unitMemory {
		return s.lsu.takes()
	}
	return sc.free[u&15]
}
