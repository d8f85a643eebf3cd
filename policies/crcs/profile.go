package crcs

import (
	"gpureplay/model"
	"gpureplay/model/memory/timing"
	"gpureplay/trace"
)

// Cost of the profilers that CRCS adds to a kernel. One thread per CTA executes this many instructions for each
// array that it states a range of, and updates one counter per page and mode (CRCS/PPCS paper, section 4.2). The
// number comes from figure 7(b): an address, a minimum and a maximum for each of two bounds, and the call.
const profilerInsts = 8

// footprint lists the pages that a CTA may touch: the pages of its stated ranges, or of the hull of its accesses in
// each array, or exactly the touched pages.
func (p *pageTable) footprint(c *trace.CTA, k *kernel, dst []touch) []touch {
	p.stamp++
	dst = dst[:0]
	switch {
	case len(c.Ranges) > 0 && (!p.board.Exact || k.stated() && len(c.Touches) == 0):
		return p.ranges(c.Ranges, dst)
	case len(c.Touches) > 0:
		return p.ranges(c.Touches, dst)
	}
	p.hulls = p.hulls[:0]
	for i := range c.Warps {
		w := &c.Warps[i]
		next := 0
		for _, step := range w.Path {
			o := &k.touches[step]
			if !o.carried {
				continue
			}
			a := &w.Mem[next]
			next++
			if !o.paged || a.Count == 0 {
				continue
			}
			if p.board.Exact {
				dst = p.exact(a, w.Lists, o, dst)
			} else {
				p.widen(a, w.Lists, o)
			}
		}
	}
	for _, h := range p.hulls {
		dst = p.touch(h.lo, h.hi, h.mode, dst)
	}
	return dst
}

// hull is the span of a CTA's accesses of one mode in one array.
type hull struct {
	array  uint32
	mode   trace.Mode
	lo, hi uint64 // byte addresses, hi exclusive
}

// access is the array and the mode of an instruction's accesses.
type access struct {
	width   uint32
	mode    trace.Mode
	carried bool // the trace has addresses for it
	paged   bool // of memory that pages are of
}

// accesses lists the accesses of each instruction of a function.
func (p *pageTable) accesses(function uint32) []access {
	insts := p.prog.Functions[function].Insts
	list := p.functions[function]
	for i := len(list); i < len(insts); i++ {
		in := &insts[i]
		list = append(list, access{in.Width, in.Mode(), in.Mem(), in.Global()})
	}
	p.functions[function] = list
	return list
}

// widen takes an access into the hulls of the arrays that it touches.
func (p *pageTable) widen(a *trace.Access, lists []uint64, o *access) {
	if lo, hi, ok := affine(a); ok {
		i, j := p.find(lo>>p.shift), p.find(hi>>p.shift)
		if i < 0 && j < 0 {
			return
		}
		if i >= 0 && j >= 0 {
			if x := p.arrayAt(lo, i); x == p.arrayAt(hi, j) {
				p.stretch(x, o.mode, lo, hi+uint64(o.width))
				return
			}
		}
	}
	for addr := range a.Addresses(lists) {
		if i := p.find(addr >> p.shift); i >= 0 {
			p.stretch(p.arrayAt(addr, i), o.mode, addr, addr+uint64(o.width))
		}
	}
}

// stretch takes a span of addresses into the hull of an array and mode.
func (p *pageTable) stretch(array uint32, mode trace.Mode, lo, hi uint64) {
	for j := range p.hulls {
		if h := &p.hulls[j]; h.array == array && h.mode == mode {
			h.lo, h.hi = min(h.lo, lo), max(h.hi, hi)
			return
		}
	}
	p.hulls = append(p.hulls, hull{array, mode, lo, hi})
}

// affine returns the lowest and the highest address of an access with a stride.
func affine(a *trace.Access) (lo, hi uint64, ok bool) {
	if a.List != 0 || a.Count == 0 {
		return 0, 0, false
	}
	last := a.Base + uint64(int64(a.Stride)*int64(a.Count-1))
	return min(a.Base, last), max(a.Base, last), true
}

