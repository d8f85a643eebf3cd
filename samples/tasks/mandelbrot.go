package tasks

import (
	"gpureplay/samples"
	"gpureplay/trace"
)

func init() {
	register("tasks-mb", "Mandelbrot sets, one image per task: irregular work per pixel",
		"Pagoda tables 3 and 4; Quinn, Parallel Programming", mandelbrotKind)
}

var mandelbrotKind = &kind{name: "mandelbrot", registers: 28, prepare: prepareMandelbrot,
	params: func() []samples.Param {
		return []samples.Param{
			samples.Int("side", 64, 8, 1024, "pixels along each side of an image"),
			samples.Int("iterations", 400, 1, 65536, "most iterations of a point"),
		}
	}, most: func(p samples.Params) int {
		return units(p.Int("side")*p.Int("side")) * (18*p.Int("iterations") + 60)
	}}

// mandelbrot is the kernel, as in the public artifact. A lane iterates z = z·z + c for one pixel until a part of z
// leaves [-2, 2], the warp until its last lane has. The imaginary part is computed in double precision, since the
// source writes 2.0. The count is stored as 0 at first and again when the lane escapes, a column of the image after
// the other. Image i of n shows [-2.25, 1.25] x [-1.75, 1.75] moved by 2i/n along both axes.
type mandelbrot struct {
	limit int
	image buffer
	entry entry
	pixel []samples.Op // coordinates of the pixel and of its point; z = 0
	iter  []samples.Op // one iteration up to the test for escape
	rest  []samples.Op // the new z, and the test of the count
	store [2]samples.Op
	units loop
	exit  samples.Op
}

func prepareMandelbrot(b *bench) maker {
	side := b.params.Int("side")
	k := mandelbrot{limit: b.params.Int("iterations")}
	k.image = b.buffer("image", b.side(side)*b.side(side), 4, trace.ArrayOutput)
	c := b.program.Code("mandelbrot")
	k.entry = newEntry(c)
	r := c.Regs(14)
	px, py, cx, cy, x, y, x2, y2, dx, dy, dc, n, addr, zero := r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8],
		r[9], r[10],
		r[11], r[12], r[13]
	out, more := c.Pred(), c.Pred()
	k.pixel = []samples.Op{
		c.Op("LOP3", px, k.entry.thread), c.Op("SHF", py, k.entry.thread), c.Op("I2F", px, px), c.Op("I2F", py, py),
		c.Op("FMUL", cx, px), c.Op("FFMA", cx, px, cx), c.Op("FMUL", cy, py), c.Op("FFMA", cy, py, cy),
		c.Op("MUFU.RCP", dx), c.Op("FMUL", cx, cx, dx), c.Op("FMUL", cy, cy, dx), c.Op("F2F", dc, cy),
		c.Op("MOV", x, cx), c.Op("MOV", y, cy), c.Op("MOV", n), c.Op("IMAD", addr, px, py), c.Op("MOV", zero),
	}
	k.iter = []samples.Op{
		c.Op("FMUL", x2, x, x), c.Op("FFMA", x2, y, y, x2), c.Op("FADD", x2, x2, cx),
		c.Op("F2F", dx, x), c.Op("DADD", dx, dx, dx), c.Op("F2F", dy, y), c.Op("DFMA", dx, dx, dy, dc), c.Op("F2F", y2, dx),
		c.Op("FSETP", out, x2), c.Op("FSETP", out, x2, out), c.Op("FSETP", out, y2, out), c.Op("FSETP", out, y2, out),
		c.Op("BRA", samples.NoReg, out),
	}
	k.rest = []samples.Op{c.Op("MOV", x, x2), c.Op("MOV", y, y2), c.Op("IADD3", n, n), c.Op("ISETP", more, n),
		c.Op("BRA", samples.NoReg, more)}
	k.store = [2]samples.Op{c.Store("STG", 4, addr, zero), c.Store("STG", 4, addr, n)}
	k.units = newLoop(c)
	k.exit = c.Exit()
	return func(in input) (body, any) {
		v := view{side: in.side(side, 8), shift: 2 * float32(in.index) / float32(in.of)}
		counts := make([]int32, v.side*v.side)
		bd := b.record(b.blocks, in.threads, 0, c, func(blk *samples.Block) {
			blk.EachWarp(func(w *samples.Warp) { k.warp(blk, w, v, counts) })
		})
		bd.out = 4 * uint64(len(counts))
		return bd, mandelbrotResult{v, counts}
	}
}

type mandelbrotResult struct {
	view   view
	counts []int32
}

// view is the window of the plane that an image shows.
type view struct {
	side  int
	shift float32
}

// point returns c of a pixel. The conversions keep a compiler from fusing.
func (v view) point(pixel int) (x, y float32) {
	at := func(i int, low, high float32) float32 {
		return float32(float32(float32(i)*(high+v.shift))+float32(float32(v.side-i-1)*(low+v.shift))) / float32(v.side-1)
	}
	return at(pixel%v.side, -2.25, 1.25), at(pixel/v.side, -1.75, 1.75)
}

// place returns where a pixel's count is stored.
func (v view) place(pixel int) int { return pixel/v.side + pixel%v.side*v.side }

func (k *mandelbrot) warp(blk *samples.Block, w *samples.Warp, v view, counts []int32) {
	k.entry.do(w)
	strided(blk, w, ceil(len(counts), samples.WarpSize), func(unit int) {
		first := unit * samples.WarpSize
		inside := w.Where(func(lane int) bool { return first+lane < len(counts) })
		w.Under(inside, func() {
			w.Do(k.pixel...)
			w.Mem(k.store[0], func(l int) uint64 { return k.image.At(v.place(first + l)) })
			k.iterate(w, v, first, counts)
		})
		k.units.next(w)
	})
	w.Exit(k.exit)
}

// iterate runs the lanes together: those that have escaped wait for the others.
func (k *mandelbrot) iterate(w *samples.Warp, v view, first int, counts []int32) {
	var x, y, cx, cy [samples.WarpSize]float32
	w.Lanes(func(l int) {
		cx[l], cy[l] = v.point(first + l)
		x[l], y[l] = cx[l], cy[l]
	})
	active := w.Mask()
	for n := int32(1); active != 0 && n <= int32(k.limit); n++ {
		w.Under(active, func() {
			w.Do(k.iter...)
			w.Lanes(func(l int) { x[l], y[l] = square(x[l], y[l], cx[l], cy[l]) })
			gone := w.Where(func(l int) bool { return escaped(x[l], y[l]) })
			w.Under(gone, func() {
				w.Mem(k.store[1], func(l int) uint64 { return k.image.At(v.place(first + l)) })
				w.Lanes(func(l int) { counts[v.place(first+l)] = n })
			})
			active &^= gone
		})
		w.Under(active, func() { w.Do(k.rest...) })
	}
}

// square returns z·z + c, its imaginary part computed in double precision.
func square(x, y, cx, cy float32) (x2, y2 float32) {
	return float32(float32(x*x)-float32(y*y)) + cx, float32(2*float64(x)*float64(y) + float64(cy))
}

func escaped(x, y float32) bool { return x < -2 || x > 2 || y < -2 || y > 2 }
