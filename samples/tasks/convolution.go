package tasks

import (
	"gpureplay/samples"
	"gpureplay/trace"
)

func init() {
	register("tasks-conv", "image convolution, one image in two tasks: a pass over rows and one over columns",
		"Pagoda tables 3 and 4; CUDA SDK", convolutionKind)
}

var convolutionKind = &kind{name: "convolution", registers: 25, prepare: prepareConvolution,
	params: func() []samples.Param {
		return []samples.Param{
			samples.Int("side", 128, 8, 1024, "pixels along each side of an image"),
			samples.Int("radius", 8, 1, 8, "of the filter: 2·radius+1 coefficients along each axis"),
		}
	}, most: func(p samples.Params) int {
		return 2 * units(p.Int("side")*p.Int("side")) * (7*(2*p.Int("radius")+4) + 60)
	}}

// convolution is the kernel of one pass, as in the public artifact. A lane computes one pixel at a time, and pixels
// outside the image count as 0. Neither shared memory nor a barrier is used. The passes are tasks of their own; the
// program waits between them. Image and coefficients are a copy each.
type convolution struct {
	radius           int
	in, between, out buffer
	coefficients     buffer
	rows, columns    convolve1D
}

// convolve1D is the code of a pass.
type convolve1D struct {
	code   *samples.Code
	entry  entry
	pixel  []samples.Op
	place  [unroll]samples.Op // of the tap
	inside [unroll][2]samples.Op
	load   [unroll]samples.Op
	tap    [unroll]samples.Op
	fuse   [unroll]samples.Op
	taps   loop
	store  samples.Op
	units  loop
	exit   samples.Op
}

func newConvolve1D(b *bench, name string) convolve1D {
	c := b.program.Code(name)
	k := convolve1D{code: c, entry: newEntry(c)}
	x, y, acc, out, at, coef := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	k.pixel = append(divide(c, y, k.entry.thread), divide(c, x, k.entry.thread)...)
	k.pixel = append(k.pixel, c.Op("MOV", acc), c.Op("IMAD", at, y, x), c.Op("LEA", at, at), c.Op("IMAD", out, y, x),
		c.Op("LEA", out, out), c.Op("MOV", coef))
	for j := range unroll {
		v, h, d, in := c.Reg(), c.Reg(), c.Reg(), c.Pred()
		k.place[j], k.inside[j] = c.Op("IADD3", d, x), [2]samples.Op{c.Op("ISETP", in, d), c.Op("ISETP", in, d, in)}
		k.load[j], k.tap[j] = c.Load("LDG", 4, v, at, in), c.Load("LDG", 4, h, coef, in)
		k.fuse[j] = c.Op("FFMA", acc, v, h, acc, in)
	}
	k.taps, k.store, k.units, k.exit = newLoop(c), c.Store("STG", 4, out, acc), newLoop(c), c.Exit()
	return k
}

func prepareConvolution(b *bench) maker {
	side := b.side(b.params.Int("side"))
	k := convolution{radius: b.params.Int("radius")}
	k.in, k.between, k.out = b.buffer("in", side*side, 4, trace.ArrayInput), b.buffer("between", side*side, 4, 0),
		b.buffer("out", side*side, 4, trace.ArrayOutput)
	k.coefficients = b.buffer("coefficients", 2*k.radius+1, 4, trace.ArrayInput)
	k.rows, k.columns = newConvolve1D(b, "convolution_rows"), newConvolve1D(b, "convolution_columns")
	return func(in input) (body, any) {
		n, taps := in.side(b.params.Int("side"), 8), 2*k.radius+1
		img := image{side: n, x: in.floats(n * n), filter: in.floats(taps), y: make([]float32, n*n)}
		between := make([]float32, n*n)
		first := b.record(b.blocks, in.threads, 0, k.rows.code, func(blk *samples.Block) {
			k.pass(blk, &k.rows, k.in, k.between, image{side: n, x: img.x, filter: img.filter, y: between}, 1, func(p int) int {
				return p % n
			})
		})
		second := b.record(b.blocks, in.threads, 0, k.columns.code, func(blk *samples.Block) {
			k.pass(blk, &k.columns, k.between, k.out, image{side: n, x: between, filter: img.filter, y: img.y}, n,
				func(p int) int {
					return p / n
				})
		})
		first.in, first.copies = 4*uint64(n*n)+4*uint64(taps), 2
		second.out, first.then = 4*uint64(n*n), &second
		return first, img
	}
}

// image is a square image, a filter, and the result.
type image struct {
	side      int
	x, filter []float32
	y         []float32
}

// pass convolves along one axis: step is between neighbours there, place where a
// pixel lies on it.
func (k *convolution) pass(blk *samples.Block, c *convolve1D, from, to buffer, img image, step int,
	place func(pixel int) int) {
	for i := range blk.Warps() {
		w := &blk.Warps()[i]
		c.entry.do(w)
		strided(blk, w, units(len(img.x)), func(unit int) {
			first := unit * samples.WarpSize
			w.Under(w.Where(func(l int) bool { return first+l < len(img.x) }), func() {
				w.Do(c.pixel...)
				byFour(2*k.radius+1, func(t0, n int) { k.taps(w, c, from, img, first, t0-k.radius, n, step, place) })
				w.Affine(c.store, to.At(first), 4)
			})
			c.units.next(w)
		})
		w.Exit(c.exit)
	}
}

// taps applies n coefficients, from distance d0 on.
func (k *convolution) taps(w *samples.Warp, c *convolve1D, from buffer, img image, first, d0, n, step int,
	place func(int) int) {
	var inside [unroll]uint32
	for j := range n {
		w.Do(c.place[j])
		w.Do(c.inside[j][:]...)
		inside[j] = w.Where(func(l int) bool { d := place(first+l) + d0 + j; return d >= 0 && d < img.side })
	}
	for j := range n {
		w.Predicated(inside[j], func() {
			w.Affine(c.load[j], from.At(0)+uint64(4*(first+(d0+j)*step)), 4)
			w.Same(c.tap[j], k.coefficients.At(k.radius-d0-j))
		})
	}
	for j := range n {
		w.Predicated(inside[j], func() {
			w.Do(c.fuse[j])
			w.Lanes(func(l int) {
				img.y[first+l] += float32(img.x[first+l+(d0+j)*step] * img.filter[k.radius-d0-j])
			})
		})
	}
	c.taps.next(w)
}
