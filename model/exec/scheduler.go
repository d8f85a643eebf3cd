package exec

import (
	"math/bits"

	"gpureplay/model/clock"
	"gpureplay/model/memory"
	"gpureplay/model/program"
)

// ringSlots is how many cycles ahead the ring of waking warps reaches.
const ringSlots = 64

// schedulers are the warp schedulers of an SM. Sets of warps are bits by hardware slot. A warp is
// ready, or in the ring by the cycle in which its operands are there, or far if that is farther
// ahead, or parked (in none) until something wakes it.
type schedulers struct {
	ready   uint64
	full    uint64                 // ring slots with a bit
	far     uint64                 // their time is Warp.ready
	farAt   Time                   // earliest of far
	at      Time                   // when one of them acts next
	opens   Time                   // earliest time of shut pipes; Never: the pipeline opens them
	stopped uint64                 // warps whose pipe is shut, in the cycle at hand
	acted   int                    // schedulers that have acted in cycle at, of an SM that has stopped within it
	shut    [16]uint64             // warps whose scheduler may not issue to a pipe yet, by unit
	shuts   uint16                 // units with one
	needs   [16]uint64             // warps whose next instruction takes the pipe of a unit
	of      [mostSchedulers]uint64 // warps of each scheduler: their slots modulo the number of schedulers
	last    [mostSchedulers]int    // slot that each issued from; -1: none
	as      [16]program.Unit       // the unit whose pipe an instruction of each takes
	unit    [64]program.Unit       // by whose pipe a warp stands
	ring    [ringSlots]uint64
	age     [64]uint64
	frees   [16][mostSchedulers]Time // when each of shut takes an instruction
}

