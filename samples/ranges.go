package samples

import (
	"math"

	"gpureplay/trace"
)

// Index gives the element of an array that the thread (x, y, z) of a CTA
// accesses, as the kernel's source computes it. It may lie outside the array.
type Index func(x, y, z int) int

// Range states that the CTA may access the array through these index functions, as the sampling method of the CRCS
// paper (section 4.2.1) finds it: every function is evaluated at the corners of the CTA (each thread coordinate 0
// or its last), the lowest and the highest value are the bounds, cut at the allocation. Several calls for one array
// make one range, of both directions, as the paper's profiler calls SetRange once per array.
//
// Points that the paper leaves open:
//
//  1. The bounds of a loop are part of the index functions: a caller passes one function for the first and one for
//     the last iteration, which bound every affine function between them.
//  2. The branches of a conditional are all passed, whatever the condition, which is the paper's sampling of both
//     cases.
//  3. The bounds cover all functions together, and are cut at the allocation in the end; a range that lies wholly
//     outside it is dropped.
func (b *Block) Range(a Array, mode trace.Mode, index ...Index) {
	s := b.span(a)
	s.mode |= mode
	for _, f := range index {
		for corner := range 8 {
			x := corner & 1 * int(b.Dim[0]-1)
			y := corner >> 1 & 1 * int(b.Dim[1]-1)
			z := corner >> 2 * int(b.Dim[2]-1)
			i := f(x, y, z)
			s.lo, s.hi = min(s.lo, i), max(s.hi, i)
		}
	}
}

// RangeAll states that the CTA may access the whole array.
func (b *Block) RangeAll(a Array, mode trace.Mode) {
	s := b.span(a)
	s.mode |= mode
	s.lo, s.hi = min(s.lo, 0), max(s.hi, a.Len-1)
}

// span is the part of an array that a CTA may touch: elements lo to hi, not yet cut at the allocation.
type span struct {
	array  Array
	mode   trace.Mode
	lo, hi int
}

// span returns the CTA's span of an array, empty at first.
func (b *Block) span(a Array) *span {
	for i := range b.spans {
		if b.spans[i].array.Index == a.Index {
			return &b.spans[i]
		}
	}
	b.spans = append(b.spans, span{array: a, lo: math.MaxInt, hi: math.MinInt})
	return &b.spans[len(b.spans)-1]
}

// ranges returns the stated spans inside their allocations.
func (b *Block) ranges() []trace.Range {
	b.cut = b.cut[:0]
	for _, s := range b.spans {
		if lo, hi := max(s.lo, 0), min(s.hi, s.array.Len-1); lo <= hi {
			e := s.array.Elem
			b.cut = append(b.cut, trace.Range{Array: s.array.Index, Mode: s.mode, Lo: uint64(lo) * e, Hi: uint64(hi+1) * e})
		}
	}
	return b.cut
}
