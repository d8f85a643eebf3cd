package program

import (
	"math/bits"
	"slices"

	"gpureplay/model/hardware"
	"gpureplay/trace"
)

// A CTA with counts of instructions or with touched bytes, but no warps, becomes a program of segments: n
// instructions of a kind each, which the warps of its block share. Instructions are made as they are needed and go
// through the same issue and memory model as traced ones. docs/model, "Counts", decides the choices that counts
// leave open. The order is here, the dependences in countcode.go, the addresses in walk.go.

// countChunk is how many instructions of a warp are made at a time.
const countChunk = 64

// Counts is the program of such a CTA. It shares memory with the CTA's record, which is used again.
type Counts struct {
	code     *Code
	segments []segment
	walks    [3]walk // of loads, stores and atomics
	warps    uint64
	threads  uint64
	fresh    uint64 // addresses of accesses without known bytes
	of       []counting
}

// segment is so many executions of one instruction by all warps.
type segment struct {
	op    uint32 // first of its variants
	times uint64
	rank  rank
	load  bool // it brings something that others wait for
	walk  *walk
	from  uint64 // bytes of the walk that segments before it take
}

// rank is where the i-th of n executions of a warp lies in its program, from 0
// to 1; where several lie at one point, lower ranks go first.
type rank uint8

const (
	rankStore   rank = iota // at its end: (i+1)/n
	rankBarrier             // between equal parts: (i+1)/(n+1)
	rankMiddle              // (i+1/2)/n
	rankLoad                // at the start of its burst of b: b⌊i/b⌋/n
	rankExit                // after everything
)

func rankOf(o *Op) rank {
	switch {
	case o.Class == trace.ClassExit:
		return rankExit
	case o.Class == trace.ClassBarrier:
		return rankBarrier
	case o.Class != trace.ClassMemory:
		return rankMiddle
	case o.loads():
		return rankLoad
	}
	return rankStore
}

// Expand makes the program of a CTA of a kernel and adds its warps; work names the inferred part. It reports
// whether there is one.
func (u *Library) Expand(n *Counts, k *trace.Kernel, work trace.Inferred, c *trace.CTA) bool {
	threads := k.Block.Count()
	n.threads, n.warps, n.segments = threads, ceil64(threads, hardware.WarpSize), n.segments[:0]
	n.fresh = freshWindow | (uint64(k.ID)<<32+uint64(c.ID)<<16)&(freshWindow-1)
	for i := range n.walks {
		n.walks[i].start(u, c, walkModes[i], work)
		if walkModes[i] == trace.ReadWrite && len(n.walks[i].spans) == 0 { // of atomics: the written bytes, then
			n.walks[i].start(u, c, trace.Write, work)
		}
	}
	switch {
	case work == trace.InferredOrder:
		n.code = u.countCode(k.Function)
		for _, x := range c.Counts {
			n.add(x.Inst*countVariants, x.Times)
		}
	default:
		n.code = u.touchCode()
		n.add(0, n.walks[0].accesses())
		n.add(countVariants, n.walks[1].accesses())
	}
	if work != trace.InferredAccesses && len(n.segments) == 0 {
		return false
	}
	for i := range n.warps {
		c.Warps = appendWarp(c.Warps, uint32(i))
	}
	n.of = slices.Grow(n.of[:0], int(n.warps))[:n.warps]
	return true
}

// appendWarp adds a warp without instructions of its own.
func appendWarp(warps []trace.Warp, id uint32) []trace.Warp {
	if n := len(warps); n < cap(warps) {
		warps = warps[:n+1]
	} else {
		warps = append(warps, trace.Warp{})
	}
	w := &warps[len(warps)-1]
	*w = trace.Warp{ID: id, Mem: w.Mem[:0], Lists: w.Lists[:0], Launches: w.Launches[:0]}
	return warps
}

// add appends a segment.
func (n *Counts) add(op uint32, times uint64) {
	if times == 0 {
		return
	}
	o := &n.code.Ops[op]
	g := segment{op: op, times: times, rank: rankOf(o), load: o.loads()}
	if o.Mem && (o.Space == trace.SpaceGlobal || o.Space == trace.SpaceTexture) {
		g.walk = &n.walks[walkOf(o)]
		g.from = g.walk.take(o, times)
	}
	n.segments = append(n.segments, g)
}

