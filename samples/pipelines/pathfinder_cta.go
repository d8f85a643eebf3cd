package pipelines

import "gpureplay/samples"

// pathCode is the kernel. Per thread: ten operations for the window, the column and its check, an address, a load
// and a store to shared memory, a barrier. Ten for the valid range and the clamped neighbours. Per row: three
// comparisons and a branch. In the columns that compute, three loads from shared memory, two minima, two operations
// for the address of the wall, a load, an addition, a store to shared memory. A barrier and a branch, and unless it
// is the last row a load, a store and a second barrier, with counter, comparison and branch. At the end a load from
// shared memory, an address, a store.
type pathCode struct {
	*samples.Code
	index                      []samples.Op
	address, load, keep        samples.Op
	barrier                    samples.Op
	valid, check               []samples.Op
	left, up, right            samples.Op
	shortest                   []samples.Op
	loadWall, add, keepNew     samples.Op
	last                       samples.Op
	loadNew, shift             samples.Op
	loop                       []samples.Op
	loadOut, outAddress, store samples.Op
	exit                       samples.Op
}

func newPathCode(p *samples.Program) *pathCode {
	c := &pathCode{Code: p.Code("dynproc_kernel")}
	cta, x, width, x0, col, ptr, v := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	west, east, l, r, wall, i := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	in, ok, none := c.Pred(), c.Pred(), samples.NoReg
	c.index = []samples.Op{
		c.Op("S2R", cta), c.Op("S2R", x), c.Op("LEA", width), c.Op("IADD3", width, width), c.Op("IMAD", x0, width, cta),
		c.Op("IADD3", x0, x0), c.Op("IADD3", col, x0, x), c.Op("ISETP.GE.AND", in, col), c.Op("ISETP.LT.AND", in, col, in),
		c.Op("BRA", none, in),
	}
	c.address = c.Op("IMAD.WIDE", ptr, col)
	c.load = c.Load("LDG.E", 4, v, ptr)
	c.keep = c.Store("STS", 4, x, v)
	c.barrier = c.Barrier(0)
	c.valid = []samples.Op{
		c.Op("IMNMX", west, x0), c.Op("IADD3", east, x0), c.Op("ISETP.GT.AND", ok, east), c.Op("SEL", east, east, ok),
		c.Op("IADD3", l, x), c.Op("IADD3", r, x), c.Op("IMNMX", west, l, west), c.Op("IMNMX", east, r, east),
		c.Op("MOV", i), c.Op("PLOP3", in, in),
	}
	c.check = []samples.Op{
		c.Op("ISETP.GT.AND", ok, x, i, in), c.Op("IADD3", width, i), c.Op("ISETP.LE.AND", ok, x, width, ok),
		c.Op("BRA", none, ok),
	}
	c.left, c.up, c.right = c.Load("LDS", 4, l, west), c.Load("LDS", 4, v, x), c.Load("LDS", 4, r, east)
	c.shortest = []samples.Op{
		c.Op("IMNMX", v, l, v), c.Op("IMNMX", v, v, r), c.Op("IMAD", wall, i, col), c.Op("IMAD.WIDE", ptr, wall),
	}
	c.loadWall = c.Load("LDG.E", 4, wall, ptr)
	c.add = c.Op("IADD3", v, v, wall)
	c.keepNew = c.Store("STS", 4, x, v)
	c.last = c.Op("BRA", none)
	c.loadNew, c.shift = c.Load("LDS", 4, v, x), c.Store("STS", 4, x, v)
	c.loop = []samples.Op{c.Op("IADD3", i, i), c.Op("ISETP.LT.AND", ok, i), c.Op("BRA", none, ok)}
	c.loadOut = c.Load("LDS", 4, v, x)
	c.outAddress = c.Op("IMAD.WIDE", ptr, col)
	c.store = c.Store("STG.E", 4, ptr, v)
	c.exit = c.Exit()
	return c
}

// pathCTA is one CTA with the previous and the new row of its window in shared
// memory.
type pathCTA struct {
	*pathfinder
	b                *samples.Block
	wall, src, dst   ints
	steps, start, x0 int // rows to advance, the first, column of thread 0
	prev, result     [pathBlock]int32
	inside           [pathBlock / samples.WarpSize]uint32
	computed         [pathBlock / samples.WarpSize]uint32
}

