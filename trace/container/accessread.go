package container

import (
	"gpureplay/trace"
	"math/bits"
)

// accesses reads the accesses of one warp: one for each memory step.
func (d *ctaDecoder) accesses(b *ctaBlock, steps []memStep, masks []trace.MaskRun) error {
	forms := &d.cols[colForm]
	listLo, memLo := len(b.lists), len(b.mem)
	b.mem = b.mem[:memLo+len(steps)] // begin left room
	mem := b.mem[memLo:]
	mask := uint32(0)
	for i := range mem {
		st := steps[i]
		for len(masks) > 0 && masks[0].At <= st.at {
			mask, masks = masks[0].Mask, masks[1:]
		}
		form := forms.byte()
		s := &d.sites[st.site]
		if mask == ^uint32(0) && form&^(formStride|formBase) == shapeLanes && !s.bulk { // as a rule
			base := d.base(s, form)
			mem[i] = trace.Access{Base: base, Stride: s.stride, Count: 32}
			continue
		}
		var a trace.Access
		ok := true
		switch {
		case form == shapeNone:
		case s.bulk:
			a, ok = d.bulkAccess(b, st.site, form)
		case mask == 0:
		case form&formCount != 0:
			ok = false
		case form&shapeMask == shapeLanes:
			a, ok = d.laneAccess(b, st.site, form, mask)
		case form&shapeMask == shapeIndex:
			a = d.indexAccess(st.site, form, mask)
		case form&shapeMask <= shapeScaled:
			a, ok = d.listAccess(b, st.site, form, mask)
		default:
			ok = false
		}
		if !ok {
			return errBlock
		}
		if a.List != 0 {
			a.List = uint32(len(b.lists) - listLo - int(a.Count) + 1)
		}
		mem[i] = a
	}
	return nil
}

// base reads base and stride of a site.
func (d *ctaDecoder) base(s *site, form byte) uint64 {
	base := s.predict(d.warp, d.cta)
	if form&formStride != 0 {
		s.stride = int32(d.cols[colStride].int())
	}
	if form&formBase != 0 {
		base += uint64(d.cols[colBase].int())
	}
	s.put(base, d.warp, d.cta)
	return base
}

// bulkAccess reads the access of a bulk copy.
func (d *ctaDecoder) bulkAccess(b *ctaBlock, id uint32, form byte) (trace.Access, bool) {
	s := &d.sites[id]
	n := d.cols[colCount].uint()
	if n == 0 || n > maxAddresses {
		return trace.Access{}, false
	}
	switch form & shapeMask {
	case shapeIndex:
		a := trace.Access{Base: d.base(s, form), Stride: s.stride, Count: uint32(n)}
		if n == 1 {
			a.Stride = 0
		}
		return a, true
	case shapeList, shapeScaled:
		if n > d.sizes.lists-uint64(len(b.lists)) {
			return trace.Access{}, false
		}
		list := b.lists[len(b.lists):][:n]
		d.deltaList(s, form, list)
		b.lists = b.lists[:len(b.lists)+int(n)]
		return trace.Access{Count: uint32(n), List: 1}, true
	}
	return trace.Access{}, false
}

// indexAccess reads base and stride of active lanes.
func (d *ctaDecoder) indexAccess(id uint32, form byte, mask uint32) trace.Access {
	s := &d.sites[id]
	a := trace.Access{Base: d.base(s, form), Stride: s.stride, Count: uint32(bits.OnesCount32(mask))}
	if a.Count <= 2 {
		setLanes(&d.lanes[id], mask, a.Base, a.Base+uint64(int64(a.Stride)))
	}
	if a.Count == 1 {
		a.Stride = 0
	}
	return a
}

// listAccess reads a list, or makes it from the lanes' last addresses.
func (d *ctaDecoder) listAccess(b *ctaBlock, id uint32, form byte, mask uint32) (trace.Access, bool) {
	n := bits.OnesCount32(mask)
	list := b.lists[len(b.lists):][:n] // begin left room for one list too many
	if form&shapeMask >= shapeList {
		d.deltaList(&d.sites[id], form, list)
		d.lanes[id].set(mask, list)
	} else if !d.followList(id, form, mask, list) {
		return trace.Access{}, false
	}
	if stride, ok := progression(list); ok {
		return trace.Access{Base: list[0], Stride: stride, Count: uint32(n)}, true
	}
	if uint64(n) > d.sizes.lists-uint64(len(b.lists)) {
		return trace.Access{}, false
	}
	b.lists = b.lists[:len(b.lists)+n]
	return trace.Access{Count: uint32(n), List: 1}, true
}

