package exec

import (
	"gpureplay/model/memory"
	"gpureplay/model/memory/hostmem"
	"gpureplay/model/program"
	"gpureplay/trace"
)

// gone is in place of the next instruction of a warp that has none.
var gone = program.Op{Unit: program.UnitGone}

// prepare finds the unit and mask of the next instruction of w, and when its operands are
// there, no earlier than t.
func (s *SM) prepare(w *Warp, t Time) {
	f := &w.Frame
	w.ready, w.reason, w.fenced = t, StallIssue, false
	w.floor = t
	if f.PC >= f.MaskAt {
		if f.PC >= len(f.Path) {
			w.op = &gone
			s.place(w, program.UnitGone)
			return
		}
		f.ChangeMask()
	}
	o := &f.Code.Ops[f.Path[f.PC]]
	w.op = o
	s.place(w, s.as[o.Unit&15])
	if o.Mem && f.NextMem < len(f.Mem) {
		hostmem.Prefetch(&f.Mem[f.NextMem])
	}
	if latest := o.Ready(f.Regs); latest>>1 > t {
		w.ready = latest >> 1
		if latest&1 != 0 {
			w.reason = StallMemory
		}
	}
}

// place notes the unit whose pipe the next instruction of w takes.
func (s *SM) place(w *Warp, u program.Unit) {
	s.Place(w.slot, w.unit, u)
	w.unit = u
}

// issueMore lets w, which has issued to a unit in cycle t and runs on, issue more
// instructions in it, where they need different units and nothing of each other.
func (s *SM) issueMore(w *Warp, u program.Unit, t Time) {
	for range s.width - 1 {
		if s.holding || w.unit == u || s.fetch.fresh(s, w, t) || w.ready > t ||
			!s.unitFree(w, t) || w.unit == program.UnitMemory && s.Keeps || s.Marks && w.waits() {
			return
		}
		s.ready &^= 1 << w.slot
		if u = w.unit; !s.issueOne(w, t) {
			return
		}
	}
}

// issueOne issues the next instruction of w and schedules w for the one after
// it. It reports whether w goes on (false: it has exited or is parked).
func (s *SM) issueOne(w *Warp, t Time) bool {
	o := w.op
	if s.holding = false; o.Unit == program.UnitGone {
		s.exit(w, t)
		return false
	}
	c := w.CTA
	if c.lastAt != t {
		c.active(w.reason, t)
	}
	c.Rec.WarpInsts++
	c.ThreadInsts += uint64(w.Lanes)
	s.Issued++
	if s.Marks && w.points.Trigger == int32(w.PC) {
		s.pass(w, t)
	}
	done, last, completed, held := s.pipe.Issue(w.sched, o, t)
	if o.Unit == program.UnitMemory {
		if held >= 0 {
			return s.goOn(w, o, t, s.holdAccess(held, w, o, t))
		}
		done, load := s.access(w, o, t)
		return s.goOn(w, o, t, s.accessed(w, o, t, done, completed, load))
	}
	if held < 0 {
		w.last = max(w.last, last)
		o.Write(w.Regs, done<<1)
	} else {
		s.holdInst(held, w, o)
		s.promise(w, o, 0)
	}
	if s.watched {
		s.tellInst(w, w.Code, w.Path[w.PC], t, completed)
	}
	w.PC++
	if o.Class == trace.ClassLaunch {
		return s.goOn(w, o, t, s.ask(w, t))
	}
	return s.goOn(w, o, t, t+1)
}

// accessed books the result of a memory instruction of w, which may be completed up to a time,
// and returns when w may issue again.
func (s *SM) accessed(w *Warp, o *program.Op, t, done, completed Time, load int32) Time {
	switch {
	case done < memory.Unknown && w.CTA.Posts && o.Flags&(trace.InstStore|trace.InstLoad) == trace.InstStore:
		w.posted = max(w.posted, done)
	case done < memory.Unknown:
		if w.last = max(w.last, done); o.Copy == program.CopyStarts {
			c := w.copied()
			c.done(c.start(), done)
		}
	default:
		w.open++
		w.CTA.open++
	}
	o.Write(w.Regs, done<<1|1)
	holds := o.Flags&trace.InstAtomic != 0 && s.atomicHolds(w, o)
	completed = min(completed, done)
	if load >= 0 {
		s.waitsFor(load, w, o, holds)
		completed, s.holding = t, holds // its completion is not known yet
	}
	if s.times.Wake < memory.Never {
		s.due(t)
	}
	if s.watched {
		s.tellInst(w, w.Code, w.Path[w.PC], t, completed)
	}
	if s.record.Access != nil {
		s.tellAccess(completed)
	}
	w.PC++
	switch {
	case !holds:
		return t + 1
	case done >= memory.Unknown:
		w.held = true
		return done
	}
	return max(t+1, done-1)
}

