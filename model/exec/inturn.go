package exec

import (
	"gpureplay/model/clock"
	"gpureplay/model/program"
	"gpureplay/trace"
)

// heldAccess is a memory instruction that has issued in this cycle and is timed when
// all SMs have, with those of the others (`icnt.in_turn`; MODEL.md, choice 23). Its
// number is that of the load/store unit.
type heldAccess struct {
	w     *Warp
	o     *program.Op
	then  *program.Op // what w issued behind it in the same cycle, or nil
	from  Time        // when w may issue again, as far as they say
	holds bool        // an atomic that holds w
	regs  []Time      // of the program that it is of
	code  *program.Code
	inst  uint32

	second InstRecord // what is to be told of then
	told   AccessRecord
	access trace.Access
}

// await keeps a memory instruction of w that its unit has not timed. It reports whether w
// may issue another in cycle t that does not need it.
func (s *SM) await(w *Warp, o *program.Op, t Time) bool {
	n := s.lsu.Waiting()
	if n == 1 {
		s.d.Asks(s)
	}
	if len(s.held) < n {
		s.held = append(s.held, make([]heldAccess, n-len(s.held))...)
	}
	h := &s.held[n-1]
	*h = heldAccess{w: w, o: o, from: t + 1, regs: w.Regs, code: w.Code, inst: w.Path[w.PC], told: s.told}
	if s.told.Access != nil {
		h.access = *s.told.Access
		h.told.Access, s.told.Access = &h.access, nil
	}
	h.holds = o.Flags&trace.InstAtomic != 0 && s.atomicHolds(w, o)
	w.PC++
	if s.width < 2 || h.holds {
		return false
	}
	o.Write(w.Regs, clock.Never|1)
	if w.PC >= len(w.Path) && !s.next(w) {
		return false
	}
	s.prepare(w, t)
	return true
}

// heldOf returns the instruction of w that waits to be timed, or nil.
func (s *SM) heldOf(w *Warp) *heldAccess {
	for i := range s.lsu.Waiting() {
		if s.held[i].w == w {
			return &s.held[i]
		}
	}
	return nil
}

// Answered lets the warps go on whose accesses of cycle t are timed, and returns the
// cycle in which the SM acts next.
func (s *SM) Answered(t Time) Time {
	s.acting, s.now = true, t
	for i := range s.lsu.Waiting() {
		h := &s.held[i]
		w, o, done, from := h.w, h.o, s.lsu.Done(i), h.from
		h.w = nil
		w.last = max(w.last, done)
		o.Write(h.regs, done<<1|1)
		if load := s.lsu.DoneLoad(i); load >= 0 {
			s.waitsFor(load, w, o, h.regs)
		}
		if s.watched {
			s.tellInst(w, h.code, h.inst, t, done)
			if h.second.Done > 0 {
				s.Insts.Inst(&h.second)
			}
		}
		s.tellAccess(&h.told, done)
		if h.holds {
			from = max(from, done-1)
		}
		if h.then != nil {
			o = h.then
		}
		s.goOn(&s.sched[w.sched], w, o, t, from)
	}
	s.lsu.Answered()
	for i := range s.sched {
		s.at[i] = turnOf(s.sched[i].next(s, t), uint8(i))
	}
	return s.proceed(t, s.run(t+1))
}
