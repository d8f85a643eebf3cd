package pipelines

import (
	"gpureplay/samples"
	"gpureplay/trace"
)

// stencilCode is the kernel. Per thread: eight operations for i, j and the place in the tile, two stores of 0 to
// it, eleven comparisons for the regions, four for the pointer. Per column two loads and a store to the tile. Per
// plane and column: the load of the next plane, a branch, three neighbours each from the tile or, at its edge, from
// memory (both guarded by a predicate). Then two more loads from the tile, five additions, a product, a fused
// multiply-add, a store. Per plane: two barriers around two loads and two stores of the tile; pointer, counter,
// comparison and branch.
type stencilCode struct {
	*samples.Code
	index, regions []samples.Op
	barrier        samples.Op
	half           [2]stencilHalf
	loop           []samples.Op
	exit           samples.Op
}

// stencilHalf is the code of one of a thread's two columns.
type stencilHalf struct {
	zero, loadBottom, loadCentre, keep samples.Op // before the loop
	loadTop, branch                    samples.Op
	sideFar, side                      samples.Op // towards the edge of the tile
	downFar, down, upFar, up           samples.Op
	inner, centre                      samples.Op // towards the other column; the cell itself
	sum                                []samples.Op
	store                              samples.Op
	shiftLoad, shiftStore              samples.Op
}

func newStencilCode(p *samples.Program) *stencilCode {
	c := &stencilCode{Code: p.Code("block2D_hybrid_coarsen_x")}
	ctaX, x, i, i2, ctaY, y, j := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	tile, ptr, k, none := c.Reg(), c.Reg(), c.Reg(), samples.NoReg
	c.index = []samples.Op{
		c.Op("S2R", ctaX), c.Op("S2R", x), c.Op("IMAD", i, ctaX, x), c.Op("IADD3", i2, i),
		c.Op("S2R", ctaY), c.Op("S2R", y), c.Op("IMAD", j, ctaY, y), c.Op("LEA", tile, x, y),
	}
	zero := [2]samples.Op{c.Store("STS", 4, tile), c.Store("STS", 4, tile)}
	c.barrier = c.Barrier(0)
	in, write, edge, side, more := c.Pred(), c.Pred(), c.Pred(), c.Pred(), c.Pred()
	for _, reg := range [...]trace.Reg{i, j, i2, i, j, i, j, i2} { // inside, inside2, w_region, w_region2
		c.regions = append(c.regions, c.Op("ISETP.LT.AND", in, reg, in))
	}
	c.regions = append(c.regions,
		c.Op("PLOP3", write, in), c.Op("ISETP.EQ.AND", side, x), c.Op("ISETP.EQ.AND", edge, y),
		c.Op("IMAD", k, j, i), c.Op("IMAD.WIDE", ptr, k), c.Op("IADD3", ptr, ptr), c.Op("MOV", k))
	for h := range c.half {
		c.half[h] = newStencilHalf(c.Code, zero[h], ptr, tile, write, side, edge)
	}
	c.loop = []samples.Op{
		c.Op("IADD3", ptr, ptr), c.Op("IADD3", k, k), c.Op("ISETP.LT.AND", more, k), c.Op("BRA", none, more),
	}
	c.exit = c.Exit()
	return c
}

func newStencilHalf(c *samples.Code, zero samples.Op, ptr, tile, write, side, edge trace.Reg) stencilHalf {
	bottom, top, mid, l, d, u, in, sum := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	return stencilHalf{
		zero:       zero,
		loadBottom: c.Load("LDG.E", 4, bottom, ptr),
		loadCentre: c.Load("LDG.E", 4, mid, ptr),
		keep:       c.Store("STS", 4, tile, mid),
		loadTop:    c.Load("LDG.E", 4, top, ptr),
		branch:     c.Op("BRA", samples.NoReg, write),
		sideFar:    c.Load("LDG.E", 4, l, ptr, side),
		side:       c.Load("LDS", 4, l, tile, side),
		downFar:    c.Load("LDG.E", 4, d, ptr, edge),
		down:       c.Load("LDS", 4, d, tile, edge),
		upFar:      c.Load("LDG.E", 4, u, ptr, edge),
		up:         c.Load("LDS", 4, u, tile, edge),
		inner:      c.Load("LDS", 4, in, tile),
		centre:     c.Load("LDS", 4, mid, tile),
		sum: []samples.Op{
			c.Op("FADD", sum, l, in), c.Op("FADD", sum, sum, u), c.Op("FADD", sum, sum, d),
			c.Op("FADD", sum, sum, top), c.Op("FADD", sum, sum, bottom),
			c.Op("FMUL", mid, mid), c.Op("FFMA", sum, sum, mid),
		},
		store:      c.Store("STG.E", 4, ptr, sum),
		shiftLoad:  c.Load("LDS", 4, bottom, tile),
		shiftStore: c.Store("STS", 4, tile, top),
	}
}

// stencilCTA is one CTA: a plane of the tile in shared memory, and the planes
// below and above in registers.
type stencilCTA struct {
	*stencil
	src, dst vector
	tile     [stencilY][stencilTile]float32
	warps    [stencilY]stencilWarp
}

// stencilWarp is a row of the CTA: 32 threads in x, of two columns each.
type stencilWarp struct {
	w           *samples.Warp
	y, i, j     int // row in the CTA, and the cell of lane 0
	inside, own [2]uint32
	bottom, top [2][stencilX]float32
}

func (s *stencilCTA) run(b *samples.Block) {
	for y := range s.warps {
		s.start(&s.warps[y], b, y)
	}
	for y := range s.warps {
		s.first(&s.warps[y])
	}
	for k := 1; k < s.nz-1; k++ {
		for y := range s.warps {
			s.plane(&s.warps[y], k)
		}
		for y := range s.warps {
			s.shift(&s.warps[y])
		}
	}
	for y := range s.warps {
		s.warps[y].w.Exit(s.code.exit)
	}
}