// goOn schedules w, which has issued o in cycle t, from a cycle on. It reports whether
// w goes on (false: it has exited or is parked).
func (s *SM) goOn(w *Warp, o *program.Op, t, from Time) bool {
	if w.PC >= w.MaskAt && w.PC >= len(w.Path) && !s.next(w) && (o.Class != trace.ClassLaunch || from == t+1) {
		s.exit(w, t)
		return false
	}
	s.prepare(w, t)
	if s.fetch.width > 0 {
		if w.has--; w.has == 0 {
			s.used(w, t)
		}
	}
	if o.Unit == program.UnitNone {
		return s.follow(w, o, t, from)
	}
	if o.Copy == program.CopiesClosed {
		w.copied().close(t)
	}
	if from > t+1 { // behind its atomic
		if from < memory.Unknown {
			w.floor = from
		}
		if from > w.ready {
			w.ready, w.reason = from, StallMemory
		}
	}
	if w.ready > t+1 {
		s.later(w, w.ready)
		return true
	}
	s.ready |= 1 << (w.slot & 63) // its scheduler acts in the next cycle at the earliest
	return true
}

// atomicHolds reports whether w issues nothing until its last atomic is back. That is a cycle before a dependent
// instruction may issue, when the answer takes the write-back port (GPGPU-Sim's shd_warp_t::waiting).
func (s *SM) atomicHolds(w *Warp, o *program.Op) bool {
	return s.Config.SM.AtomicsHoldWarp && (!o.Mem || w.Mem[w.NextMem-1].Count > 0)
}

// follow schedules w after o, which needs an issue slot and nothing else: from a
// cycle on (0: the device schedules it). It reports whether w is scheduled.
func (s *SM) follow(w *Warp, o *program.Op, t, from Time) bool {
	switch o.Class {
	case trace.ClassBarrier:
		s.arrive(w, o.Barrier, t)
		return false
	case trace.ClassFence:
		if open, last := w.fence(o); open > 0 {
			w.ready, w.reason = memory.Unknown, StallMemory
		} else if last > w.ready {
			w.ready, w.reason = last, StallMemory
		}
	case trace.ClassDeviceSync:
		if s.sync(w) {
			return false
		}
		from = t + max(1, Time(s.Config.Launch.DeviceSync))
	case trace.ClassLaunch:
		if from == 0 {
			return false
		}
		if from > w.ready || w.ready >= memory.Unknown {
			w.reason = StallLaunch
		}
	}
	if from > t+1 { // held by more than issue: nothing of w goes with it in cycle t
		w.ready, w.floor = max(w.ready, from), from
	}
	if at := max(w.ready, from); at > t+1 {
		s.later(w, at)
		return true
	}
	s.ready |= 1 << (w.slot & 63)
	return true
}

// ask makes the launch call of w; an error ends the run.
func (s *SM) ask(w *Warp, t Time) Time {
	from, err := s.d.Launch(s, w, w.PC-1, t)
	if err != nil {
		s.d.Fail(err)
		return t + 1
	}
	return from
}

// next brings w to its next instruction, behind the part of its program that it has.
// It reports whether there is one.
func (s *SM) next(w *Warp) bool {
	more, err := w.Stack.Next(s.Library)
	if err != nil {
		s.d.Fail(err)
	}
	return more
}

// stalls parks w if the dependency keeps it back at its point, or its next access.
func (s *SM) stalls(w *Warp) bool {
	f := &w.Frame
	if s.Marks && w.waits() {
		if s.d.Waits(s, w) {
			return true
		}
		w.points.Wait = NoPoint
	}
	if !s.Keeps || w.unit != program.UnitMemory {
		return false
	}
	o := w.op
	if !o.Mem || o.Space != trace.SpaceGlobal && o.Space != trace.SpaceTexture {
		return false
	}
	s.co.Coalesce(&f.Mem[f.NextMem], f.Lists, uint64(o.Width))
	return s.d.Blocked(s, w, s.co.Sectors)
}

// arrive lets w wait at a barrier of its CTA, and releases the barrier when
// every warp that has not exited waits there.
func (s *SM) arrive(w *Warp, id uint8, t Time) {
	c := w.CTA
	c.Waiting++
	b := &c.barriers[id]
	b.waiting |= 1 << s.Slot(w)
	b.last = t
	s.checkBarriers(c, t)
	if c.stranded() {
		s.suspend(c)
	}
}

// soonest is when w, which another lets go on in cycle t, may issue: in that cycle if its
// scheduler acts later in it, since they take turns.
func (s *SM) soonest(w *Warp, t Time) Time {
	if s.rotates && s.turnOf(t, w.sched) > s.current {
		return t
	}
	return t + 1
}

// checkBarriers releases a barrier of c when all live warps wait. Where they
// wait at different barriers (the trace does not say how many each expects),
// the one that was reached last goes on first (docs/model, choice 6).
func (s *SM) checkBarriers(c *CTA, t Time) {
	if c.Waiting < c.Live {
		return
	}
	best := -1
	for i := range c.barriers {
		if c.barriers[i].waiting != 0 && (best < 0 || c.barriers[i].last > c.barriers[best].last) {
			best = i
		}
	}
	if best < 0 {
		return
	}
	b := &c.barriers[best]
	for m := b.waiting; m != 0; m &= m - 1 {
		w := &s.warps[trailing(m)]
		c.Waiting--
		w.reason = StallBarrier
		s.schedule(w, max(w.ready, s.soonest(w, t)))
	}
	b.waiting = 0
}
