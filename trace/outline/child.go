package outline

import (
	"math"
	"math/bits"
	"slices"

	"gpureplay/trace"
	"gpureplay/trace/container"
)

// child is the kernel that a loop's iterations become, and the launch in its parent.
type child struct {
	function uint32 // its own
	launch   uint32 // instruction of the parent's function
	param    uint32 // bytes

	index  []uint32          // instructions of the prologue
	leave  uint32            // its guarded exit
	inst   map[uint32]uint32 // the body's instruction, by the parent's
	ending uint32
}

// newChild adds the child's code, and the launch to the parent's.
func newChild(w *container.Writer, p *trace.Program, l *Loop) *child {
	own := l.body(p)
	c := &child{function: w.AddFunction(childName(l)), inst: map[uint32]uint32{}}
	var args []trace.Reg
	for _, r := range own.read {
		if r&0xff00 == trace.RegGeneral {
			args = append(args, r)
		}
	}
	c.param = max(4, 4*uint32(len(args)))
	insts := p.Functions[l.Function].Insts
	latch := slices.IndexFunc(insts, func(in trace.Inst) bool { return in.PC == l.Latch })
	c.launch = w.AddInst(l.Function, trace.Inst{PC: l.Header, Opcode: "LAUNCH", Class: trace.ClassLaunch, Src: args,
		FlatLast: uint32(latch) + 1})

	at := uint32(0)
	add := func(in trace.Inst) uint32 {
		in.PC = at
		at += 16
		return w.AddInst(c.function, in)
	}
	cta, tid, item := free(own, trace.RegGeneral, 0), free(own, trace.RegGeneral, 1), free(own, trace.RegGeneral, 2)
	beyond := free(own, trace.RegPredicate, 0)
	for _, x := range []struct {
		op       string
		dst, src []trace.Reg
	}{
		{"S2R", []trace.Reg{cta}, nil}, {"S2R", []trace.Reg{tid}, nil}, {"IMAD", []trace.Reg{item}, []trace.Reg{cta, tid}},
		{"ISETP.GE", []trace.Reg{beyond}, []trace.Reg{item}},
	} {
		c.index = append(c.index, add(trace.Inst{Opcode: x.op, Class: trace.ClassInt, Dst: x.dst, Src: x.src}))
	}
	exit := trace.Inst{Opcode: "EXIT", Class: trace.ClassExit}
	c.leave = add(trace.Inst{Opcode: exit.Opcode, Class: exit.Class, Src: []trace.Reg{beyond}})
	for _, i := range l.code(insts) {
		c.inst[i] = add(insts[i])
	}
	c.ending = add(exit)
	return c
}

// free returns a register of a kind that the body neither reads first nor writes; n of
// them are taken already.
func free(own registers, kind trace.Reg, n int) trace.Reg {
	used := map[trace.Reg]bool{}
	for _, list := range [][]trace.Reg{own.read, own.written} {
		for _, r := range list {
			used[r] = true
		}
	}
	for r := kind; !r.Zero(); r++ {
		if used[r] {
			continue
		}
		if n--; n < 0 {
			return r
		}
	}
	return kind // all are used: the first
}

// lane is one lane's run of a loop: its steps in the path, and which of them begin its
// iterations.
type lane struct {
	bit    int
	steps  []int
	begins []int // in steps
}

// follow collects the steps of a lane.
func (l *lane) follow(s *span, masks []uint32, bit int) {
	l.bit, l.steps, l.begins = bit, l.steps[:0], l.begins[:0]
	next := 0
	for i := s.lo; i < s.hi; i++ {
		begins := next < len(s.passes) && s.passes[next] == i
		if begins {
			next++
		}
		if masks[i]>>bit&1 == 0 {
			continue
		}
		if begins {
			l.begins = append(l.begins, len(l.steps))
		}
		l.steps = append(l.steps, i)
	}
}

// iteration returns the steps of one iteration.
func (l *lane) iteration(n int) []int {
	if n+1 < len(l.begins) {
		return l.steps[l.begins[n]:l.begins[n+1]]
	}
	return l.steps[l.begins[n]:]
}

// source is a warp of the parent, with the mask of each step of its path and the number of
// accesses before it.
type source struct {
	insts []trace.Inst
	warp  *trace.Warp
	masks []uint32 // of each step
	mem   []uint32 // accesses before each step
}

func (o *source) take(insts []trace.Inst, w *trace.Warp) {
	o.insts, o.warp, o.masks, o.mem = insts, w, expand(o.masks, w), o.mem[:0]
	n := uint32(0)
	for _, i := range w.Path {
		o.mem = append(o.mem, n)
		if insts[i].Mem() {
			n++
		}
	}
}

// address returns the address that an active lane accesses at a step.
func (o *source) address(step, bit int) (addr uint64, known bool) {
	a := &o.warp.Mem[o.mem[step]]
	rank := uint32(bits.OnesCount32(o.masks[step] & (1<<bit - 1)))
	if rank >= a.Count {
		return 0, false
	}
	return a.Address(o.warp.Lists, rank), true
}

// warpOf makes a warp of the child: its threads are the lane's iterations from first on,
// and those beyond the last leave at once.
func (c *child) warpOf(o *source, l *lane, id uint32, first int, w *trace.Warp) {
	*w = trace.Warp{ID: id}
	var left [32][]int
	live := uint32(0)
	for j := range min(32, len(l.begins)-first) {
		left[j] = l.iteration(first + j)
		live |= 1 << j
	}
	for _, i := range c.index {
		w.Step(i, math.MaxUint32)
	}
	w.Step(c.leave, ^live) // a guarded exit is issued even if no lane takes it
	for mask, i := next(o, &left); mask != 0; mask, i = next(o, &left) {
		w.Step(c.inst[i], mask)
		if o.insts[i].Mem() {
			c.access(o, l, &left, mask, w)
		}
		for m := mask; m != 0; m &= m - 1 {
			j := bits.TrailingZeros32(m)
			left[j] = left[j][1:]
		}
	}
	if live != 0 {
		w.Step(c.ending, live)
	}
}

// next returns the instruction that comes first in the code of those that threads are
// to run, and the threads that run it.
func next(o *source, left *[32][]int) (mask, inst uint32) {
	pc := uint32(math.MaxUint32)
	for j := range left {
		if len(left[j]) == 0 {
			continue
		}
		i := o.warp.Path[left[j][0]]
		switch at := o.insts[i].PC; {
		case at < pc || at == pc && i < inst || mask == 0:
			mask, inst, pc = 1<<j, i, at
		case i == inst:
			mask |= 1 << j
		}
	}
	return mask, inst
}

// access gathers the addresses of the threads at their next step; if one is not known,
// none is.
func (c *child) access(o *source, l *lane, left *[32][]int, mask uint32, w *trace.Warp) {
	from := len(w.Lists)
	for m := mask; m != 0; m &= m - 1 {
		addr, known := o.address(left[bits.TrailingZeros32(m)][0], l.bit)
		if !known {
			w.Lists = w.Lists[:from]
			w.Mem = append(w.Mem, trace.Access{})
			return
		}
		w.Lists = append(w.Lists, addr)
	}
	w.Mem = append(w.Mem, trace.Access{List: uint32(from) + 1, Count: uint32(len(w.Lists) - from)})
}
