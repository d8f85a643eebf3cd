package exec

import (
	"gpureplay/model/program"
	"gpureplay/trace"
)

// AccessObserver is an [Observer] that also receives each access to global or
// texture memory as it issues, in the order of issue. The machine looks for it
// once; a run that none watches pays nothing.
type AccessObserver interface {
	Access(*AccessRecord)
}

// AccessRecord is one warp's access as the trace has it. Access has the addresses, Width bytes each, and refers to
// Lists (see [trace.Access]).
type AccessRecord struct {
	Kernel uint32
	CTA    uint32
	Warp   uint32
	Mode   trace.Mode
	Width  uint32
	Access *trace.Access
	Lists  []uint64
	Issue  Time
	Done   Time // data returned, or store acknowledged; Issue, where it is not known when it issues
}

// watch fills the record of an access of w that issues at t.
func (s *SM) watch(w *Warp, o *program.Op, a *trace.Access, t Time) {
	s.record = AccessRecord{}
	c := w.CTA
	if w.persistent != nil && c == w.persistent.cta || w.Code.Added {
		return // a program of the policy's own
	}
	s.record = AccessRecord{
		Kernel: c.Rec.Kernel, CTA: c.Rec.CTA, Warp: w.ID, Mode: o.Mode(), Width: uint32(o.Width),
		Access: a, Lists: w.Lists, Issue: t,
	}
}

// tellAccess reports the access that has been watched, if there is one.
func (s *SM) tellAccess(done Time) {
	if r := &s.record; r.Access != nil {
		r.Done = done
		s.Accesses.Access(r)
		r.Access = nil
	}
}

// InstObserver is an [Observer] that also receives each warp instruction as
// it issues, in the order of issue. The machine looks for it once; a run that
// none watches pays nothing.
type InstObserver interface {
	Inst(*InstRecord)
}

// InstRecord is one warp instruction that has issued. Done is Issue where the completion time is not known then.
type InstRecord struct {
	Kernel, CTA, Warp uint32
	SM, Slot          uint32 // the slot gives the warp's scheduler: their number counts round
	Inst              uint32 // index into Function.Insts (of an inlined body, of its own function); or NoInst
	Issue             Time
	Done              Time // a dependent instruction may issue; of a store: acknowledged
}

// NoInst stands for an instruction that the trace does not have: one that accesses
// the ranges that a CTA is known to touch ([InferredAccesses]).
const NoInst = program.NoInst

// tellInst reports the instruction of some code that w has issued at t.
func (s *SM) tellInst(w *Warp, code *program.Code, inst uint32, t, done Time) {
	c := w.CTA
	if w.persistent != nil && c == w.persistent.cta || code.Added {
		return // a program of the policy's own, which is of no kernel of the trace
	}
	if code.Insts != nil {
		inst = code.Insts[inst]
	}
	r := InstRecord{
		Kernel: c.Rec.Kernel, CTA: c.Rec.CTA, Warp: w.ID, SM: uint32(s.ID), Slot: uint32(s.Slot(w)),
		Inst: inst, Issue: t, Done: done,
	}
	s.Insts.Inst(&r)
}
