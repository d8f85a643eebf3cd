package tasks

import (
	"math"

	"gpureplay/samples"
	"gpureplay/trace"
)

func init() {
	register("tasks-bf", "beam former, one beam per task",
		"Pagoda tables 3 and 4; StreamIt BeamFormer", common("regular", "irregular"), beamformerKind)
}

var beamformerKind = &kind{name: "beamformer", registers: 34, prepare: prepareBeamformer, params: []samples.Param{
	samples.Int("width", 2048, 64, 65536, "samples of a signal"),
	samples.Int("taps", 64, 1, 256, "complex coefficients of the filter"),
}, most: func(p samples.Params) int {
	return units(p.Int("width")) * (8*p.Int("taps") + 30)
}}

// beamformer is the kernel: a lane filters one complex sample with StreamIt's
// coarse filter (64 taps), steers it by a complex weight and takes its
// magnitude. Samples do not depend on each other, so nothing synchronises, as
// table 3 says; StreamIt's second filter, which works on the first one's
// results, would have to.
type beamformer struct {
	in, out     buffer
	coef        samples.Array
	code        *samples.Code
	entry       entry
	begin       []samples.Op
	guard       [unroll]samples.Op
	sample, tap [unroll]samples.Op
	fuse        [unroll][]samples.Op
	taps        loop
	steer       []samples.Op
	store       samples.Op
	units       loop
	exit        samples.Op
}

func prepareBeamformer(b *bench) maker {
	width, taps := b.params.Int("width"), b.params.Int("taps")
	k := beamformer{}
	k.in, k.out = b.buffer("signal", width, 8, trace.ArrayInput), b.buffer("magnitude", width, 4, trace.ArrayOutput)
	k.coef = b.shared("coefficients", taps, 8)
	c := b.program.Code("beamformer")
	k.code, k.entry = c, newEntry(c)
	re, im, in, coef, out, a, d := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	k.begin = []samples.Op{c.Op("LEA", in, k.entry.thread), c.Op("MOV", coef), c.Op("LEA", out, k.entry.thread), c.Op("MOV", re), c.Op("MOV", im)}
	for j := range unroll {
		x, h, p := c.Reg(), c.Reg(), c.Pred()
		k.guard[j] = c.Op("ISETP", p, k.entry.thread)
		k.sample[j], k.tap[j] = c.Load("LDG.64", 8, x, in, p), c.Load("LDG.64", 8, h, coef)
		k.fuse[j] = []samples.Op{
			c.Op("FFMA", re, x, h, re, p), c.Op("FFMA", im, x, h, im, p), c.Op("FFMA", re, x, h, re, p), c.Op("FFMA", im, x, h, im, p),
		}
	}
	k.taps = newLoop(c)
	k.steer = []samples.Op{
		c.Op("FMUL", a, re), c.Op("FFMA", a, im, a), c.Op("FMUL", d, re), c.Op("FFMA", d, im, d),
		c.Op("FMUL", re, a, a), c.Op("FFMA", re, d, d, re), c.Op("MUFU.RSQ", im, re), c.Op("FMUL", re, re, im),
	}
	k.store, k.units, k.exit = c.Store("STG", 4, out, re), newLoop(c), c.Exit()
	return func(in input) (body, any) {
		n := in.extent(width, 64)
		beam := beam{x: in.floats(2 * n), h: in.floats(2 * taps), weight: [2]float32(in.floats(2)), y: make([]float32, n)}
		bd := b.record(b.blocks, in.threads, 0, c, func(blk *samples.Block) {
			for i := range blk.Warps() {
				k.warp(blk, &blk.Warps()[i], beam)
			}
		})
		bd.in, bd.out = 8*uint64(n), 4*uint64(n)
		return bd, beam
	}
}

// beam is a signal and its filter, real and imaginary parts in turn, the weight,
// and the magnitudes.
type beam struct {
	x, h   []float32
	weight [2]float32
	y      []float32
}

func (k *beamformer) warp(blk *samples.Block, w *samples.Warp, b beam) {
	k.entry.do(w)
	n := len(b.y)
	strided(blk, w, ceil(n, samples.WarpSize), func(unit int) {
		first := unit * samples.WarpSize
		w.Under(w.Where(func(l int) bool { return first+l < n }), func() { k.filter(w, first, b) })
		k.units.next(w)
	})
	w.Exit(k.exit)
}

func (k *beamformer) filter(w *samples.Warp, first int, b beam) {
	var re, im [samples.WarpSize]float32
	w.Do(k.begin...)
	byFour(len(b.h)/2, func(t0, n int) {
		var late [unroll]uint32
		for j := range n {
			w.Do(k.guard[j])
			late[j] = w.Where(func(l int) bool { return first+l >= t0+j })
		}
		for j := range n {
			w.Predicated(late[j], func() { w.Affine(k.sample[j], k.in.At(0)+uint64(8*(first-t0-j)), 8) })
			w.Same(k.tap[j], k.coef.At(t0+j))
		}
		for j := range n {
			w.Predicated(late[j], func() {
				w.Do(k.fuse[j]...)
				w.Lanes(func(l int) {
					at, tap := 2*(first+l-t0-j), 2*(t0+j)
					x, y, hx, hy := b.x[at], b.x[at+1], b.h[tap], b.h[tap+1]
					re[l] += float32(x*hx) - float32(y*hy)
					im[l] += float32(x*hy) + float32(y*hx)
				})
			})
		}
		k.taps.next(w)
	})
	w.Do(k.steer...)
	w.Affine(k.store, k.out.At(first), 4)
	w.Lanes(func(l int) {
		x := float64(re[l])*float64(b.weight[0]) - float64(im[l])*float64(b.weight[1])
		y := float64(re[l])*float64(b.weight[1]) + float64(im[l])*float64(b.weight[0])
		b.y[first+l] = float32(math.Hypot(x, y))
	})
}
