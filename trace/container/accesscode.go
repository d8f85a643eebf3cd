package container

import (
	"gpureplay/trace"
	"math/bits"
)

// recentSites is how many sites an encoder tries as the origin of addresses.
const recentSites = 4

// accessEncoder stores accesses in the columns of a section of CTAs.
type accessEncoder struct {
	sites     []site
	lanes     []lanes
	recent    [recentSites]uint32
	warp, cta uint32 // running numbers, from 1
	addrs     [32]uint64
}

func (e *accessEncoder) reset() {
	e.sites, e.lanes = e.sites[:0], e.lanes[:0]
	e.warp, e.cta = 0, 0
	e.recent = [recentSites]uint32{}
}

// newSite returns the number of a new site.
func (e *accessEncoder) newSite(in *trace.Inst) uint32 {
	e.sites = append(e.sites, makeSite(in))
	e.lanes = append(e.lanes, lanes{})
	return uint32(len(e.sites) - 1)
}

func makeSite(in *trace.Inst) site {
	return site{
		bulk:  in.Flags&trace.InstBulk != 0,
		odd:   in.Width&(in.Width-1) != 0,
		width: uint8(bits.TrailingZeros32(in.Width)),
	}
}

// encode stores an access in its one form (see canonicalAccess).
func (e *accessEncoder) encode(cols *[numCTAColumns]column, id uint32, mask uint32, a *trace.Access, list []uint64) {
	s := &e.sites[id]
	form := &cols[colForm]
	switch {
	case s.bulk:
		e.encodeBulk(cols, s, a, list)
		return
	case mask == 0:
		*form = append(*form, 0)
		return
	case a.Count == 0:
		*form = append(*form, shapeNone)
		return
	}
	n := bits.OnesCount32(mask)
	if base, stride, ok := strideAffine(mask, a); ok && n > 2 && stride == s.stride && base == s.predict(e.warp, e.cta) {
		*form = append(*form, 0) // as expected, the most frequent form
		s.put(base, e.warp, e.cta)
		return
	}
	addrs := e.expand(a, list, n)
	base, stride, affine := laneAffine(s, mask, a, addrs)
	best := e.choose(id, mask, addrs, base, stride, affine)
	if best.shape == shapeList && a.List == 0 {
		best = plan{shape: shapeIndex, base: a.Base, stride: a.Stride}
	}
	e.emit(cols, s, &best, addrs)
	e.remember(id, mask, &best, addrs)
}

// plan is a way to store an access.
type plan struct {
	shape  shape
	base   uint64 // or c
	stride int32
	other  uint32
	cost   int
}

func (e *accessEncoder) expand(a *trace.Access, list []uint64, n int) []uint64 {
	if a.List > 0 {
		return list
	}
	addrs := e.addrs[:n]
	v := a.Base
	for i := range addrs {
		addrs[i] = v
		v += uint64(int64(a.Stride))
	}
	return addrs
}

// strideAffine finds base and stride of lanes for an access that has base and
// stride of active lanes.
func strideAffine(mask uint32, a *trace.Access) (base uint64, stride int32, ok bool) {
	if a.List > 0 {
		return 0, 0, false
	}
	if a.Stride == 0 {
		return a.Base, 0, true
	}
	d := laneStep(mask)
	if d == 0 || a.Stride%d != 0 {
		return 0, 0, false
	}
	stride = a.Stride / d
	return a.Base - uint64(int64(bits.TrailingZeros32(mask))*int64(stride)), stride, true
}

// laneAffine finds base and stride such that the address of each active lane is
// base + lane·stride.
func laneAffine(s *site, mask uint32, a *trace.Access, addrs []uint64) (base uint64, stride int32, ok bool) {
	first := bits.TrailingZeros32(mask)
	switch {
	case len(addrs) == 1:
		stride = s.stride
	case a.List == 0:
		return strideAffine(mask, a)
	default:
		second := bits.TrailingZeros32(mask & (mask - 1))
		diff, gap := int64(addrs[1]-addrs[0]), int64(second-first)
		if diff%gap != 0 || diff/gap != int64(int32(diff/gap)) {
			return 0, 0, false
		}
		stride = int32(diff / gap)
	}
	base = addrs[0] - uint64(int64(first)*int64(stride))
	i := 0
	for m := mask; m != 0; m &= m - 1 {
		if addrs[i] != base+uint64(int64(bits.TrailingZeros32(m))*int64(stride)) {
			return 0, 0, false
		}
		i++
	}
	return base, stride, true
}

// choose takes the cheapest way to store the addresses.
func (e *accessEncoder) choose(id, mask uint32, addrs []uint64, base uint64, stride int32, affine bool) plan {
	s := &e.sites[id]
	best := plan{shape: shapeList, cost: 1 << 20}
	if affine {
		best = plan{shape: shapeLanes, base: base, stride: stride, cost: cost(base - s.predict(e.warp, e.cta))}
		if stride != s.stride {
			best.cost += 1 + cost(uint64(int64(stride)))
		}
		if best.cost == 0 {
			return best
		}
	}
	if c, ok := e.follows(id, id, mask, addrs); ok {
		if n := cost(c - s.c[0]); n < best.cost {
			best = plan{shape: shapeSelf, base: c, cost: n}
		}
	}
	e.tryOther(&best, s, id, s.other, 0, mask, addrs)
	for _, o := range e.recent {
		if o != s.other && best.cost > 2 {
			e.tryOther(&best, s, id, o, 2, mask, addrs)
		}
	}
	return best
}

