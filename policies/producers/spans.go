package producers

import (
	"cmp"
	"slices"

	"gpureplay/trace"
)

// Spans says where a kernel's CTAs read and write.
type Spans uint8

const (
	Ranges    Spans = iota // the ranges that the trace states of each CTA; of irregular kernels nothing is known
	Addresses              // its warps' addresses, or else the spans that it touches, or else such ranges
)

// span is a part of an array, in words, that a CTA may touch.
type span struct {
	array, cta uint32 // of addresses array 0 is memory as a whole
	lo, hi     uint64
	most       uint64 // largest hi of this one and those before it of its array
}

// spanList collects the spans of a kernel.
type spanList struct {
	prog *trace.Program
	head *trace.Kernel
	code *trace.Function
	all  [2][]span // reads and writes
	own  [2][]span // of the CTA at hand
	wide bool      // spans are whole pages: there are many
}

const (
	wordShift = 2
	pageShift = 12 // of words and pages in bytes
	mostSpans = 1 << 20
)

func newSpanList(p *trace.Program, head *trace.Kernel) *spanList {
	return &spanList{prog: p, head: head, code: &p.Functions[head.Function]}
}

// kernel reports whether anything may be known of a kernel.
func (x Spans) kernel(s *spanList) bool {
	return x == Addresses || s.head.Flags&trace.KernelIrregular == 0
}

// cta adds the spans of a CTA. It reports whether they are known.
func (x Spans) cta(s *spanList, c *trace.CTA) bool {
	if x == Ranges {
		for _, r := range c.Ranges {
			s.add(r.Mode, span{r.Array, c.ID, r.Lo >> wordShift, (r.Hi + 3) >> wordShift, 0})
		}
		s.keep()
		return len(c.Ranges) > 0
	}
	ranges := c.Touches
	if len(ranges) == 0 && s.head.Flags&trace.KernelIrregular == 0 {
		ranges = c.Ranges
	}
	if len(c.Warps) > 0 {
		s.addresses(c)
		ranges = nil
	}
	for _, r := range ranges {
		base := s.prog.Arrays[r.Array].Base
		s.add(r.Mode, s.span(c.ID, base+r.Lo, base+r.Hi))
	}
	s.join()
	s.keep()
	return len(c.Warps)+len(ranges) > 0
}

// span is the bytes from lo to hi, without it.
func (s *spanList) span(cta uint32, lo, hi uint64) span {
	if s.wide {
		lo, hi = lo>>pageShift<<pageShift, (hi+1<<pageShift-1)>>pageShift<<pageShift
	}
	return span{0, cta, lo >> wordShift, (hi + 3) >> wordShift, 0}
}

func (s *spanList) add(mode trace.Mode, x span) {
	if mode&trace.Read != 0 {
		s.own[0] = append(s.own[0], x)
	}
	if mode&trace.Write != 0 {
		s.own[1] = append(s.own[1], x)
	}
}

// addresses adds the global accesses of a CTA's warps.
func (s *spanList) addresses(c *trace.CTA) {
	for i := range c.Warps {
		w := &c.Warps[i]
		for in, a := range w.Accesses(s.code.Insts) {
			if in.Global() {
				EachSpan(a, w.Lists, in.Width, func(lo, hi uint64) { s.add(in.Mode(), s.span(c.ID, lo, hi)) })
			}
		}
	}
}

// EachSpan calls do with the bytes of an access, lo to hi, without hi.
func EachSpan(a *trace.Access, lists []uint64, width uint32, do func(lo, hi uint64)) {
	wide := uint64(max(width, 1))
	if a.List == 0 && a.Count > 0 && a.Stride >= 0 && uint64(a.Stride) <= wide {
		do(a.Base, a.Base+uint64(a.Stride)*uint64(a.Count-1)+wide)
		return
	}
	for at := range a.Addresses(lists) {
		do(at, at+wide)
	}
}

func compare(a, b span) int {
	return cmp.Or(cmp.Compare(a.array, b.array), cmp.Compare(a.lo, b.lo), cmp.Compare(a.cta, b.cta))
}

// join makes the spans of the CTA at hand as few as they can be.
func (s *spanList) join() {
	for i, list := range s.own {
		slices.SortFunc(list, compare)
		n := 0
		for _, x := range list {
			if n > 0 && list[n-1].hi >= x.lo {
				list[n-1].hi = max(list[n-1].hi, x.hi)
				continue
			}
			list[n] = x
			n++
		}
		s.own[i] = list[:n]
	}
}

// keep takes the spans of the CTA at hand into the kernel's.
func (s *spanList) keep() {
	for i := range s.own {
		s.all[i] = append(s.all[i], s.own[i]...)
		s.own[i] = s.own[i][:0]
	}
	s.wide = s.wide || len(s.all[0])+len(s.all[1]) > mostSpans
}

// sorted returns all spans.
func (s *spanList) sorted() [2][]span {
	for _, list := range s.all {
		slices.SortFunc(list, compare)
		for i := range list {
			list[i].most = list[i].hi
			if i > 0 && list[i-1].array == list[i].array {
				list[i].most = max(list[i].hi, list[i-1].most)
			}
		}
	}
	return s.all
}

// overlapping adds the CTAs of the spans that s shares words with, each once, and at most one more than most.
func overlapping(list []uint32, spans []span, s *span, most int) []uint32 {
	end, _ := slices.BinarySearchFunc(spans, s, func(x span, s *span) int {
		return cmp.Or(cmp.Compare(x.array, s.array), cmp.Compare(x.lo, s.hi))
	})
	for i := end - 1; i >= 0 && len(list) <= most && spans[i].array == s.array && spans[i].most > s.lo; i-- {
		if spans[i].hi > s.lo && !slices.Contains(list, spans[i].cta) {
			list = append(list, spans[i].cta)
		}
	}
	return list
}
