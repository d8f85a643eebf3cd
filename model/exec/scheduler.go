package exec

import (
	"math/bits"

	"gpureplay/model/clock"
	"gpureplay/model/memory"
	"gpureplay/model/program"
)

// ringSlots is how many cycles ahead a scheduler's ring of waking warps reaches.
const ringSlots = 64

// scheduler is one warp scheduler. Its warps are bits; a warp is ready, or in
// the ring by the cycle in which its operands are there, or far if that is
// farther ahead, or parked (in none) until something wakes it.
type scheduler struct {
	ready  uint64
	full   uint64 // ring slots with a bit
	far    uint64
	farAt  Time             // earliest of far
	busy   uint16           // units that may not take an instruction yet
	number uint8            // of the scheduler
	last   int              // warp that it issued from
	pipes  [16]pipe         // by unit
	unit   [64]program.Unit // by whose pipe a warp stands
	as     [16]program.Unit // the unit whose pipe an instruction of each takes
	ring   [ringSlots]uint64
	age    [64]uint64
	warps  []*Warp // by bit
}

// pipe is a unit of a scheduler. Memory's has no time here: it is the SM's.
type pipe struct {
	free  Time   // from when it takes an instruction
	needs uint64 // warps whose next instruction needs it
}

func newScheduler(s *SM, i int) *scheduler {
	sc := &scheduler{number: uint8(i), last: -1, farAt: clock.Never, as: s.pipe.Units(),
		warps: make([]*Warp, 0, len(s.warps)/len(s.sched)+1)}
	sc.pipes[sc.unit[0]].needs = ^uint64(0)
	for slot := i; slot < len(s.warps); slot += len(s.sched) {
		sc.warps = append(sc.warps, &s.warps[slot])
	}
	return sc
}

// add makes w ready at t, which is later than the scheduler's last step.
func (sc *scheduler) add(s *SM, w *Warp, t Time) {
	sc.place(w)
	if w.parked = t >= memory.Unknown; w.parked {
		return
	}
	at := &s.at[sc.number&(mostSchedulers-1)]
	*at = min(*at, t)
	sc.put(s, w, t)
}

// place notes the unit that the next instruction of w needs.
func (sc *scheduler) place(w *Warp) {
	if in, unit := &sc.unit[w.bit&63], sc.as[w.unit&15]; *in != unit {
		b := uint64(1) << (w.bit & 63)
		sc.pipes[*in&15].needs &^= b
		sc.pipes[unit&15].needs |= b
		*in = unit
	}
}

// put makes w ready at t, which is later than s.now.
func (sc *scheduler) put(s *SM, w *Warp, t Time) {
	b := uint64(1) << (w.bit & 63)
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

// again is add for a warp that has issued in the scheduler's own step, in cycle
// s.now.
func (sc *scheduler) again(s *SM, w *Warp, t Time) {
	sc.place(w)
	if t > s.now+1 {
		if w.parked = t >= memory.Unknown; !w.parked {
			sc.put(s, w, t)
		}
		return
	}
	sc.ready |= 1 << (w.bit & 63) // it acts in the next cycle at the earliest
}

// collect makes the warps ready whose time has come.
func (sc *scheduler) collect(s *SM, t Time) {
	if i := uint(t) & (ringSlots - 1); sc.full>>i&1 != 0 {
		sc.full &^= 1 << i
		sc.ready |= sc.ring[i]
		sc.ring[i] = 0
	}
	if sc.farAt <= t {
		sc.collectFar(s, t)
	}
}

func (sc *scheduler) collectFar(s *SM, t Time) {
	sc.farAt = clock.Never
	for m := sc.far; m != 0; m &= m - 1 {
		b := bits.TrailingZeros64(m)
		if at := sc.warps[b].ready; at <= t {
			sc.far &^= 1 << b
			sc.ready |= 1 << b
		} else {
			sc.farAt = min(sc.farAt, at)
		}
	}
}

// step issues in cycle t, s.now, and finds when the scheduler may act again. An
// SM that is ahead does not get over an instruction that is not its own: !done.
func (sc *scheduler) step(s *SM, t Time) (done bool) {
	sc.collect(s, t)
	for {
		cand := sc.candidates(s, t)
		if cand == 0 {
			break
		}
		b := bits.TrailingZeros64(cand)
		if cand&(cand-1) != 0 {
			b = s.Warps.Pick(cand, sc.last, &sc.age)
		}
		w := sc.warps[b]
		if s.ahead && w.op != nil && w.op.Shared {
			return false
		}
		sc.ready &^= 1 << (uint(b) & 63)
		if (s.Keeps || s.Marks) && s.stalls(w) {
			continue // not eligible: the scheduler takes another
		}
		sc.last = b
		if u := w.unit; s.issueOne(sc, w, t) && s.width > 1 {
			s.issueMore(sc, w, u, t)
		}
		break
	}
	s.at[sc.number&(mostSchedulers-1)] = sc.next(s, t)
	return true
}

// candidates returns the ready warps whose unit takes an instruction in cycle t.
func (sc *scheduler) candidates(s *SM, t Time) uint64 {
	cand := sc.ready
	if s.times.Full > t {
		cand &^= sc.pipes[program.UnitMemory].needs
	}
	for m := sc.busy; m != 0; m &= m - 1 {
		u := bits.TrailingZeros16(m) & 15
		if p := &sc.pipes[u]; p.free > t {
			cand &^= p.needs
		} else {
			sc.busy &^= 1 << u
		}
	}
	return cand
}

// next returns the first cycle after t in which a warp may issue.
func (sc *scheduler) next(s *SM, t Time) Time {
	next, cand := clock.Never, sc.ready
	if cand == 0 {
		return sc.wakes(t)
	}
	if full := s.times.Full; full > t+1 {
		if stopped := cand & sc.pipes[program.UnitMemory].needs; stopped != 0 {
			cand, next = cand&^stopped, min(next, full)
		}
	}
	for m := sc.busy; m != 0; m &= m - 1 {
		p := &sc.pipes[bits.TrailingZeros16(m)&15]
		if stopped := cand & p.needs; stopped != 0 && p.free > t+1 {
			cand, next = cand&^stopped, min(next, p.free)
		}
	}
	if cand != 0 {
		return t + 1
	}
	return min(next, sc.wakes(t))
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
func (s *SM) unitFree(sc *scheduler, u program.Unit) Time {
	free := sc.pipes[sc.as[u&15]&15].free
	if u == program.UnitMemory {
		free = max(free, s.times.Full)
	}
	return free
}