func (s *SM) initSchedulers(n int) {
	s.farAt, s.at, s.opens, s.as = clock.Never, clock.Never, clock.Never, s.pipe.Units()
	s.needs[s.unit[0]] = ^uint64(0)
	for i := range n {
		s.last[i] = -1
		for slot := i; slot < len(s.warps); slot += n {
			s.of[i] |= 1 << slot
		}
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

// place notes the unit that the next instruction of w needs.
func (s *SM) place(w *Warp) {
	if in, unit := &s.unit[w.slot&63], s.as[w.unit&15]; *in != unit {
		b := uint64(1) << (w.slot & 63)
		s.needs[*in&15] &^= b
		s.needs[unit&15] |= b
		*in = unit
	}
}

// put makes w ready at t, in the cycle at hand if its scheduler acts later in it.
func (s *SM) put(w *Warp, t Time) {
	b := uint64(1) << (w.slot & 63)
	switch {
	case t == s.now && s.acting:
		s.ready |= b
		s.stopped = s.stops()
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

// again is add for a warp that has issued in cycle s.now.
func (s *SM) again(w *Warp, t Time) {
	if t > s.now+1 {
		if w.parked = t >= memory.Unknown; !w.parked {
			s.put(w, t)
		}
		return
	}
	s.ready |= 1 << (w.slot & 63) // its scheduler acts in the next cycle at the earliest
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

// shutUntil notes that a scheduler may not issue to a unit before a cycle; Never: until open.
func (s *SM) shutUntil(scheduler uint8, u program.Unit, free Time) {
	s.shut[u&15] |= s.of[scheduler&(mostSchedulers-1)]
	s.shuts |= 1 << (u & 15)
	s.frees[u&15][scheduler&(mostSchedulers-1)] = free
	s.opens = min(s.opens, free)
}

// open lets a scheduler issue to a unit again.
func (s *SM) open(scheduler uint8, u program.Unit) {
	if s.shut[u&15] &^= s.of[scheduler&(mostSchedulers-1)]; s.shut[u&15] == 0 {
		s.shuts &^= 1 << (u & 15)
	}
}

// openDue opens the pipes whose time has come.
func (s *SM) openDue(t Time) {
	s.opens = clock.Never
	for m := s.shuts; m != 0; m &= m - 1 {
		u := program.Unit(bits.TrailingZeros16(m)) & 15
		for k := s.shut[u] & (1<<s.many - 1); k != 0; k &= k - 1 { // the first warp of each scheduler
			i := uint8(bits.TrailingZeros64(k))
			if free := s.frees[u][i&(mostSchedulers-1)]; free <= t {
				s.open(i, u)
			} else {
				s.opens = min(s.opens, free)
			}
		}
	}
}

// stops returns the warps whose pipe is shut.
func (s *SM) stops() (all uint64) {
	for m := s.shuts; m != 0; m &= m - 1 {
		u := bits.TrailingZeros16(m) & 15
		all |= s.needs[u] & s.shut[u]
	}
	return all
}

// issue lets the schedulers act in cycle t, s.now, in turn. An SM that is ahead does not get over
// an instruction that is not its own: !done.
func (s *SM) issue(t Time) (done bool) {
	s.collect(t)
	if s.opens <= t {
		s.openDue(t)
	}
	s.stopped = s.stops()
	first := 0
	if s.rotates {
		first = int(s.rank(uint64(t + s.began)))
	}
	for k := s.acted; k < s.many; k++ {
		i := first + k
		if i >= s.many {
			i -= s.many
		}
		i &= mostSchedulers - 1
		if cand := s.candidates(i, t); cand != 0 {
			if s.current = turnIn(t, uint8(k)); !s.step(i, cand, t) {
				s.acted = k
				return false
			}
		}
	}
	s.acted = 0
	s.at = s.nextIssue(t)
	return true
}

// candidates returns the warps of a scheduler that are ready and whose pipe takes an instruction in cycle t.
func (s *SM) candidates(i int, t Time) uint64 {
	cand := s.ready & s.of[i&(mostSchedulers-1)] &^ s.stopped
	if s.times.Full > t {
		cand &^= s.needs[program.UnitMemory]
	}
	return cand
}

// step issues from one of the candidates of a scheduler, if there are some.
func (s *SM) step(i int, cand uint64, t Time) (done bool) {
	for cand != 0 {
		b := bits.TrailingZeros64(cand)
		if cand&(cand-1) != 0 {
			b = s.Warps.Pick(cand, s.last[i], &s.age)
		}
		w := &s.warps[b]
		if s.ahead && w.op != nil && w.op.Shared {
			return false
		}
		s.ready &^= 1 << (uint(b) & 63)
		if (s.Keeps || s.Marks) && s.stalls(w) {
			cand = s.candidates(i, t)
			continue // not eligible: the scheduler takes another
		}
		s.last[i] = b
		if u := w.unit; s.issueOne(w, t) && s.width > 1 {
			s.issueMore(w, u, t)
		}
		return true
	}
	return true
}

// nextIssue returns the first cycle after t in which a warp may issue.
func (s *SM) nextIssue(t Time) Time {
	cand := s.ready
	if cand == 0 {
		return s.wakes(t)
	}
	if s.opens <= t+1 {
		s.openDue(t + 1)
	}
	next := clock.Never
	if full := s.times.Full; full > t+1 {
		if stopped := cand & s.needs[program.UnitMemory]; stopped != 0 {
			cand, next = cand&^stopped, full
		}
	}
	if cand&^s.stops() != 0 {
		return t + 1
	}
	if s.opens < clock.Never {
		next = min(next, s.opensFor(cand))
	}
	return min(next, s.wakes(t))
}

// opensFor returns when the first pipe opens that one of some warps needs.
func (s *SM) opensFor(cand uint64) Time {
	next := clock.Never
	for m := s.shuts; m != 0; m &= m - 1 {
		u := bits.TrailingZeros16(m) & 15
		for k := cand & s.needs[u] & s.shut[u]; k != 0; k &= k - 1 {
			next = min(next, s.frees[u][s.warps[bits.TrailingZeros64(k)].sched&(mostSchedulers-1)])
		}
	}
	return next
}

// unitFree reports whether a unit of a scheduler takes one more instruction in cycle t.
func (s *SM) unitFree(w *Warp, t Time) bool {
	return s.shut[s.as[w.unit&15]&15]>>(w.slot&63)&1 == 0 && (w.unit != program.UnitMemory || s.times.Full <= t)
}