// counting is a warp on its way through the program of its CTA.
type counting struct {
	n      *Counts
	warp   uint64
	mask   uint32
	heap   []due
	loads  uint32 // modulo countBurst
	others uint32 // modulo countChains
	path   []uint32
	mem    []trace.Access
	lists  []uint64
	masks  [1]trace.MaskRun
}

// due is the next execution of a segment: the i-th of n of the warp.
type due struct {
	segment uint32
	i, n    uint64
}

// Program returns the program of warp i, its first instructions made.
func (n *Counts) Program(i int) Frame {
	x := &n.of[i]
	x.n, x.warp, x.heap, x.loads, x.others = n, uint64(i), x.heap[:0], 0, 0
	x.mask = lanesOf(n.threads, x.warp)
	x.masks[0] = trace.MaskRun{Mask: x.mask}
	for g := range n.segments {
		t := n.segments[g].times
		share := t / n.warps
		if x.warp < t%n.warps {
			share++
		}
		if share > 0 {
			x.heap = append(x.heap, due{segment: uint32(g), n: share})
		}
	}
	for j := len(x.heap)/2 - 1; j >= 0; j-- {
		x.sink(j)
	}
	f := Frame{Code: n.code, rest: x, Mask: x.mask}
	x.refill(&f)
	return f
}

// lanesOf is the mask of a warp of a block.
func lanesOf(threads, warp uint64) uint32 {
	if first := warp * hardware.WarpSize; threads < first+hardware.WarpSize {
		return 1<<(threads-first) - 1
	}
	return ^uint32(0)
}

// refill makes the next instructions, and reports whether there are any.
func (x *counting) refill(f *Frame) bool {
	x.path, x.mem, x.lists = x.path[:0], x.mem[:0], x.lists[:0]
	for len(x.heap) > 0 && len(x.path) < countChunk {
		d := &x.heap[0]
		x.emit(&x.n.segments[d.segment], d.i)
		if d.i++; d.i == d.n {
			last := len(x.heap) - 1
			x.heap[0] = x.heap[last]
			x.heap = x.heap[:last]
		}
		x.sink(0)
	}
	f.Path, f.Mem, f.Lists, f.masks = x.path, x.mem, x.lists, x.masks[:]
	f.PC, f.nextMask, f.MaskAt, f.NextMem = 0, 0, 0, 0
	return len(x.path) > 0
}

// emit makes the i-th execution of a segment by the warp.
func (x *counting) emit(g *segment, i uint64) {
	variant := x.others
	if g.load {
		variant = x.others + countChains*x.loads
		if x.loads++; x.loads == countBurst {
			x.loads = 0
		}
	} else if x.others++; x.others == countChains {
		x.others = 0
	}
	x.path = append(x.path, g.op+variant)
	if o := &x.n.code.Ops[g.op]; o.Mem {
		x.mem = append(x.mem, x.access(g, o, i))
	}
}

// sink restores the order of the heap from j on.
func (x *counting) sink(j int) {
	h := x.heap
	for {
		least := j
		for c := 2*j + 1; c <= 2*j+2 && c < len(h); c++ {
			if x.n.before(&h[c], &h[least]) {
				least = c
			}
		}
		if least == j {
			return
		}
		h[j], h[least] = h[least], h[j]
		j = least
	}
}

// before reports whether a lies before b in the program.
func (n *Counts) before(a, b *due) bool {
	ra, rb := n.segments[a.segment].rank, n.segments[b.segment].rank
	an, ad := a.place(ra)
	bn, bd := b.place(rb)
	hi1, lo1 := bits.Mul64(an, bd)
	hi2, lo2 := bits.Mul64(bn, ad)
	switch {
	case hi1 != hi2:
		return hi1 < hi2
	case lo1 != lo2:
		return lo1 < lo2
	case ra != rb:
		return ra < rb
	}
	return a.segment < b.segment
}

// place is where an execution lies, as a fraction.
func (d *due) place(r rank) (num, den uint64) {
	switch r {
	case rankStore:
		return d.i + 1, d.n
	case rankBarrier:
		return d.i + 1, d.n + 1
	case rankLoad:
		return d.i / countBurst * countBurst, d.n
	case rankExit:
		return 2, 1
	}
	return 2*d.i + 1, 2 * d.n
}

func ceil64(a, b uint64) uint64 { return (a + b - 1) / b }
