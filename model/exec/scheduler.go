package exec

import (
	"math/bits"

	"gpureplay/model/clock"
	"gpureplay/model/exec/gate"
	"gpureplay/model/memory"
	"gpureplay/model/program"
)

// ringSlots is how many cycles ahead the ring of waking warps reaches.
const ringSlots = 64

// schedulers are the warp schedulers of an SM. Sets of warps are bits by hardware slot. A warp is
// ready, or in the ring by the cycle in which its operands are there, or far if that is farther
// ahead, or parked (in none) until something wakes it.
type schedulers struct {
	ready uint64
	full  uint64 // ring slots with a bit
	far   uint64 // their time is Warp.ready
	farAt Time   // earliest of far
	at    Time   // when one of them acts next
	acted int    // schedulers that have acted in cycle at, of an SM that has stopped within it
	gate.Gates
	last [mostSchedulers]int // slot that each issued from; -1: none
	as   [16]program.Unit    // the unit whose pipe an instruction of each takes
	ring [ringSlots]uint64
	age  [64]uint64
}

func (s *SM) initSchedulers(n int) {
	s.farAt, s.at, s.as = clock.Never, clock.Never, s.pipe.Units()
	for i := range n {
		s.last[i] = -1
	}
}

// add makes w ready at t, which is later than the last step of its scheduler.
func (s *SM) add(w *Warp, t Time) {
	if w.parked = t >= memory.Unknown; w.parked {
		return
	}
	s.at = min(s.at, t)
	s.put(w, t)
}

// put makes w ready at t, in the cycle at hand if its scheduler acts later in it.
func (s *SM) put(w *Warp, t Time) {
	b := uint64(1) << (w.slot & 63)
	switch {
	case t == s.now && s.acting:
		s.ready |= b
	case t-s.now < ringSlots:
		i := uint(t) & (ringSlots - 1)
		s.ring[i] |= b
		s.full |= 1 << i
	default:
		w.ready = t
		s.far |= b
		s.farAt = min(s.farAt, t)
	}
}

// later is add for a warp that has issued in cycle s.now, and does not issue in the next.
func (s *SM) later(w *Warp, t Time) {
	if w.parked = t >= memory.Unknown; !w.parked {
		s.put(w, t)
	}
}

// delay puts off a warp that is to be ready until w.ready. One that waits for something
// else stays where it is.
func (s *SM) delay(w *Warp) {
	if s.withdraw(w) {
		s.put(w, w.ready)
		s.at = min(s.at, w.ready)
	}
}

// withdraw takes a warp that is to be ready out, and reports whether it was.
func (s *SM) withdraw(w *Warp) bool {
	b := uint64(1) << (w.slot & 63)
	in := (s.ready | s.far) & b
	s.ready &^= b
	s.far &^= b
	for m := s.full; m != 0 && in == 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		in = s.ring[i] & b
		if s.ring[i] &^= b; s.ring[i] == 0 {
			s.full &^= 1 << i
		}
	}
	return in != 0
}

// collect makes the warps ready whose time has come.
func (s *SM) collect(t Time) {
	if i := uint(t) & (ringSlots - 1); s.full>>i&1 != 0 {
		s.full &^= 1 << i
		s.ready |= s.ring[i]
		s.ring[i] = 0
	}
	if s.farAt <= t {
		s.collectFar(t)
	}
}

func (s *SM) collectFar(t Time) {
	s.farAt = clock.Never
	for m := s.far; m != 0; m &= m - 1 {
		b := bits.TrailingZeros64(m)
		if at := s.warps[b].ready; at <= t {
			s.far &^= 1 << b
			s.ready |= 1 << b
		} else {
			s.farAt = min(s.farAt, at)
		}
	}
}

// wakes returns when the next of the warps that are not ready will be.
func (s *SM) wakes(t Time) Time {
	if s.full == 0 {
		return s.farAt
	}
	i := int(t+1) & (ringSlots - 1)
	return min(s.farAt, t+1+Time(bits.TrailingZeros64(bits.RotateLeft64(s.full, -i))))
}

// issue lets the schedulers act in cycle t, s.now, in turn. An SM that is ahead does not get over
// an instruction that is not its own: !done.
func (s *SM) issue(t Time) (done bool) {
	s.collect(t)
	if s.Next <= t {
		s.OpenDue(t)
	}
	i := s.acted
	if s.rotates {
		if i += int(s.rank(uint64(t + s.began))); i >= s.many {
			i -= s.many
		}
	}
	cand := s.candidates(t)
	for k := s.acted; k < s.many && cand != 0; k++ {
		i &= mostSchedulers - 1
		if own := cand & s.Of[i]; own != 0 {
			if s.current = turnIn(t, uint8(k)); !s.step(i, own, t) {
				s.acted = k
				return false
			}
			cand = s.candidates(t)
		}
		if i++; i == s.many {
			i = 0
		}
	}
	s.acted = 0
	s.at = s.nextIssue(t)
	return true
}

// candidates returns the warps that are ready and whose pipe takes an instruction in cycle t.
func (s *SM) candidates(t Time) uint64 {
	cand := s.ready &^ s.Stopped
	if s.times.Full > t {
		cand &^= s.Needs[program.UnitMemory]
	}
	return cand
}

// step issues from one of the candidates of a scheduler.
func (s *SM) step(i int, cand uint64, t Time) (done bool) {
	b := bits.TrailingZeros64(cand)
	if cand&(cand-1) != 0 {
		b = s.Warps.Pick(cand, s.last[i], &s.age)
	}
	w := &s.warps[b]
	if s.ahead && w.op.Shared {
		return false
	}
	s.ready &^= 1 << (uint(b) & 63)
	if s.stalling && s.stalls(w) { // not eligible: the scheduler takes another
		if cand = s.candidates(t) & s.Of[i]; cand == 0 {
			return true
		}
		return s.step(i, cand, t)
	}
	s.last[i] = b
	u := w.unit
	if goes := s.issueOne(w, t); s.width > 1 && goes {
		s.issueMore(w, u, t)
	}
	return true
}

// nextIssue returns the first cycle after t in which a warp may issue.
func (s *SM) nextIssue(t Time) Time {
	if s.ready == 0 {
		return s.wakes(t)
	}
	if s.candidates(t+1) != 0 {
		return t + 1
	}
	next := s.wakes(t)
	if s.ready&s.Stopped != 0 {
		next = min(next, s.Next)
	}
	if s.ready&^s.Stopped&s.Needs[program.UnitMemory] != 0 {
		next = min(next, s.times.Full)
	}
	return next
}

// unitFree reports whether a unit of a scheduler takes one more instruction in cycle t.
func (s *SM) unitFree(w *Warp, t Time) bool {
	return s.Stopped>>(w.slot&63)&1 == 0 && (w.unit != program.UnitMemory || s.times.Full <= t)
}
