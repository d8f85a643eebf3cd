package program

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
	same  []*inlineLane // and the ones whose threads take one path
	frame Frame

	shared   bool      // the frame has its caller's registers
	flatEnds []flatEnd // of the flat form, in the order of the code
}

// inlineLane is one lane and the child that it works through.
type inlineLane struct {
	lane   uint8
	work   uint32
	block  uint32 // threads of a CTA
	cursor trace.Cursor[trace.CTA]
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

// add gives a lane the work of a request.
func (in *inliner) add(r *trace.Launch, k *trace.Kernel, cursor trace.Cursor[trace.CTA]) {
	n := len(in.lanes)
	in.lanes = slices.Grow(in.lanes, 1)[:n+1]
	l := &in.lanes[n]
	*l = inlineLane{
		lane: r.Lane, work: r.Workload, block: max(1, uint32(k.Block.Count())), kernel: r.Child,
		cursor: cursor, cta: l.cta, // whose memory is used again
	}
	in.most = max(in.most, r.Workload)
}

// iterate emits iteration in.step.
func (in *inliner) iterate(f *Frame) error {
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
func emit(f *Frame, path []uint32, lanes []*inlineLane) {
	for _, l := range lanes {
		l.mask, l.nextMask, l.nextMem, l.nextCall = ^uint32(0), 0, 0, 0
	}
	for step, i := range path {
		o := &f.Code.Ops[i]
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
			if o.Class == trace.ClassLaunch {
				f.nested(lanes, step)
			}
		}
		if o.Mem {
			for _, l := range lanes {
				l.nextMem++
			}
		}
	}
}

// forEach appends the flat form of an instruction of the body, and keeps the work of its last thread.
func (f *Frame) forEach(o *Op, i, mask uint32, lanes []*inlineLane) {
	switch {
	case o.flat:
		for _, j := range o.each {
			f.append(j, mask)
			switch {
			case f.Code.Ops[j].Mem && o.Mem:
				f.gather(lanes)
			case f.Code.Ops[j].Mem: // in place of an instruction without addresses
				f.Mem = append(f.Mem, trace.Access{})
			}
		}
	case o.inlined():
		f.append(i, mask)
		if o.Mem {
			f.gather(lanes)
		}
	}
	if len(o.last) > 0 {
		f.inline.keep(o, i, lanes)
	}
}

// inlined reports whether an instruction of a child's body is one of the lane
// that runs it in turn.
func (o *Op) inlined() bool {
	return o.Class != trace.ClassExit && o.Class != trace.ClassBarrier && o.Class != trace.ClassDeviceSync
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
func (f *Frame) append(inst, mask uint32) {
	if n := len(f.masks); n == 0 || f.masks[n-1].Mask != mask {
		f.masks = append(f.masks, trace.MaskRun{At: uint32(len(f.Path)), Mask: mask})
	}
	f.Path = append(f.Path, inst)
}

// gather adds the access that the active lanes' threads make together.
func (f *Frame) gather(lanes []*inlineLane) {
	from := len(f.Lists)
	for _, l := range lanes {
		if l.mask>>l.bit&1 == 0 {
			continue
		}
		if addr, ok := l.address(); ok {
			f.Lists = append(f.Lists, addr)
		}
	}
	f.Mem = append(f.Mem, trace.Access{List: uint32(from) + 1, Count: uint32(len(f.Lists) - from)})
}

// address returns the address that the lane's active thread accesses at its step; a bulk copy may have none.
func (l *inlineLane) address() (addr uint64, ok bool) {
	a := &l.warp.Mem[l.nextMem]
	rank := uint32(bits.OnesCount32(l.mask & (1<<l.bit - 1)))
	if rank >= a.Count {
		return 0, false
	}
	return a.Address(l.warp.Lists, rank), true
}

// nested adds the requests that the lanes' threads make themselves.
func (f *Frame) nested(lanes []*inlineLane, step int) {
	for _, l := range lanes {
		for l.nextCall < len(l.warp.Launches) && int(l.warp.Launches[l.nextCall].At) <= step {
			r := l.warp.Launches[l.nextCall]
			l.nextCall++
			if int(r.At) == step && uint32(r.Lane) == l.bit {
				r.At, r.Lane = uint32(len(f.Path)-1), l.lane
				f.Launches = append(f.Launches, r)
			}
		}
	}
}