// start finds the regions of a row and clears its part of the tile.
func (s *stencilCTA) start(t *stencilWarp, b *samples.Block, y int) {
	t.w, t.y = &b.Warps()[y], y
	t.i, t.j = b.X()*stencilTile, b.Y()*stencilY+y
	for h := range 2 {
		i := t.i + h*stencilX
		t.inside[h] = t.w.Where(func(lane int) bool { return s.inside(i+lane, t.j) })
		t.own[h] = t.w.Where(func(lane int) bool { return s.inner(i+lane, t.j) })
	}
	c := s.code
	t.w.Do(c.index...)
	for h := range c.half {
		t.w.Affine(c.half[h].zero, t.shared(h, 0, 0), 4)
	}
	t.w.Do(c.barrier)
	t.w.Do(c.regions...)
}

// shared returns the address in the tile of lane 0's neighbour at (dx, dy).
func (t *stencilWarp) shared(h, dx, dy int) uint64 {
	return uint64(4 * ((t.y+dy)*stencilTile + h*stencilX + dx))
}

// first loads the planes 0 and 1.
func (s *stencilCTA) first(t *stencilWarp) {
	for h := range 2 {
		op := &s.code.half[h]
		t.w.Under(t.inside[h], func() {
			i := t.i + h*stencilX
			t.w.Mem(op.loadBottom, func(lane int) uint64 { return s.src.At(s.at(i+lane, t.j, 0)) })
			t.w.Mem(op.loadCentre, func(lane int) uint64 { return s.src.At(s.at(i+lane, t.j, 1)) })
			t.w.Affine(op.keep, t.shared(h, 0, 0), 4)
			t.w.Lanes(func(lane int) {
				t.bottom[h][lane] = s.src.v[s.at(i+lane, t.j, 0)]
				s.tile[t.y][h*stencilX+lane] = s.src.v[s.at(i+lane, t.j, 1)]
			})
		})
	}
	t.w.Do(s.code.barrier)
}

// plane computes the row's cells of plane k.
func (s *stencilCTA) plane(t *stencilWarp, k int) {
	for h := range 2 {
		op := &s.code.half[h]
		i := t.i + h*stencilX
		t.w.Under(t.inside[h], func() {
			t.w.Mem(op.loadTop, func(lane int) uint64 { return s.src.At(s.at(i+lane, t.j, k+1)) })
			t.w.Lanes(func(lane int) { t.top[h][lane] = s.src.v[s.at(i+lane, t.j, k+1)] })
		})
		t.w.Do(op.branch)
		t.w.Under(t.own[h], func() { s.cells(t, h, k) })
	}
}

// cells computes one column of each of the row's threads.
func (s *stencilCTA) cells(t *stencilWarp, h, k int) {
	op, w := &s.code.half[h], t.w
	i := t.i + h*stencilX
	outer, edge := -1, uint32(1)
	if h == 1 {
		outer, edge = 1, 1<<(stencilX-1)
	}
	side := s.neighbour(t, op.sideFar, op.side, edge, h, outer, 0, k)
	down := s.neighbour(t, op.downFar, op.down, all(t.y == 0), h, 0, -1, k)
	up := s.neighbour(t, op.upFar, op.up, all(t.y == stencilY-1), h, 0, 1, k)
	w.Affine(op.inner, t.shared(h, -outer, 0), 4)
	w.Affine(op.centre, t.shared(h, 0, 0), 4)
	w.Do(op.sum...)
	w.Mem(op.store, func(lane int) uint64 { return s.dst.At(s.at(i+lane, t.j, k)) })
	w.Lanes(func(lane int) {
		column := h*stencilX + lane
		row := &s.tile[t.y]
		sum := side[lane] + row[column-outer] + up[lane] + down[lane] + t.top[h][lane] + t.bottom[h][lane]
		s.dst.v[s.at(i+lane, t.j, k)] = sum*stencilC1 - row[column]*stencilC0
	})
}

// neighbour gets the neighbour at (dx, dy) of every active cell: from memory in
// the lanes of far, from the tile in the others.
func (s *stencilCTA) neighbour(t *stencilWarp, memory, tile samples.Op, far uint32, h, dx, dy,
	k int) (v [stencilX]float32) {
	i := t.i + h*stencilX + dx
	t.w.Predicated(far, func() {
		t.w.Mem(memory, func(lane int) uint64 { return s.src.At(s.at(i+lane, t.j+dy, k)) })
		t.w.Lanes(func(lane int) { v[lane] = s.src.v[s.at(i+lane, t.j+dy, k)] })
	})
	t.w.Predicated(^far, func() {
		t.w.Affine(tile, t.shared(h, dx, dy), 4)
		t.w.Lanes(func(lane int) { v[lane] = s.tile[t.y+dy][h*stencilX+lane+dx] })
	})
	return v
}

// shift moves the planes of the row down by one, between two barriers.
func (s *stencilCTA) shift(t *stencilWarp) {
	c := s.code
	t.w.Do(c.barrier)
	for h := range 2 {
		op := &c.half[h]
		t.w.Affine(op.shiftLoad, t.shared(h, 0, 0), 4)
		t.w.Affine(op.shiftStore, t.shared(h, 0, 0), 4)
		for lane := range stencilX {
			cell := &s.tile[t.y][h*stencilX+lane]
			t.bottom[h][lane], *cell = *cell, t.top[h][lane]
		}
	}
	t.w.Do(c.barrier)
	t.w.Do(c.loop...)
}

// all is every lane or none.
func all(yes bool) uint32 {
	if yes {
		return samples.Full
	}
	return 0
}
