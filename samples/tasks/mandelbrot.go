package tasks

import (
	"gpureplay/samples"
	"gpureplay/trace"
)

func init() {
	register("tasks-mb", "Mandelbrot sets, one image per task: irregular work per pixel",
		"Pagoda tables 3 and 4; Quinn, Parallel Programming", common("regular", "irregular"), mandelbrotKind)
}

var mandelbrotKind = &kind{name: "mandelbrot", registers: 28, prepare: prepareMandelbrot, params: []samples.Param{
	samples.Int("side", 64, 8, 1024, "pixels along each side of an image"),
	samples.Int("iterations", 256, 1, 65536, "iterations after which a point counts as a member"),
}, most: func(p samples.Params) int {
	return units(p.Int("side")*p.Int("side")) * (12*p.Int("iterations") + 20)
}}

// mandelbrot is the kernel: a lane iterates z = z·z + c for one pixel until it
// escapes, the warp until its last lane has. Each image shows a window of the
// plane that straddles the set's border, at a pseudo-random place and zoom.
type mandelbrot struct {
	limit int
	image buffer
	code  *samples.Code
	entry entry
	pixel []samples.Op // coordinates of the pixel and of its point; z = 0
	iter  []samples.Op // one iteration up to the test for escape
	escap samples.Op   // the branch of lanes that escape
	rest  []samples.Op // the new z, and the test of the count
	store samples.Op
	units loop
	exit  samples.Op
}

func prepareMandelbrot(b *bench) maker {
	side := b.params.Int("side")
	k := mandelbrot{limit: b.params.Int("iterations")}
	k.image = b.buffer("image", side*side, 4, trace.ArrayOutput)
	c := b.program.Code("mandelbrot")
	k.code, k.entry = c, newEntry(c)
	r := c.Regs(10)
	px, py, cx, cy, x, y, xx, yy, sum, n := r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9]
	out, more, addr := c.Pred(), c.Pred(), c.Reg()
	k.pixel = []samples.Op{
		c.Op("LOP3", px, k.entry.thread), c.Op("SHF", py, k.entry.thread), c.Op("I2F", px, px), c.Op("I2F", py, py),
		c.Op("FFMA", cx, px), c.Op("FFMA", cy, py), c.Op("MOV", x), c.Op("MOV", y), c.Op("MOV", n), c.Op("LEA", addr, k.entry.thread),
	}
	k.iter = []samples.Op{c.Op("FMUL", xx, x, x), c.Op("FMUL", yy, y, y), c.Op("FADD", sum, xx, yy), c.Op("FSETP", out, sum)}
	k.escap = c.Op("BRA", samples.NoReg, out)
	k.rest = []samples.Op{
		c.Op("FADD", y, y, y), c.Op("FFMA", y, x, y, cy), c.Op("FADD", x, xx, yy), c.Op("FADD", x, x, cx),
		c.Op("IADD3", n, n), c.Op("ISETP", more, n), c.Op("BRA", samples.NoReg, more),
	}
	k.store = c.Store("STG", 4, addr, n)
	k.units = newLoop(c)
	k.exit = c.Exit()
	return func(in input) (body, any) {
		v := newView(in, in.extent(side, 8))
		counts := make([]int32, v.side*v.side)
		bd := b.record(b.blocks, in.threads, 0, c, func(blk *samples.Block) {
			for i := range blk.Warps() {
				k.warp(blk, &blk.Warps()[i], v, counts)
			}
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
	side int
	x, y float32 // lower left corner
	step float32 // between pixels
}

// border are points of the plane close to which both members and points that
// escape lie: between the set's two largest parts, at its left bulbs, at its top,
// in its right cleft, and on its antennas.
var border = [8][2]float32{
	{-0.75, 0.1}, {-1.25, 0.02}, {-0.16, 1.035}, {0.28, 0.53}, {-1.768, 0.002}, {0.36, 0.1}, {-0.1, 0.85}, {-0.56, 0.64},
}

// newView draws a window around a point of the border, from the whole set down
// to a thirtieth of it.
func newView(in input, side int) view {
	width := 3 / float32(1+float32(29*in.rng.Float32()))
	c := border[in.rng.IntN(len(border))]
	return view{side: side, x: c[0] - float32(width*in.rng.Float32()), y: c[1] - float32(width*in.rng.Float32()), step: width / float32(side)}
}

// point returns c of a pixel. The conversions keep a compiler from fusing.
func (v view) point(pixel int) (x, y float32) {
	return v.x + float32(float32(pixel%v.side)*v.step), v.y + float32(float32(pixel/v.side)*v.step)
}

func (k *mandelbrot) warp(blk *samples.Block, w *samples.Warp, v view, counts []int32) {
	k.entry.do(w)
	strided(blk, w, ceil(len(counts), samples.WarpSize), func(unit int) {
		first := unit * samples.WarpSize
		inside := w.Where(func(lane int) bool { return first+lane < len(counts) })
		w.Under(inside, func() {
			w.Do(k.pixel...)
			k.iterate(w, v, first, counts)
			w.Affine(k.store, k.image.At(first), 4)
		})
		k.units.next(w)
	})
	w.Exit(k.exit)
}

// iterate runs the lanes together: those that have escaped wait for the others.
func (k *mandelbrot) iterate(w *samples.Warp, v view, first int, counts []int32) {
	var x, y, cx, cy [samples.WarpSize]float32
	w.Lanes(func(l int) { cx[l], cy[l] = v.point(first + l) })
	active := w.Mask()
	for n := int32(0); active != 0 && n < int32(k.limit); n++ {
		w.Under(active, func() {
			w.Do(k.iter...)
			w.Do(k.escap)
			active = w.Where(func(l int) bool {
				return float32(x[l]*x[l])+float32(y[l]*y[l]) <= 4
			})
		})
		w.Under(active, func() {
			w.Do(k.rest...)
			w.Lanes(func(l int) {
				xx, yy := float32(x[l]*x[l]), float32(y[l]*y[l])
				y[l] = float32(float32(2*x[l])*y[l]) + cy[l]
				x[l] = float32(xx-yy) + cx[l]
				counts[first+l] = n + 1
			})
		})
	}
}