func (t *pathCTA) run() {
	each := t.b.EachWarp
	each(t.fill)
	for step := range t.steps {
		each(func(w *samples.Warp) { t.advance(w, step) })
		each(func(w *samples.Warp) { t.shift(w, step) })
	}
	each(t.write)
}

func (t *pathCTA) valid(x int) bool { return t.x0+x >= 0 && t.x0+x < t.cols }

// cell returns the place in the wall of a thread's column in a step.
func (t *pathCTA) cell(x, step int) int { return (t.start+step)*t.cols + t.x0 + x }

// own records a step to the thread's own place in row 0 (previous) or 1 (new).
func (t *pathCTA) own(w *samples.Warp, op samples.Op, row int) {
	w.Affine(op, uint64(4*(row*pathBlock+w.ID*samples.WarpSize)), 4)
}

// fill loads the previous row of the window.
func (t *pathCTA) fill(w *samples.Warp) {
	c, first := t.code, w.ID*samples.WarpSize
	w.Do(c.index...)
	t.inside[w.ID] = w.Where(func(lane int) bool { return t.valid(first + lane) })
	w.Under(t.inside[w.ID], func() {
		w.Do(c.address)
		w.Mem(c.load, func(lane int) uint64 { return t.src.At(t.x0 + first + lane) })
		t.own(w, c.keep, 0)
		w.Lanes(func(lane int) { t.prev[first+lane] = t.src.v[t.x0+first+lane] })
	})
	w.Do(c.barrier)
	w.Do(c.valid...)
}

// clamp returns the neighbouring thread x+d, or x itself at the edge of the grid.
func (t *pathCTA) clamp(x, d int) int {
	if t.valid(x + d) {
		return x + d
	}
	return x
}

// advance computes the next row of the columns that the halo still covers.
func (t *pathCTA) advance(w *samples.Warp, step int) {
	c, first := t.code, w.ID*samples.WarpSize
	w.Do(c.check...)
	t.computed[w.ID] = t.inside[w.ID] & w.Where(func(lane int) bool {
		return first+lane >= step+1 && first+lane <= pathBlock-step-2
	})
	w.Under(t.computed[w.ID], func() {
		w.Mem(c.left, func(lane int) uint64 { return uint64(4 * t.clamp(first+lane, -1)) })
		t.own(w, c.up, 0)
		w.Mem(c.right, func(lane int) uint64 { return uint64(4 * t.clamp(first+lane, 1)) })
		w.Do(c.shortest...)
		w.Mem(c.loadWall, func(lane int) uint64 { return t.wall.At(t.cell(first+lane, step)) })
		w.Do(c.add)
		t.own(w, c.keepNew, 1)
		w.Lanes(func(lane int) {
			x := first + lane
			t.result[x] = min(t.prev[t.clamp(x, -1)], t.prev[x], t.prev[t.clamp(x, 1)]) + t.wall.v[t.cell(x, step)]
		})
	})
	w.Do(c.barrier, c.last)
}

// shift makes the new row the previous one, unless it was the last.
func (t *pathCTA) shift(w *samples.Warp, step int) {
	c, first := t.code, w.ID*samples.WarpSize
	if step == t.steps-1 {
		return
	}
	w.Under(t.computed[w.ID], func() {
		t.own(w, c.loadNew, 1)
		t.own(w, c.shift, 0)
		w.Lanes(func(lane int) { t.prev[first+lane] = t.result[first+lane] })
	})
	w.Do(c.barrier)
	w.Do(c.loop...)
}

// write stores the columns that the last row computed.
func (t *pathCTA) write(w *samples.Warp) {
	c, first := t.code, w.ID*samples.WarpSize
	w.Under(t.computed[w.ID], func() {
		t.own(w, c.loadOut, 1)
		w.Do(c.outAddress)
		w.Mem(c.store, func(lane int) uint64 { return t.dst.At(t.x0 + first + lane) })
		w.Lanes(func(lane int) { t.dst.v[t.x0+first+lane] = t.result[first+lane] })
	})
	w.Exit(c.exit)
}
