package model

import (
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"

	"gpureplay/model/hardware"
	"gpureplay/trace"
)

// inliner turns refused child launches into work of the parent's lanes: lane l
// performs the body of the child's thread t as its iteration t. Iteration i runs
// with the lanes whose workload exceeds i; the addresses are those of thread i of
// every active lane's child, coalesced as one access. Lanes whose threads took
// different paths run one path after another. A function may say what its flat
// form does instead of its instructions, and once after the last thread of a lane
// (trace.Inst, FlatEach and FlatLast).
//
// Exits, barriers and synchronisations of the child's body have no meaning for a
// lane that runs its threads in turn, and take no instruction.
type inliner struct {
	fn    uint32
	lanes []inlineLane
	step  uint32 // next iteration
	most  uint32
	group []*inlineLane // lanes that have not run the iteration
	same  []*inlineLane // and those of them whose threads take one path
	frame frame

	flatEnds []flatEnd // of the flat form, in the order of the code
}

// inlineLane is one lane and the child that it works through.
type inlineLane struct {
	lane   uint8
	work   uint32
	block  uint32 // threads of a CTA
	cursor *trace.CTACursor
	cta    trace.CTA
	read   bool // cta has been read
	ended  bool
	warp   *trace.Warp // of the current thread; nil: it does nothing
	bit    uint32      // the current thread in its warp

	mask     uint32 // while a path is walked
	nextMask int
	nextMem  int
	nextCall int
	kernel   uint32
}

// chunkSteps is about how many instructions are made at a time: a hub of a graph
// would otherwise fill memory.
const chunkSteps = 128

// call makes w run the bodies of refused requests before it goes on, one
// function after another.
func (w *warp) call(m *Machine, reqs []trace.Launch) error {
	u := m.children
	u.made = u.made[:0]
	for i := range reqs {
		r := &reqs[i]
		if r.Workload == 0 {
			continue
		}
		if err := m.tr.Kernel(r.Child, &u.kernel); err != nil {
			return err
		}
		cursor, err := m.tr.CTAs(r.Child, 0)
		if err != nil {
			return err
		}
		u.inlinerOf(u.kernel.Function).add(r, &u.kernel, cursor)
	}
	for _, in := range slices.Backward(u.made) {
		w.callers = append(w.callers, w.frame)
		w.frame = in.frame
		if _, err := w.refill(); err != nil {
			return err
		}
	}
	return nil
}

// inlinerOf returns the inliner of a function for the call that is being made.
func (u *children) inlinerOf(fn uint32) *inliner {
	for _, in := range u.made {
		if in.fn == fn {
			return in
		}
	}
	in := u.takeInliner()
	c := u.m.code(fn)
	in.fn, in.step, in.most, in.lanes = fn, 0, 0, in.lanes[:0]
	f := &in.frame
	f.code, f.inline, f.mask = c, in, ^uint32(0)
	f.regs = slices.Grow(f.regs[:0], c.count)[:c.count]
	clear(f.regs)
	u.made = append(u.made, in)
	return in
}

// takeInliner returns an inliner, with the memory of one that has been used.
func (u *children) takeInliner() *inliner {
	n := len(u.idle)
	if n == 0 {
		return new(inliner)
	}
	in := u.idle[n-1]
	u.idle = u.idle[:n-1]
	return in
}

// add gives a lane the work of a request.
func (in *inliner) add(r *trace.Launch, k *trace.Kernel, cursor *trace.CTACursor) {
	n := len(in.lanes)
	in.lanes = slices.Grow(in.lanes, 1)[:n+1]
	l := &in.lanes[n]
	*l = inlineLane{
		lane: r.Lane, work: r.Workload, block: max(1, uint32(k.Block.Count())), kernel: r.Child,
		cursor: cursor, cta: l.cta, // whose memory is used again
	}
	in.most = max(in.most, r.Workload)
}

// inlined keeps the memory of an inlined body that f has come to the end of.
func (u *children) inlined(f *frame) {
	in := f.inline
	in.frame = *f
	for i := range in.lanes {
		in.lanes[i].cursor = nil
	}
	u.idle = append(u.idle, in)
}

// refill makes the next instructions of an inlined body, and reports whether
// there are any.
func (w *warp) refill() (bool, error) {
	f := &w.frame
	in := f.inline
	if in == nil {
		return f.rest != nil && f.rest.refill(f), nil
	}
	f.path, f.masks, f.mem, f.lists, f.launches = f.path[:0], f.masks[:0], f.mem[:0], f.lists[:0], f.launches[:0]
	f.pc, f.nextMask, f.maskAt, f.nextMem, f.nextLaunch = 0, 0, 0, 0, 0
	for in.step < in.most && len(f.path) < chunkSteps {
		if err := in.iterate(f); err != nil {
			return false, err
		}
		in.step++
	}
	if in.step == in.most {
		in.finish(f)
	}
	return len(f.path) > 0, nil
}