func (e *accessEncoder) tryOther(best *plan, s *site, id, other uint32, extra int, mask uint32, addrs []uint64) {
	if other == id || extra >= best.cost {
		return
	}
	if c, ok := e.follows(id, other, mask, addrs); ok {
		if n := cost(c-s.c[1]) + extra; n < best.cost {
			*best = plan{shape: shapeOther, base: c, other: other, cost: n}
		}
	}
}

// follows reports whether each address is the lane's last one at the site from,
// scaled, plus a constant.
func (e *accessEncoder) follows(id, from, mask uint32, addrs []uint64) (c uint64, ok bool) {
	v, wf, wt := &e.lanes[from], e.sites[from].width, e.sites[id].width
	c = addrs[0] - scale(v[bits.TrailingZeros32(mask)&31], wf, wt)
	i := 0
	for m := mask; m != 0; m &= m - 1 {
		if addrs[i] != scale(v[bits.TrailingZeros32(m)&31], wf, wt)+c {
			return 0, false
		}
		i++
	}
	return c, true
}

// cost is the number of bytes of a difference, 0 for none.
func cost(d uint64) int {
	if d == 0 {
		return 0
	}
	return (bits.Len64(zigzag(int64(d))) + 6) / 7
}

// emit appends the form byte and the values that it announces.
func (e *accessEncoder) emit(cols *[numCTAColumns]column, s *site, p *plan, addrs []uint64) {
	form, expected := p.shape, uint64(0)
	switch p.shape {
	case shapeSelf:
		expected = s.c[0]
	case shapeOther:
		expected = s.c[1]
		if p.other != s.other {
			form |= formStride
			cols[colStride].uint(uint64(p.other))
		}
	case shapeList:
		p.base = addrs[0]
		if scaled(s, addrs) {
			form, p.shape = shapeScaled, shapeScaled
		}
		expected = s.predict(e.warp, e.cta)
	default:
		expected = s.predict(e.warp, e.cta)
		if p.stride != s.stride {
			form |= formStride
			cols[colStride].int(int64(p.stride))
		}
	}
	if p.base != expected {
		form |= formBase
		cols[colBase].int(int64(p.base - expected))
	}
	cols[colForm] = append(cols[colForm], form)
	if p.shape == shapeList || p.shape == shapeScaled {
		encodeDeltas(&cols[colDelta], s, p.shape, addrs)
	}
}

func encodeDeltas(c *column, s *site, p shape, addrs []uint64) {
	shift := uint8(0)
	if p == shapeScaled {
		shift = s.width
	}
	for i := 1; i < len(addrs); i++ {
		c.int(int64(addrs[i]-addrs[i-1]) >> shift)
	}
}

// scaled reports whether all differences are multiples of the width.
func scaled(s *site, addrs []uint64) bool {
	if s.odd || s.width == 0 {
		return false
	}
	low := uint64(0)
	for i := 1; i < len(addrs); i++ {
		low |= addrs[i] - addrs[i-1]
	}
	return low&(1<<s.width-1) == 0
}

// remember updates the site as the decoder does.
func (e *accessEncoder) remember(id, mask uint32, p *plan, addrs []uint64) {
	s := &e.sites[id]
	switch p.shape {
	case shapeSelf:
		s.c[0] = p.base
	case shapeOther:
		s.c[1], s.other = p.base, p.other
	case shapeList, shapeScaled:
		s.put(p.base, e.warp, e.cta)
	default:
		s.put(p.base, e.warp, e.cta)
		s.stride = p.stride
		if len(addrs) > 2 {
			return
		}
	}
	v := &e.lanes[id]
	i := 0
	for m := mask; m != 0; m &= m - 1 {
		v[bits.TrailingZeros32(m)&31] = addrs[i]
		i++
	}
	if e.recent[0] != id {
		copy(e.recent[1:], e.recent[:recentSites-1])
		e.recent[0] = id
	}
}

// encodeBulk stores the access of a bulk copy: its count, and base and stride or
// a list.
func (e *accessEncoder) encodeBulk(cols *[numCTAColumns]column, s *site, a *trace.Access, list []uint64) {
	if a.Count == 0 {
		cols[colForm] = append(cols[colForm], shapeNone)
		return
	}
	p := plan{shape: shapeIndex, base: a.Base, stride: a.Stride}
	if a.List > 0 {
		p = plan{shape: shapeList}
	}
	e.emit(cols, s, &p, list)
	cols[colForm][len(cols[colForm])-1] |= formCount
	cols[colCount].uint(uint64(a.Count))
	s.put(p.base, e.warp, e.cta)
	if a.List == 0 {
		s.stride = a.Stride
	}
}
