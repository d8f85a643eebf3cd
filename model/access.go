package model

import (
	"gpureplay/model/program"
	"gpureplay/trace"
)

// AccessObserver is an [Observer] that is also told of each access to global or
// texture memory as it issues, in the order of issue. The machine looks for it
// once; a run that none watches pays nothing.
type AccessObserver interface {
	Access(*AccessRecord)
}

// AccessRecord is one warp's access as the trace has it: the addresses are those
// of Access, which refers to Lists (see [trace.Access]), Width bytes each.
type AccessRecord struct {
	Kernel uint32
	CTA    uint32
	Warp   uint32
	Mode   trace.Mode
	Width  uint32
	Access *trace.Access
	Lists  []uint64
	Issue  Time
	Done   Time // data returned, or store acknowledged
}

// watch fills the record of an access of w that issues at t.
func (s *sm) watch(w *warp, o *program.Op, a *trace.Access, t Time) {
	s.told = AccessRecord{}
	c := w.cta
	if w.home != nil && c == w.home.cta || w.Code.Added {
		return // a program of the policy's own
	}
	s.told = AccessRecord{
		Kernel: c.rec.Kernel, CTA: c.rec.CTA, Warp: w.id, Mode: o.Mode(), Width: uint32(o.Width),
		Access: a, Lists: w.Lists, Issue: t,
	}
}

// tellAccess tells of an access that is timed, if it is one to tell of.
func (s *sm) tellAccess(r *AccessRecord, done Time) {
	if r.Access != nil {
		r.Done = done
		s.m.accessed.Access(r)
	}
}