// arrayAt returns the array that an address lies in; where arrays share a page,
// the page's first.
func (p *pageTable) arrayAt(addr uint64, i int32) uint32 {
	arrays := p.prog.Arrays
	n := p.pages[i].array
	if a := &arrays[n]; addr-a.Base < a.Bytes {
		return n
	}
	for j := range arrays {
		if a := &arrays[j]; addr-a.Base < a.Bytes {
			return uint32(j)
		}
	}
	return n
}

// exact adds the pages of an access. With a stride up to a page these are all pages from the first to the last.
func (p *pageTable) exact(a *trace.Access, lists []uint64, o *access, dst []touch) []touch {
	if lo, hi, ok := affine(a); ok && max(int64(a.Stride), -int64(a.Stride)) <= 1<<p.shift {
		return p.touch(lo, hi+uint64(o.width), o.mode, dst)
	}
	for addr := range a.Addresses(lists) {
		dst = p.touch(addr, addr+uint64(o.width), o.mode, dst)
	}
	return dst
}

func (p *pageTable) ranges(rs []trace.Range, dst []touch) []touch {
	for i := range rs {
		r := &rs[i]
		if int(r.Array) >= len(p.prog.Arrays) {
			continue
		}
		a := &p.prog.Arrays[r.Array]
		if hi := min(r.Hi, a.Bytes); hi > r.Lo { // bytes beyond the allocation are ignored, as in section 4.2
			dst = p.touch(a.Base+r.Lo, a.Base+hi, r.Mode, dst)
		}
	}
	return dst
}

// touch adds the pages of a span of addresses; a page that the CTA has touched
// before takes the mode into its entry.
func (p *pageTable) touch(lo, hi uint64, mode trace.Mode, dst []touch) []touch {
	i := int32(-1)
	for n := lo >> p.shift; n <= (hi-1)>>p.shift; n++ {
		if i++; i == 0 || int(i) >= len(p.pages) || p.pages[i].number != n {
			if i = p.find(n); i < 0 {
				continue
			}
		}
		pg := &p.pages[i]
		if pg.stamp != p.stamp {
			pg.stamp = p.stamp
			pg.mark = int32(len(dst))
			dst = append(dst, touch{i, mode})
			continue
		}
		dst[pg.mark].mode |= mode
	}
	return dst
}

// profile walks all CTAs of a kernel, raises the counts of the pages that they
// may touch, and returns how long the pre-profiler takes.
func (p *pageTable) profile(k *kernel, t model.Time) (model.Time, error) {
	updates, ctas, arrays := 0, 0, 1
	err := p.u.m.CTAs(k.ID, func(c *trace.CTA) {
		ctas++
		arrays = max(arrays, len(c.Ranges))
		p.scratch = p.footprint(c, k, p.scratch)
		updates += len(p.scratch)
		for _, x := range p.scratch {
			p.count(k, x, t)
		}
	})
	if err != nil || !p.board.ProfilerCost {
		return 0, err
	}
	return p.profilerCycles(ctas, arrays, updates), nil
}

// profilerCycles is the time of a pre-profiler. It runs as a kernel of one thread per CTA beside the others. Its
// bound is one thread's chain of instructions, issue, or the counters: each L2 slice updates one a cycle of the
// L2's clock, as it takes requests.
func (p *pageTable) profilerCycles(ctas, arrays, updates int) model.Time {
	c := p.u.cfg
	insts := profilerInsts * arrays
	chain := insts * (c.Exec.Int.Latency + c.SM.PipelineDepth)
	issue := ceilDiv(ctas*insts, c.SM.Count*c.SM.Schedulers)
	l2 := timing.NewRatio(c.Clock.L2MHz, c.Clock.CoreMHz)
	counters := l2.Back(model.Time(ceilDiv(updates, c.L2.Slices)))
	return model.Time(c.KMU.DispatchLatency+c.L2.Latency) + max(model.Time(chain), model.Time(issue), counters)
}

// postCycles is the time that the post-profiler adds to a CTA: its own chain of instructions, and one counter a
// cycle.
func (p *pageTable) postCycles(c *trace.CTA, pages int) model.Time {
	if !p.board.ProfilerCost {
		return 0
	}
	arrays := max(1, len(c.Ranges))
	return model.Time(profilerInsts*arrays*(p.u.cfg.Exec.Int.Latency+p.u.cfg.SM.PipelineDepth) + pages)
}

func ceilDiv(n, d int) int { return (n + d - 1) / d }
