package model

import "gpureplay/trace"

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
func (s *sm) watch(w *warp, o *op, a *trace.Access, t Time) {
	s.told = AccessRecord{}
	c := w.cta
	if w.home != nil && c == w.home.cta || w.code.added {
		return // a program of the policy's own
	}
	s.told = AccessRecord{
		Kernel: c.rec.Kernel, CTA: c.rec.CTA, Warp: w.id, Mode: o.mode(), Width: uint32(o.width),
		Access: a, Lists: w.lists, Issue: t,
	}
}

// tellAccess tells of an access that is timed, if it is one to tell of.
func (s *sm) tellAccess(r *AccessRecord, done Time) {
	if r.Access != nil {
		r.Done = done
		s.m.accessed.Access(r)
	}
}

// A Fault breaks the scoreboard of overlapping kernels on purpose, so that a
// test can show that an auditor finds it.
type Fault uint8

const (
	NoFault          Fault = iota
	FaultSkipRelease       // the first release of a page's last count is lost
	FaultEarlyOwner        // a CTA releases its pages when its warps have exited, not when its stores are acknowledged
	FaultEarlyReady        // every page is taken for ready as soon as it has been read
	FaultIgnoreOwner       // the scoreboard does not look at owners
	FaultSharedSM          // CTAs of different kernels may share an SM
)
