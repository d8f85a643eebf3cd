package program

import (
	"gpureplay/model/hardware"
	"gpureplay/trace"
	"gpureplay/trace/container"
)

// Library has the functions of a trace prepared for the issue model, and makes the
// programs that a trace has no warps for.
type Library struct {
	cfg      *hardware.Config
	tr       *container.Reader
	prog     *trace.Program
	codes    []*Code                   // per function, nil until first used
	counted  []*Code                   // the same, as counted instructions execute it
	touching *Code                     // code of accesses to touched bytes
	foreign  map[*trace.Function]*Code // of policies
	flat     bool                      // no child is launched
	idle     []*inliner
	made     []*inliner // of the call being made
	kernel   trace.Kernel
}

func NewLibrary(tr *container.Reader, c *hardware.Config) *Library {
	p := tr.Program()
	return &Library{cfg: c, tr: tr, prog: p, codes: make([]*Code, len(p.Functions)),
		foreign: make(map[*trace.Function]*Code)}
}

// NeverLaunch says that no child will be launched: a warp runs the loops of its launches as it
// ran them when it was captured, without the launches. It is called before the first [Library.Code].
func (u *Library) NeverLaunch() { u.flat = true }

// Code returns a function of the trace.
func (u *Library) Code(fn uint32) *Code {
	if u.codes[fn] == nil {
		u.codes[fn] = Prepare(&u.prog.Functions[fn], &u.cfg.SM)
		if u.flat {
			u.codes[fn].neverLaunch()
		}
	}
	return u.codes[fn]
}

// foreignCode returns a function of a policy.
func (u *Library) foreignCode(f *trace.Function) *Code {
	c := u.foreign[f]
	if c == nil {
		c = Prepare(f, &u.cfg.SM)
		c.Added = true
		u.foreign[f] = c
	}
	return c
}

// takeInliner returns an inliner, with the memory of one that has been used.
func (u *Library) takeInliner() *inliner {
	n := len(u.idle)
	if n == 0 {
		return new(inliner)
	}
	in := u.idle[n-1]
	u.idle = u.idle[:n-1]
	return in
}

// inlined keeps the memory of an inlined body that f has come to the end of.
func (u *Library) inlined(f *Frame) {
	in := f.inline
	in.frame = *f
	if in.shared {
		in.frame.Regs, in.shared = nil, false
	}
	for i := range in.lanes {
		in.lanes[i].cursor = nil
	}
	u.idle = append(u.idle, in)
}
