package container

import (
	"gpureplay/trace"
	"math/bits"
)

// A list of masks is stored as the number of runs and, for each, the distance
// from the run before and how the mask follows from the masks before it.
const (
	recentMasks = 8               // 0..7: one of the last masks of the list, the latest first
	maskPart    = recentMasks     // a part of the one before: which of its lanes
	maskRest    = recentMasks + 1 // the one before that, without the one before
	maskNew     = recentMasks + 2 // all 32 bits
)

// masks are the last masks of a list, the latest first.
type masks [recentMasks]uint32

func newMasks() masks { return masks{^uint32(0)} }

func (m *masks) put(mask uint32, from int) {
	copy(m[1:from+1], m[:from])
	m[0] = mask
}

func encodeMasks(c, bitsOf *column, runs []trace.MaskRun) {
	c.uint(uint64(len(runs)))
	m := newMasks()
	at := uint32(0)
	for _, r := range runs {
		c.uint(uint64(r.At - at))
		at = r.At
		from, how := recentMasks-1, maskNew
		for i, v := range m {
			if v == r.Mask {
				from, how = i, i
				break
			}
		}
		switch {
		case how < recentMasks:
		case m[1]&^m[0] == r.Mask:
			how = maskRest
		case r.Mask&^m[0] == 0:
			how = maskPart
			bitsOf.uint(uint64(compress(r.Mask, m[0])))
		default:
			bitsOf.uint(uint64(r.Mask))
		}
		*c = append(*c, byte(how))
		m.put(r.Mask, from)
	}
}

// decodeMasks reads one list into dst, whose length is the list's.
func decodeMasks(v, bitsOf *values, dst []trace.MaskRun, steps int) bool {
	m := newMasks()
	at := uint64(0)
	for i := range dst {
		gap := v.uint()
		if at += gap; i > 0 && gap == 0 || at >= uint64(steps) {
			return false
		}
		mask, from := uint32(0), recentMasks-1
		switch how := v.byte(); {
		case how < recentMasks:
			mask, from = m[how], int(how)
		case how == maskPart:
			mask = expand(uint32(bitsOf.uint()), m[0])
		case how == maskRest:
			mask = m[1] &^ m[0]
		case how == maskNew:
			u := bitsOf.uint()
			if u>>32 != 0 {
				return false
			}
			mask = uint32(u)
		default:
			return false
		}
		m.put(mask, from)
		dst[i] = trace.MaskRun{At: uint32(at), Mask: mask}
	}
	return !v.bad && !bitsOf.bad
}

// compress gathers the bits of v at the set bits of mask, lowest first.
func compress(v, mask uint32) (out uint32) {
	for i := 0; mask != 0; i++ {
		low := bits.TrailingZeros32(mask)
		out |= v >> low & 1 << i
		mask &= mask - 1
	}
	return out
}

// expand is the inverse of compress.
func expand(v, mask uint32) (out uint32) {
	for ; v != 0 && mask != 0; v >>= 1 {
		if v&1 != 0 {
			out |= mask & -mask
		}
		mask &= mask - 1
	}
	return out
}
