package program

import "gpureplay/trace"

// The loops of launches (trace.Function.Loop): the steps behind a launch that lie in its loop are
// the work of its lanes as the captured warp did it. A lane that launches a child leaves them
// out; the others run them in the warp's own order.

// neverLaunch leaves out the launches that have loops.
func (c *Code) neverLaunch() {
	c.flat, c.Launches = true, false
	for i := range c.Ops {
		o := &c.Ops[i]
		c.Launches = c.Launches || o.Class == trace.ClassDeviceSync || o.Class == trace.ClassLaunch && o.loop == nil
	}
}

// withoutLaunches returns the warp as it was captured: without the launches that have loops.
func (c *Code) withoutLaunches(w *trace.Warp) *trace.Warp {
	some := false
	for i := range w.Launches {
		some = some || c.Ops[w.Path[w.Launches[i].At]].loop != nil
	}
	if !some {
		return w
	}
	flat := &trace.Warp{ID: w.ID, Path: make([]uint32, 0, len(w.Path)), Masks: make([]trace.MaskRun, 0, len(w.Masks)),
		Mem: w.Mem, Lists: w.Lists}
	mask, launch := 0, 0
	for step, i := range w.Path {
		at := uint32(len(flat.Path))
		for ; mask < len(w.Masks) && int(w.Masks[mask].At) <= step; mask++ {
			m := trace.MaskRun{At: at, Mask: w.Masks[mask].Mask}
			if n := len(flat.Masks); n > 0 && flat.Masks[n-1].At == at {
				flat.Masks[n-1] = m
			} else {
				flat.Masks = append(flat.Masks, m)
			}
		}
		kept := c.Ops[i].loop == nil
		for ; launch < len(w.Launches) && int(w.Launches[launch].At) == step; launch++ {
			if l := w.Launches[launch]; kept {
				l.At = at
				flat.Launches = append(flat.Launches, l)
			}
		}
		if kept {
			flat.Path = append(flat.Path, i)
		}
	}
	return flat
}

// Loop handles the loop behind the launch at a step, or behind the launch that the policy's code replaces, once it
// is known which lanes have launched children: the others run it. It reports whether the launch has a loop.
func (s *Stack) Loop(u *Library, at int, launched uint32) bool {
	f, added := &s.Frame, s.Code.Added
	if added {
		f = &s.Callers[len(s.Callers)-1]
		at = f.PC - 1
	}
	lies := f.Code.Ops[f.Path[at]].loop
	if lies == nil || launched == 0 {
		return lies != nil
	}
	own := u.sharing(f)
	for f.PC = at + 1; f.PC < len(f.Path) && lies[f.Path[f.PC]]; f.PC++ {
		f.ChangeMask()
		own.take(f, f.Mask&^launched)
		if f.Code.Ops[f.Path[f.PC]].Mem {
			f.NextMem++
		}
	}
	f.MaskAt = 0
	if added {
		s.Callers = append(s.Callers, own)
		return true
	}
	s.Callers = append(s.Callers, s.Frame)
	s.Frame = own
	return true
}

// sharing returns an empty program that has the registers of another, which it returns to.
func (u *Library) sharing(f *Frame) Frame {
	in := u.takeInliner()
	in.step, in.most, in.lanes, in.shared = 0, 0, in.lanes[:0], true
	own := in.frame
	own.Code, own.inline, own.Mask, own.Regs, own.Number = f.Code, in, ^uint32(0), f.Regs, f.Number
	own.Path, own.masks, own.Mem, own.Lists, own.Launches = own.Path[:0], own.masks[:0], own.Mem[:0], own.Lists[:0],
		own.Launches[:0]
	own.rewind()
	return own
}

// take appends the step of another frame with some of its lanes.
func (f *Frame) take(from *Frame, mask uint32) {
	if mask == 0 {
		return
	}
	inst := from.Path[from.PC]
	f.append(inst, mask)
	o := &f.Code.Ops[inst]
	if !o.Mem {
		return
	}
	a, first, lanes := &from.Mem[from.NextMem], len(f.Lists), from.Mask
	for rank := range a.Count {
		if o.Flags&trace.InstBulk != 0 || lanes&-lanes&mask != 0 { // a bulk copy is of no lane
			f.Lists = append(f.Lists, a.Address(from.Lists, rank))
		}
		lanes &= lanes - 1
	}
	f.Mem = append(f.Mem, trace.Access{List: uint32(first) + 1, Count: uint32(len(f.Lists) - first)})
}
