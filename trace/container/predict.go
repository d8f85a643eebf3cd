package container

import "math/bits"

// Prediction of addresses, the same in writer and reader. A site is a static
// memory instruction within a block; its state starts at zero in every block, so
// that a block needs nothing before it.

// shape is how one access is stored: the low three bits of its form byte.
type shape = byte

const (
	shapeLanes  shape = 0 // base + lane·stride
	shapeNone   shape = 1 // no address
	shapeIndex  shape = 2 // base + i·stride, i counts active lanes (or elements)
	shapeSelf   shape = 3 // each lane's last address at this site + c
	shapeOther  shape = 4 // each lane's last address at another site, scaled by width, + c
	shapeList   shape = 5 // differences from address to address
	shapeScaled shape = 6 // the same, in units of the width

	shapeMask  = 7
	formCount  = 1 << 3 // a count follows; else one for each active lane
	formStride = 1 << 4 // a stride (or, of shapeOther, a site) follows; else the site's last
	formBase   = 1 << 5 // a difference of base (or c) from the prediction follows
)

// stride2 predicts a value by the one before and a stride that changes once a
// difference is seen twice.
type stride2 struct {
	last, stride, seen uint64
}

func (s *stride2) next() uint64 { return s.last + s.stride }

func (s *stride2) put(v uint64) {
	d := v - s.last
	if d == s.seen {
		s.stride = d
	}
	s.seen, s.last = d, v
}

// site is the state of one static memory instruction.
type site struct {
	loop, warp, cta stride2 // base of lane 0: at each execution, at the first of a warp, at the first of a CTA
	inWarp, inCTA   uint32  // numbers of the warp and CTA of the last execution
	stride          int32
	width           uint8 // log2 of the width in bytes
	bulk            bool
	odd             bool // the width is no power of two
	other           uint32
	c               [2]uint64 // last constant of shapeSelf and shapeOther
}

// predict returns the expected base of lane 0.
func (s *site) predict(warp, cta uint32) uint64 {
	switch {
	case s.inWarp == warp:
		return s.loop.next()
	case s.inCTA == cta:
		return s.warp.next()
	}
	return s.cta.next()
}

// put tells the base of lane 0.
func (s *site) put(base uint64, warp, cta uint32) {
	switch {
	case s.inWarp == warp:
		s.loop.put(base)
		return
	case s.inCTA == cta:
		s.warp.put(base)
	default:
		s.cta.put(base)
		s.warp.last = base
		s.inCTA = cta
	}
	s.loop.last = base
	s.inWarp = warp
}

// lanes are the last address of each lane at a site.
type lanes [32]uint64

// scale converts an address of a site of width 2^from to one of width 2^to.
func scale(v uint64, from, to uint8) uint64 {
	if to >= from {
		return v << ((to - from) & 63)
	}
	return v >> ((from - to) & 63)
}

// laneStep returns the distance of the lanes of a mask that are equally far
// apart, and 0 if they are not. A mask of one lane has distance 1.
func laneStep(mask uint32) int32 {
	m := uint64(mask) >> bits.TrailingZeros32(mask)
	if m == 1 {
		return 1
	}
	d := bits.TrailingZeros64(m &^ 1)
	n := bits.OnesCount64(m)
	if m == lanePattern[d]&(1<<((n-1)*d+1)-1) {
		return int32(d)
	}
	return 0
}

// lanePattern[d] has the bits 0, d, 2d, ...
var lanePattern = func() (p [33]uint64) {
	for d := 1; d <= 32; d++ {
		for i := 0; i < 64; i += d {
			p[d] |= 1 << i
		}
	}
	return p
}()

// progression reports whether the addresses are base + i·stride for a stride
// within 32 bits, and gives the stride.
func progression(list []uint64) (int32, bool) {
	if len(list) < 2 {
		return 0, true
	}
	d := list[1] - list[0]
	if int64(d) != int64(int32(d)) {
		return 0, false
	}
	for i := 2; i < len(list); i++ {
		if list[i]-list[i-1] != d {
			return 0, false
		}
	}
	return int32(d), true
}
