package samples

import "gpureplay/trace"

// Index gives the element of an array that the thread (x, y, z) of a CTA
// accesses, as the kernel's source computes it. It may lie outside the array.
type Index func(x, y, z int) int

// Range states that the CTA may access the array through these index functions,
// as the sampling method of the CRCS paper (section 4.2.1) finds it: every
// function is evaluated at the corners of the CTA (each thread coordinate 0 or
// its last), the lowest and the highest value are the bounds, and what exceeds
// the allocation is ignored. Several calls for one array make one range, of both
// directions, as the paper's profiler calls SetRange once per array.
//
// What the paper leaves open:
//
//  1. The bounds of a loop are part of the index functions: a caller passes one
//     function for the first and one for the last iteration, which bound every
//     affine function between them.
//  2. The branches of a conditional are all passed, whatever the condition, which
//     is the paper's sampling of both cases.
//  3. A range that lies wholly outside the allocation is dropped.
func (b *Block) Range(a Array, mode trace.Mode, index ...Index) {
	lo, hi := int(^uint(0)>>1), -1<<62
	for _, f := range index {
		for corner := range 8 {
			x := corner & 1 * int(b.Dim[0]-1)
			y := corner >> 1 & 1 * int(b.Dim[1]-1)
			z := corner >> 2 * int(b.Dim[2]-1)
			i := f(x, y, z)
			lo, hi = min(lo, i), max(hi, i)
		}
	}
	lo, hi = max(lo, 0), min(hi, a.Len-1)
	if lo > hi {
		return
	}
	b.addRange(trace.Range{Array: a.Index, Mode: mode, Lo: uint64(lo) * a.Elem, Hi: uint64(hi+1) * a.Elem})
}

// RangeAll states that the CTA may access the whole array.
func (b *Block) RangeAll(a Array, mode trace.Mode) {
	b.addRange(trace.Range{Array: a.Index, Mode: mode, Hi: a.Bytes()})
}

func (b *Block) addRange(r trace.Range) {
	for i := range b.ranges {
		if old := &b.ranges[i]; old.Array == r.Array {
			old.Mode |= r.Mode
			old.Lo, old.Hi = min(old.Lo, r.Lo), max(old.Hi, r.Hi)
			return
		}
	}
	b.ranges = append(b.ranges, r)
}