// laneAccess reads an access whose lanes have base + lane·stride.
func (d *ctaDecoder) laneAccess(b *ctaBlock, id uint32, form byte, mask uint32) (trace.Access, bool) {
	s := &d.sites[id]
	base, stride := d.base(s, form), s.stride
	if mask == ^uint32(0) {
		return trace.Access{Base: base, Stride: stride, Count: 32}, true
	}
	n := bits.OnesCount32(mask)
	first := bits.TrailingZeros32(mask)
	at := func(lane int) uint64 { return base + uint64(int64(lane)*int64(stride)) }
	if n <= 2 {
		setLanes(&d.lanes[id], mask, at(first), at(31-bits.LeadingZeros32(mask)))
		if n == 1 {
			return trace.Access{Base: at(first), Count: 1}, true
		}
	}
	if stride == 0 {
		return trace.Access{Base: base, Count: uint32(n)}, true
	}
	if step := laneStep(mask); step > 0 {
		return trace.Access{Base: at(first), Stride: stride * step, Count: uint32(n)}, true
	}
	if uint64(n) > d.sizes.lists-uint64(len(b.lists)) {
		return trace.Access{}, false
	}
	for m := mask; m != 0; m &= m - 1 {
		b.lists = append(b.lists, at(bits.TrailingZeros32(m)))
	}
	return trace.Access{Count: uint32(n), List: 1}, true
}

// setLanes stores the addresses of a mask of one or two lanes.
func setLanes(v *lanes, mask uint32, first, second uint64) {
	v[bits.TrailingZeros32(mask)&31] = first
	if mask &= mask - 1; mask != 0 {
		v[bits.TrailingZeros32(mask)&31] = second
	}
}

// deltaList reads a list of differences.
func (d *ctaDecoder) deltaList(s *site, form byte, list []uint64) {
	a := d.base(s, form&^formStride)
	list[0] = a
	shift := uint8(0)
	if form&shapeMask == shapeScaled {
		shift = s.width & 63
	}
	v := &d.cols[colDelta]
	for i := 1; i < len(list); i++ {
		a += uint64(v.int()) << shift
		list[i] = a
	}
}

// followList makes a list from the lanes' last addresses.
func (d *ctaDecoder) followList(id uint32, form byte, mask uint32, list []uint64) bool {
	s := &d.sites[id]
	from, k := id, 0
	if form&shapeMask == shapeOther {
		if form&formStride != 0 {
			u := d.cols[colStride].uint()
			if u >= uint64(len(d.sites)) {
				return false
			}
			s.other = uint32(u)
		}
		from, k = s.other, 1
	}
	c := s.c[k]
	if form&formBase != 0 {
		c += uint64(d.cols[colBase].int())
	}
	s.c[k] = c
	follow(list, &d.lanes[id], &d.lanes[from], mask, d.sites[from].width, s.width, c)
	return true
}

// follow makes the addresses of the active lanes, scale(from) + c, and stores
// them in to as well.
func follow(list []uint64, to, from *lanes, mask uint32, wf, wt uint8, c uint64) {
	var left, right uint8
	if wt >= wf {
		left = (wt - wf) & 63
	} else {
		right = (wf - wt) & 63
	}
	if mask == ^uint32(0) {
		l := (*lanes)(list)
		for i := range l {
			l[i] = from[i]<<(left&63)>>(right&63) + c
		}
		*to = *l
		return
	}
	for i := range list {
		lane := bits.TrailingZeros32(mask) & 31
		mask &= mask - 1
		a := from[lane]<<(left&63)>>(right&63) + c
		list[i], to[lane] = a, a
	}
}

// set stores the addresses of the active lanes.
func (v *lanes) set(mask uint32, list []uint64) {
	if mask == ^uint32(0) {
		*v = lanes(list)
		return
	}
	for _, a := range list {
		v[bits.TrailingZeros32(mask)&31] = a
		mask &= mask - 1
	}
}
