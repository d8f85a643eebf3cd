package exec

import (
	"math/bits"

	"gpureplay/model/clock"
	"gpureplay/model/memory"
	"gpureplay/model/program"
)

// unresolved is an instruction whose completion time is not known when it issues: an access of the cycle-level memory
// engine, or one that waits in an operand collector.
type unresolved struct {
	w     *Warp
	c     *CTA
	id    uint32 // of the warp
	o     *program.Op
	of    uint32  // which of the programs of the warp it is of
	holds bool    // an atomic that holds its warp
	group int32   // of an asynchronous copy
	in    *copies // those that it is one of; nil: it is none
}

// waitsFor notes which load of w has a number.
func (s *SM) waitsFor(load int32, w *Warp, o *program.Op, holds bool) {
	l := s.unresolvedAt(load)
	l.set(w, o)
	l.holds = holds
}

// unresolvedAt returns the place of a load.
func (s *SM) unresolvedAt(load int32) *unresolved {
	for int(load) >= len(s.loads) {
		s.loads = append(s.loads, unresolved{})
	}
	return &s.loads[load]
}

// set fills in an instruction of w, field by field: a copy of the whole would stall the
// host's store buffer behind the parts that it has just written.
func (l *unresolved) set(w *Warp, o *program.Op) {
	l.w, l.c, l.id, l.o, l.of, l.holds = w, w.CTA, w.ID, o, w.Number, false
	if l.in = nil; o.Copy == program.CopyStarts {
		l.in = w.copied()
		l.group = l.in.start()
	}
}

// Known lets warps go on, at the end of cycle t, whose loads have a time now at which they
// are done.
func (s *SM) Known(t Time) {
	s.now = t
	s.tell(s.port.Known(), t)
	s.due(t + 1)
	s.leave(t)
}

// due closes the cycle in which the write-back register may complete an access, t at the earliest.
func (s *SM) due(t Time) {
	if d := s.times.Wake; d < memory.Never {
		s.closeAt(max(d, t))
	}
}

func (s *SM) tell(done []memory.Done, t Time) {
	for _, x := range done {
		if x.Taken {
			s.release(&s.loads[x.Load], x.At, t)
			continue
		}
		s.answer(&s.loads[x.Load], x.At, ofMemory, t)
	}
}

// ofMemory is beside the time at which a register is there that comes from memory.
const ofMemory = 1

// resolved notes in cycle s.now that an unresolved instruction is done at a time.
func (s *SM) resolved(l *unresolved, done, flag Time) { s.answer(l, done, flag, s.now) }

// answer lets a warp go on whose instruction is done at a time.
func (s *SM) answer(l *unresolved, done, flag, t Time) {
	w := l.w
	if !w.is(l) {
		w = s.warpOf(l)
	}
	l.c.open--
	if l.in != nil {
		l.in.done(l.group, done)
	}
	if w == nil {
		if r := l.w.persistent; r != nil && l.c == r.cta {
			v := &r.warps[l.w.place]
			v.open, v.last = v.open-1, max(v.last, done)
			return
		}
		if x := l.w; x.CTA == l.c && x.ID == l.id && l.c.kept>>(x.slot&63)&1 != 0 {
			x.open, x.last = x.open-1, max(x.last, done)
		}
		s.endLater(l.c, done)
		return
	}
	w.open--
	w.last = max(w.last, done)
	if w.leaves {
		if s.endLater(l.c, done); w.open == 0 {
			s.leaves(w, t)
		}
		return
	}
	if f := w.Of(l.of); f != nil {
		l.o.Rewrite(f.Regs, memory.Unknown<<1|flag, done<<1|flag)
	}
	if w.ready >= memory.Unknown {
		s.known(w, l, done, t)
	}
}

// known finds when a warp with an unknown ready time is ready, if that is known now, at t.
func (s *SM) known(w *Warp, l *unresolved, done, t Time) {
	if l.holds {
		w.release(done)
	}
	s.reschedule(w, t)
}

// release lets a warp go on that an atomic holds, whose last result is taken so that it may be done at a time
// (GPGPU-Sim's shader_core_ctx::decrement_atomic_count).
func (s *SM) release(l *unresolved, done, t Time) {
	w := l.w
	if !w.is(l) {
		w = s.warpOf(l)
	}
	if !l.holds || w == nil || w.leaves {
		return
	}
	l.holds = false
	w.release(done)
	s.reschedule(w, t)
}

// release ends the hold of an atomic that is done at a time.
func (w *Warp) release(done Time) {
	w.held, w.reason = false, StallMemory
	if w.starved {
		w.kept = max(w.kept, done-1)
	} else {
		w.floor = max(w.floor, done-1)
	}
}

// reschedule schedules a warp that is parked, in cycle t, if nothing that is unknown holds it.
func (s *SM) reschedule(w *Warp, t Time) {
	ready, reason := w.floor, w.reason
	fenced := int32(0)
	if w.fenced {
		var last Time
		fenced, last = w.behindFence()
		ready, reason = max(ready, last), StallMemory
	}
	if latest := w.op.Ready(w.Regs); latest>>1 > ready {
		if ready, reason = latest>>1, StallIssue; latest&1 != 0 {
			reason = StallMemory
		}
	}
	if w.held || fenced > 0 || ready >= memory.Unknown {
		return
	}
	w.ready, w.reason = ready, reason
	if w.parked {
		s.schedule(w, max(ready, t+1))
	}
}

// is reports whether w, a warp of no persistent CTA, is the warp of a load still.
func (w *Warp) is(l *unresolved) bool {
	return w.CTA == l.c && w.ID == l.id && w.persistent == nil && l.c.slots>>(w.slot&63)&1 != 0
}

// warpOf returns the warp of a load, or nil if it has exited. The warp of a suspended CTA that has come back has
// another slot.
func (s *SM) warpOf(l *unresolved) *Warp {
	c := l.c
	if w := l.w; w.persistent != nil && w.CTA == c && (w.ID == l.id || c == w.persistent.cta) {
		return w // its runtime's programs belong to no warp of a CTA
	}
	if w := l.w; w.is(l) {
		return w
	}
	for i := range c.saved {
		if w := &c.saved[i]; w.ID == l.id {
			return w
		}
	}
	for m := c.slots; m != 0; m &= m - 1 {
		if w := &s.warps[bits.TrailingZeros64(m)]; w.ID == l.id && w.CTA == c {
			return w
		}
	}
	return nil
}

// endLater puts off the end of a CTA until a load of it is done.
func (s *SM) endLater(c *CTA, done Time) {
	c.acked = max(c.acked, done)
	if c.open > 0 {
		return
	}
	s.ends = clock.Never
	for i := range s.ending {
		e := &s.ending[i]
		if e.cta == c {
			e.t = max(c.acked, c.until) + e.post
			s.wake(e.t)
		}
		s.ends = min(s.ends, e.t)
	}
}

// Again resumes the instructions that wait for the load/store unit, which takes some again,
// and returns when the SM acts for them.
func (s *SM) Again(t Time) Time { return s.pipe.Again(t) }
