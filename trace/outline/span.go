package outline

import (
	"math/bits"

	"gpureplay/trace"
)

// span is one run of a loop by a warp: the steps of its path from one on, before
// another, and the step at which each pass begins.
type span struct {
	loop   *Loop
	lo, hi int
	passes []int
}

// spans calls do with each run of a loop in a path. loops are all loops of the function.
func spans(loops []*Loop, insts []trace.Inst, path []uint32, do func(s *span)) {
	var s span
	for i := 0; i < len(path); {
		l := at(loops, &insts[path[i]])
		if l == nil {
			i++
			continue
		}
		s = span{loop: l, lo: i, passes: s.passes[:0]}
		for ; i < len(path) && l.has(&insts[path[i]]); i++ {
			if insts[path[i]].PC == l.Header && (i == s.lo || back(&insts[path[i-1]], &insts[path[i]])) {
				s.passes = append(s.passes, i)
			}
		}
		s.hi = i
		do(&s)
	}
}

// at returns the loop that an instruction lies in.
func at(loops []*Loop, in *trace.Inst) *Loop {
	for _, l := range loops {
		if l.has(in) {
			return l
		}
	}
	return nil
}

// trips counts the iterations of each lane: the passes that it begins.
func (s *span) trips(masks []uint32) (n [32]uint32, lanes uint32) {
	for _, p := range s.passes {
		lanes |= masks[p]
		for m := masks[p]; m != 0; m &= m - 1 {
			n[bits.TrailingZeros32(m)]++
		}
	}
	return n, lanes
}

// midway is why a loop cannot become a child that some lane enters behind its header, or
// comes back to from a function that it called.
const midway = "entered midway"

// midway reports whether a lane runs a step before it has begun a pass.
func (s *span) midway(masks []uint32) bool {
	begun, next := uint32(0), 0
	for i := s.lo; i < s.hi; i++ {
		if next < len(s.passes) && s.passes[next] == i {
			begun |= masks[i]
			next++
		}
		if masks[i]&^begun != 0 {
			return true
		}
	}
	return false
}

// expand writes the mask of each step.
func expand(masks []uint32, w *trace.Warp) []uint32 {
	masks = masks[:0]
	next, mask := 0, ^uint32(0)
	for i := range w.Path {
		for next < len(w.Masks) && int(w.Masks[next].At) <= i {
			mask = w.Masks[next].Mask
			next++
		}
		masks = append(masks, mask)
	}
	return masks
}

// measure adds a run to the figures of its loop.
func (s *span) measure(insts []trace.Inst, w *trace.Warp, masks []uint32) {
	l := s.loop
	n, lanes := s.trips(masks)
	if s.midway(masks) {
		l.refuse(midway)
	}
	l.Runs++
	l.Passes += uint64(len(s.passes))
	l.Lanes += uint64(bits.OnesCount32(lanes))
	l.Slots += uint64(len(s.passes)) * uint64(bits.OnesCount32(lanes))
	least, most := ^uint32(0), uint32(0)
	for m := lanes; m != 0; m &= m - 1 {
		k := n[bits.TrailingZeros32(m)]
		least, most = min(least, k), max(most, k)
		l.Iterations += uint64(k)
	}
	l.Longest = max(l.Longest, most)
	l.Divergent = l.Divergent || least < most
	for _, i := range w.Path[s.lo:s.hi] {
		if !l.insts[i] {
			l.insts[i] = true
			if why := obstacle(&insts[i]); why != "" {
				l.refuse(why)
			}
		}
	}
}
