package accelsim

import (
	"bytes"

	"gpureplay/trace"
)

// step reads one instruction line into the warp.
//
// Nearly all lines repeat the static part of an earlier line with that PC, so
// they are compared with it and only the mask and the addresses are parsed.
func (k *kernel) step(w *trace.Warp, line []byte) error {
	p := line
	for range k.lead {
		_, p = token(p)
	}
	if k.h.lineInfo {
		_, rest, ok := decimal(p)
		if !ok {
			return k.l.errorf("%q: no source line number", clip(line))
		}
		p = rest
		k.n.add(sourceLines)
	}
	pc, p, ok := hex32(p)
	if !ok {
		return k.l.errorf("%q: no PC (hexadecimal, at most 8 digits)", clip(line))
	}
	mask, p, ok := hex32(p)
	if !ok {
		return k.l.errorf("%q: no mask behind the PC (hexadecimal, at most 8 digits)", clip(line))
	}
	p = blank(p)
	i := k.fn.find(pc, p)
	if i == noStatic {
		s, what := parseStatic(pc, p)
		if what == "" {
			what = k.define(pc, s, &i)
		}
		if what != "" {
			return k.l.errorf("%q: %s", clip(line), what)
		}
	}
	s := &k.fn.statics[i]
	var a trace.Access
	rest := p[len(s.text):]
	if s.mem {
		var what string
		if s.bulk {
			a, rest, what = k.bulk(rest, mask, w)
		} else {
			a, rest, what = k.access(rest, mask, w)
		}
		if what != "" {
			return k.l.errorf("%q: %s", clip(line), what)
		}
	}
	if !s.read || !bytes.Equal(rest, s.tail) {
		var what string
		if s, what = k.variant(i, rest); what != "" {
			return k.l.errorf("%q: %s", clip(line), what)
		}
	}
	k.record(w, s, pc, mask, a)
	return nil
}

// find returns the first static instruction at the PC whose text rest begins
// with.
func (f *function) find(pc uint32, rest []byte) int32 {
	i := f.first(pc)
	for i != noStatic && !f.statics[i].matches(rest) {
		i = f.statics[i].next
	}
	return i
}

// define adds a static instruction to the function, behind the others of its PC.
func (k *kernel) define(pc uint32, s static, i *int32) (what string) {
	k.texts += len(s.text)
	k.statics++
	if k.statics > maxStatics || k.texts > maxText {
		return "too many different instructions"
	}
	if s.oddRegs {
		k.n.add(unknownRegister)
	}
	f := k.fn
	*i = int32(len(f.statics))
	f.statics = append(f.statics, s)
	last := f.first(pc)
	if last == noStatic {
		f.setFirst(pc, *i)
		return ""
	}
	for f.statics[last].next != noStatic {
		last = f.statics[last].next
	}
	f.statics[last].next = *i
	return ""
}

// variant returns the static instruction with the text of i and the immediate
// of the tail.
func (k *kernel) variant(i int32, tail []byte) (s *static, what string) {
	imm, notes := parseTail(tail)
	text := k.fn.statics[i].text
	for j := i; j != noStatic; j = s.next {
		s = &k.fn.statics[j]
		if s.read && s.imm != imm || !bytes.Equal(s.text, text) {
			continue
		}
		if !s.read {
			s.read, s.imm = true, imm
			s.inst.Imm = uint64(imm)
		}
		s.notes = notes
		if notes&noteValues == 0 {
			s.tail = append(s.tail[:0], tail...)
		}
		return s, ""
	}
	c := k.fn.statics[i]
	c.read, c.imm, c.inst.Imm, c.notes = true, imm, uint64(imm), notes
	c.tail, c.next, c.oddRegs = bytes.Clone(tail), noStatic, false
	for space := range c.insts {
		c.insts[space] = noInst
	}
	var at int32
	if what := k.define(c.inst.PC, c, &at); what != "" {
		return nil, what
	}
	return &k.fn.statics[at], ""
}

