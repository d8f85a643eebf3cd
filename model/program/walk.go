package program

import (
	"math/bits"
	"sort"

	"gpureplay/model/hardware"
	"gpureplay/trace"
)

// walk is the way of the accesses of one mode through a CTA's touches, or its ranges if it has none. Where they
// could take more bytes than there are, they go through all in order, again and again. Else they lie evenly spread,
// and the lanes of one beside each other, or spread as well if the trace has exact touches.
type walk struct {
	spans []span
	bytes uint64 // of them
	taken uint64 // by the accesses, 32 lanes each; of a paged walk: pages
	exact bool
	page  uint64 // a paged walk makes one access to each page of this size
}

// span is a stretch of addresses.
type span struct {
	lo, hi uint64
	before uint64 // bytes, or pages, of the spans before it
}

// touchWidth is the width of accesses that the trace does not have.
const touchWidth = 4

// freshWindow keeps accesses without known bytes apart from every address of a trace, and from local memory.
const freshWindow = 1 << 61

// maxTaken bounds the sums of bytes that accesses take.
const maxTaken = 1 << 61

var walkModes = [3]trace.Mode{trace.Read, trace.Write, trace.ReadWrite}

// walkOf is the number of an instruction's walk.
func walkOf(o *Op) int { return int(o.Mode()) - 1 }

// start begins the walk of a mode. Ranges, which bound the touched bytes, get one access a page, and so do touches
// where the time is known, unless accesses are counted.
func (w *walk) start(u *Library, c *trace.CTA, mode trace.Mode, work trace.Inferred) {
	w.spans, w.bytes, w.taken, w.page = w.spans[:0], 0, 0, 0
	list := c.Touches
	if w.exact = len(list) > 0; !w.exact {
		list = c.Ranges
	}
	if work == trace.InferredTime || work == trace.InferredAccesses && !w.exact {
		w.page = uint64(u.cfg.Host.PageBytes)
	}
	for _, r := range list {
		if int(r.Array) >= len(u.prog.Arrays) || r.Mode&mode != mode {
			continue
		}
		a := &u.prog.Arrays[r.Array]
		hi := min(r.Hi, a.Bytes) // bytes beyond the allocation are ignored, as in a footprint
		if hi <= r.Lo || a.Base+hi < a.Base {
			continue
		}
		s := span{a.Base + r.Lo, a.Base + hi, w.bytes}
		w.spans = append(w.spans, s)
		if w.page > 0 {
			w.bytes += (s.hi-1)/w.page - s.lo/w.page + 1
		} else {
			w.bytes += s.hi - s.lo
		}
	}
	w.bytes = min(w.bytes, maxTaken)
}

// accesses is how many accesses of touchWidth cover the walk.
func (w *walk) accesses() uint64 {
	if w.page > 0 {
		return w.bytes
	}
	return ceil64(w.bytes, hardware.WarpSize*touchWidth)
}

// take gives a segment its part of the walk, and returns where it begins.
func (w *walk) take(o *Op, times uint64) (from uint64) {
	from = w.taken
	w.taken = min(maxTaken, w.taken+min(maxTaken, times*w.step(o)))
	return from
}

// step is the number of bytes that an execution of an instruction takes.
func (w *walk) step(o *Op) uint64 {
	if w.page > 0 {
		return 1
	}
	return hardware.WarpSize * uint64(min(o.Width, 1<<16))
}

// access gives the addresses of the i-th execution of a memory instruction by a warp. A CTA's executions are
// numbered with the warps in turn.
func (x *counting) access(g *segment, o *Op, i uint64) trace.Access {
	lanes := uint32(bits.OnesCount32(x.mask))
	if o.Flags&trace.InstBulk != 0 {
		lanes = 1
	}
	a := trace.Access{Stride: int32(min(o.Width, 1<<16)), Count: lanes}
	e := i*x.n.warps + x.warp
	switch {
	case o.Space == trace.SpaceLocal:
		a.Base = i * uint64(o.Width)
	case g.walk == nil:
		if o.Space != trace.SpaceShared {
			a.Count = 0
		}
	case len(g.walk.spans) == 0:
		a.Base = x.n.fresh + (g.from+e*g.walk.step(o))%freshWindow
	case g.walk.page > 0:
		g.walk.onPage(&a, g.from+e)
	default:
		x.along(&a, g.walk, g.from+e*g.walk.step(o))
	}
	return a
}

// at returns the span that holds a byte or page of the walk.
func (w *walk) at(pos uint64) *span {
	return &w.spans[sort.Search(len(w.spans), func(i int) bool { return w.spans[i].before > pos })-1]
}

// onPage places an access on a page of the walk, where its span begins there.
func (w *walk) onPage(a *trace.Access, pos uint64) {
	s := w.at(pos % w.bytes)
	page := s.lo/w.page + pos%w.bytes - s.before
	lo, hi := max(s.lo, page*w.page), min(s.hi, (page+1)*w.page)
	a.Base, a.Count = lo, uint32(min(uint64(a.Count), ceil64(hi-lo, touchWidth)))
}

// along places an access that begins so many bytes into the walk.
func (x *counting) along(a *trace.Access, w *walk, pos uint64) {
	width := uint64(a.Stride)
	if w.taken > w.bytes {
		pos %= w.bytes
	} else {
		hi, lo := bits.Mul64(w.bytes, pos%w.taken)
		pos, _ = bits.Div64(hi, lo, w.taken)
		if hi, lo = bits.Mul64(w.bytes, width); w.exact && hi < w.taken {
			spread, _ := bits.Div64(hi, lo, w.taken)
			a.Stride = int32(min(max(width, spread/width*width), 1<<30))
		}
	}
	pos -= pos % width
	s := w.at(pos)
	a.Base = s.lo + pos - s.before
	if last := a.Base + uint64(a.Count-1)*uint64(a.Stride); last+width <= s.hi && last >= a.Base {
		return
	}
	a.List = uint32(len(x.lists)) + 1
	for l := range a.Count {
		p := (pos + uint64(l)*uint64(a.Stride)) % w.bytes
		s := w.at(p)
		x.lists = append(x.lists, s.lo+p-s.before)
	}
}