// iterate emits iteration in.step.
func (in *inliner) iterate(f *frame) error {
	in.group = in.group[:0]
	for i := range in.lanes {
		l := &in.lanes[i]
		if l.work <= in.step {
			continue
		}
		if err := l.seek(in.step); err != nil {
			return err
		}
		if l.warp != nil {
			in.group = append(in.group, l)
		}
	}
	for len(in.group) > 0 {
		lead := in.group[0].warp
		in.same = in.same[:0]
		rest := in.group[:0]
		for _, l := range in.group {
			if slices.Equal(l.warp.Path, lead.Path) {
				in.same = append(in.same, l)
			} else {
				rest = append(rest, l)
			}
		}
		emit(f, lead.Path, in.same)
		in.group = rest
	}
	return nil
}

// seek moves l to the thread of an iteration.
func (l *inlineLane) seek(thread uint32) error {
	cta, in := thread/l.block, thread%l.block
	l.bit = in % hardware.WarpSize
	for !l.ended && (!l.read || l.cta.ID < cta) {
		switch err := l.cursor.Next(&l.cta); {
		case errors.Is(err, io.EOF):
			l.ended = true
		case err != nil:
			return fmt.Errorf("kernel %d: %w", l.kernel, err)
		}
		l.read = true
	}
	l.warp = nil
	if l.ended || l.cta.ID != cta {
		return nil
	}
	for i := range l.cta.Warps {
		if l.cta.Warps[i].ID == in/hardware.WarpSize {
			l.warp = &l.cta.Warps[i]
			return nil
		}
	}
	return nil
}

// emit appends the instructions of one path, run by the lanes whose threads took
// it.
func emit(f *frame, path []uint32, lanes []*inlineLane) {
	for _, l := range lanes {
		l.mask, l.nextMask, l.nextMem, l.nextCall = ^uint32(0), 0, 0, 0
	}
	for step, i := range path {
		o := &f.code.ops[i]
		mask := uint32(0)
		for _, l := range lanes {
			if l.advance(step) {
				mask |= 1 << l.lane
			}
		}
		if mask != 0 {
			f.forEach(o, i, mask, lanes)
		}
		if mask != 0 && o.inlined() && !o.flat {
			if o.class == trace.ClassLaunch {
				f.nested(lanes, step)
			}
		}
		if o.mem {
			for _, l := range lanes {
				l.nextMem++
			}
		}
	}
}

// forEach appends what stands for an instruction of the body in the flat form, and
// keeps what its last thread is to do.
func (f *frame) forEach(o *op, i, mask uint32, lanes []*inlineLane) {
	switch {
	case o.flat:
		for _, j := range o.each {
			f.append(j, mask)
			switch {
			case f.code.ops[j].mem && o.mem:
				f.gather(lanes)
			case f.code.ops[j].mem: // in place of an instruction without addresses
				f.mem = append(f.mem, trace.Access{})
			}
		}
	case o.inlined():
		f.append(i, mask)
		if o.mem {
			f.gather(lanes)
		}
	}
	if len(o.last) > 0 {
		f.inline.keep(o, i, lanes)
	}
}

// inlined reports whether an instruction of a child's body is one of the lane
// that runs it in turn.
func (o *op) inlined() bool {
	return o.class != trace.ClassExit && o.class != trace.ClassBarrier && o.class != trace.ClassDeviceSync
}

// advance brings l's mask to a step and reports whether its thread is active.
func (l *inlineLane) advance(step int) bool {
	m := l.warp.Masks
	for l.nextMask < len(m) && int(m[l.nextMask].At) <= step {
		l.mask = m[l.nextMask].Mask
		l.nextMask++
	}
	return l.mask>>l.bit&1 != 0
}

// append adds an instruction with a mask.
func (f *frame) append(inst, mask uint32) {
	if n := len(f.masks); n == 0 || f.masks[n-1].Mask != mask {
		f.masks = append(f.masks, trace.MaskRun{At: uint32(len(f.path)), Mask: mask})
	}
	f.path = append(f.path, inst)
}

// gather adds the access that the active lanes' threads make together.
func (f *frame) gather(lanes []*inlineLane) {
	from := len(f.lists)
	for _, l := range lanes {
		if l.mask>>l.bit&1 == 0 {
			continue
		}
		if addr, ok := l.address(); ok {
			f.lists = append(f.lists, addr)
		}
	}
	f.mem = append(f.mem, trace.Access{List: uint32(from) + 1, Count: uint32(len(f.lists) - from)})
}

// address returns what the lane's thread, which is active, accesses at its step; of
// a bulk copy it may be nothing.
func (l *inlineLane) address() (addr uint64, ok bool) {
	a := &l.warp.Mem[l.nextMem]
	rank := uint32(bits.OnesCount32(l.mask & (1<<l.bit - 1)))
	switch {
	case rank >= a.Count:
		return 0, false
	case a.List != 0:
		return l.warp.Lists[a.List-1+rank], true
	}
	return a.Base + uint64(int64(a.Stride)*int64(rank)), true
}

// nested adds the requests that the lanes' threads make themselves.
func (f *frame) nested(lanes []*inlineLane, step int) {
	for _, l := range lanes {
		for l.nextCall < len(l.warp.Launches) && int(l.warp.Launches[l.nextCall].At) <= step {
			r := l.warp.Launches[l.nextCall]
			l.nextCall++
			if int(r.At) == step && uint32(r.Lane) == l.bit {
				r.At, r.Lane = uint32(len(f.path)-1), l.lane
				f.launches = append(f.launches, r)
			}
		}
	}
}
