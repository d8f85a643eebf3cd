package tasks

import (
	"gpureplay/samples"
	"gpureplay/trace"
)

func init() {
	register("tasks-conv", "image convolution, one image per task",
		"Pagoda tables 3 and 4; CUDA SDK", common("regular", "irregular"), convolutionKind)
}

var convolutionKind = &kind{name: "convolution", registers: 25, prepare: prepareConvolution, params: []samples.Param{
	samples.Int("side", 128, 8, 1024, "pixels along each side of an image"),
	samples.Int("radius", 2, 1, 8, "of the filter: (2·radius+1)² coefficients"),
}, most: func(p samples.Params) int {
	return units(p.Int("side")*p.Int("side")) * (3*(2*p.Int("radius")+1)*(2*p.Int("radius")+2) + 20)
}}

// convolution is the kernel: a lane computes one pixel, pixels outside the image
// count as 0.
//
//  1. The SDK's sample is separable and joins its two passes in shared memory;
//     table 3 has neither shared memory nor barriers, so the filter is applied
//     in one pass. The default of 5x5 coefficients is the square nearest in work
//     to the SDK's two passes of 17.
//  2. The radius is known to the compiler: loops are unrolled, and coefficients
//     are constant operands of the multiply-add.
type convolution struct {
	radius  int
	in, out buffer
	code    *samples.Code
	entry   entry
	pixel   []samples.Op
	rows    []samples.Op       // the tap's row, whether it is inside, and its address
	inside  [unroll]samples.Op // whether the tap's column is too
	load    [unroll]samples.Op
	fuse    [unroll]samples.Op
	store   samples.Op
	units   loop
	exit    samples.Op
}

func prepareConvolution(b *bench) maker {
	side := b.params.Int("side")
	k := convolution{radius: b.params.Int("radius")}
	k.in, k.out = b.buffer("in", side*side, 4, trace.ArrayInput), b.buffer("out", side*side, 4, trace.ArrayOutput)
	c := b.program.Code("convolution")
	k.code, k.entry = c, newEntry(c)
	x, y, acc, row, out, column, inRow := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Pred()
	k.pixel = []samples.Op{c.Op("LOP3", x, k.entry.thread), c.Op("SHF", y, k.entry.thread), c.Op("MOV", acc), c.Op("LEA", out, k.entry.thread), c.Op("IADD3", column, x)}
	k.rows = []samples.Op{c.Op("IADD3", row, y), c.Op("ISETP", inRow, row), c.Op("IMAD", row, row, x)}
	for j := range unroll {
		v, in := c.Reg(), c.Pred()
		k.inside[j], k.load[j], k.fuse[j] = c.Op("ISETP", in, column, inRow), c.Load("LDG", 4, v, row, in), c.Op("FFMA", acc, v, acc, in)
	}
	k.store, k.units, k.exit = c.Store("STG", 4, out, acc), newLoop(c), c.Exit()
	return func(in input) (body, any) {
		n, taps := in.extent(side, 8), 2*k.radius+1
		img := image{side: n, x: in.floats(n * n), filter: in.floats(taps * taps), y: make([]float32, n*n)}
		bd := b.record(b.blocks, in.threads, 0, c, func(blk *samples.Block) {
			for i := range blk.Warps() {
				k.warp(blk, &blk.Warps()[i], img)
			}
		})
		bd.in, bd.out = 4*uint64(n*n), 4*uint64(n*n)
		return bd, img
	}
}

// image is a square image, a filter, and the result.
type image struct {
	side      int
	x, filter []float32
	y         []float32
}

func (k *convolution) warp(blk *samples.Block, w *samples.Warp, img image) {
	k.entry.do(w)
	strided(blk, w, ceil(len(img.x), samples.WarpSize), func(unit int) {
		first := unit * samples.WarpSize
		w.Under(w.Where(func(l int) bool { return first+l < len(img.x) }), func() { k.pixels(w, first, img) })
		k.units.next(w)
	})
	w.Exit(k.exit)
}

func (k *convolution) pixels(w *samples.Warp, first int, img image) {
	w.Do(k.pixel...)
	taps := 2*k.radius + 1
	for dy := -k.radius; dy <= k.radius; dy++ {
		w.Do(k.rows...)
		byFour(taps, func(t0, n int) { k.taps(w, first, img, dy, t0-k.radius, n) })
	}
	w.Affine(k.store, k.out.At(first), 4)
}

// taps applies n coefficients of row dy, from column dx on.
func (k *convolution) taps(w *samples.Warp, first int, img image, dy, dx, n int) {
	var inside [unroll]uint32
	from := first + dy*img.side + dx
	for j := range n {
		w.Do(k.inside[j])
		inside[j] = w.Where(func(l int) bool {
			x, y := (first+l)%img.side+dx+j, (first+l)/img.side+dy
			return x >= 0 && x < img.side && y >= 0 && y < img.side
		})
	}
	for j := range n {
		w.Predicated(inside[j], func() { w.Affine(k.load[j], k.in.At(0)+uint64(4*(from+j)), 4) })
	}
	for j := range n {
		w.Predicated(inside[j], func() {
			w.Do(k.fuse[j])
			f := img.filter[(dy+k.radius)*(2*k.radius+1)+dx+k.radius+j]
			w.Lanes(func(l int) { img.y[first+l] += float32(img.x[from+j+l] * f) })
		})
	}
}