// record appends an execution of s to the warp.
func (k *kernel) record(w *trace.Warp, s *static, pc, mask uint32, a trace.Access) {
	if s.notes != 0 || s.unknown || s.marker {
		k.note(s)
		if s.marker {
			return
		}
	}
	if k.asyncPC >= 0 {
		if s.ldgsts && int64(pc) == k.asyncPC {
			w.Mem[len(w.Mem)-1] = a
			k.n.add(sharedOperands)
			k.settle(w)
			return
		}
		k.settle(w)
	}
	space := s.space
	if s.generic && a.Count > 0 {
		space = k.resolve(s, &a, w.Lists)
	}
	inst := s.insts[space]
	if inst == noInst {
		inst = k.addInst(s, space)
	}
	w.Step(inst, mask)
	if !s.mem {
		return
	}
	w.Mem = append(w.Mem, a)
	if k.raw && s.ldgsts {
		k.asyncPC = int64(pc)
	} else if space == trace.SpaceGlobal && a.Count > 0 {
		k.touch(&a, w.Lists, s)
	}
}

// note counts the oddities of an execution of s.
func (k *kernel) note(s *static) {
	if s.notes&noteExtra != 0 {
		k.n.add(extraImmediate)
	}
	if s.notes&noteValues != 0 {
		k.n.add(registerValues)
	}
	if s.notes&noteUnknown != 0 {
		k.n.add(unknownTrailing)
	}
	if s.unknown {
		k.n.add(unknownOpcode)
	}
	if s.marker {
		k.n.add(spinMarkers)
	}
}

// settle touches the memory that an asynchronous copy of a raw capture reads, once the line with its global side is
// known.
func (k *kernel) settle(w *trace.Warp) {
	if k.asyncPC < 0 {
		return
	}
	s := &k.fn.statics[k.fn.first(uint32(k.asyncPC))]
	k.asyncPC = -1
	if a := &w.Mem[len(w.Mem)-1]; a.Count > 0 {
		k.touch(a, w.Lists, s)
	}
}

// addInst adds the static instruction to the trace, as one of that space.
func (k *kernel) addInst(s *static, space trace.Space) uint32 {
	in := s.inst
	in.Space = space
	if space != trace.SpaceGlobal {
		in.Flags &^= trace.InstBypassL1
	}
	s.insts[space] = k.w.AddInst(k.fn.id, in)
	k.fn.flow.add(&in, s)
	return s.insts[space]
}

// resolve finds the memory that a generic access goes to.
func (k *kernel) resolve(s *static, a *trace.Access, lists []uint64) trace.Space {
	space := k.window(a.Address(lists, 0), s.space)
	if a.List == 0 {
		if k.window(a.Address(lists, a.Count-1), s.space) != space {
			k.n.add(mixedSpaces)
		}
		return space
	}
	for i := uint32(1); i < a.Count; i++ {
		if k.window(a.Address(lists, i), s.space) != space {
			k.n.add(mixedSpaces)
			break
		}
	}
	return space
}

// window says which memory a generic address is in.
func (k *kernel) window(addr uint64, other trace.Space) trace.Space {
	h := &k.h.kernel
	switch {
	case addr < windowBytes: // an offset: no generic address is so low
		return trace.SpaceShared
	case h.SharedBase != 0 && addr-h.SharedBase < windowBytes:
		return trace.SpaceShared
	case h.LocalBase != 0 && addr-h.LocalBase < windowBytes:
		return trace.SpaceLocal
	}
	return other
}

// touch tells the arrays of an access to global memory.
func (k *kernel) touch(a *trace.Access, lists []uint64, s *static) {
	var mode trace.Mode
	if s.inst.Flags&trace.InstLoad != 0 {
		mode |= trace.Read
	}
	if s.inst.Flags&trace.InstStore != 0 {
		mode |= trace.Write
	}
	width := uint64(s.width)
	if s.bulk {
		width = (width + uint64(a.Count) - 1) / uint64(a.Count)
	}
	if a.List != 0 {
		for _, addr := range lists[a.List-1:][:a.Count] {
			k.arrays.touch(addr, addr+width, mode)
		}
		return
	}
	stride := int64(a.Stride)
	span := stride * int64(a.Count-1)
	if uint64(max(stride, -stride)) <= width+leastGap/4 {
		lo := a.Base + uint64(min(span, 0))
		k.arrays.touch(lo, a.Base+uint64(max(span, 0))+width, mode)
		return
	}
	for i := range int64(a.Count) {
		addr := a.Base + uint64(stride*i)
		k.arrays.touch(addr, addr+width, mode)
	}
}
