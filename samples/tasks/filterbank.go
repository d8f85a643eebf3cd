package tasks

import (
	"gpureplay/samples"
	"gpureplay/trace"
)

func init() {
	register("tasks-fb", "filter bank, one signal through one of its filters per task",
		"Pagoda figure 1(c), tables 3 and 4; StreamIt FilterBank", filterbankKind)
}

var filterbankKind = &kind{name: "filterbank", registers: 21, prepare: prepareFilterbank,
	params: func() []samples.Param {
		return []samples.Param{
			samples.Int("width", 2048, 64, 65536, "samples of a signal"),
			samples.Int("taps", 64, 1, 256, "coefficients of each of the two filters"),
		}
	}, most: func(p samples.Params) int {
		return 2 * units(p.Int("width")) * (9*p.Int("taps") + 20)
	}}

// bankRate is the rate of down- and up-sampling: StreamIt's bank has 8 filters.
const bankRate = 8

// filterbank is the kernel of figure 1(c): convolve with H, keep every eighth sample, stretch by eight, convolve
// with F, with a barrier between the stages. The intermediate signals and the coefficients lie in device memory.
//
//  1. The figure's listing repeats one line for both samplings; they are read as StreamIt has them: Dn[i] = VH[8i],
//     Up[8i] = Dn[i] and 0 between.
//  2. It sums over tid-k > 0, which drops the first sample of the signal from every sum; tid-k >= 0 is used.
//  3. A sum is added to in device memory, as the figure and the artifact write it. A tap's product waits for its
//     loads, since the store before it may be to where they load from.
//  4. The input is six copies, as in the artifact: the signal, the two sums and the stretched signal, which begin as
//     zeros, and the filters.
//  5. Barriers join the threadblock alone, so a signal has one threadblock whatever `blocks` says.
type filterbank struct {
	signal, vh, dn, up, out buffer
	h, f                    samples.Array
	entry                   entry
	conv                    [2]convolve
	address                 []samples.Op // of the samplings
	load, store             samples.Op
	units                   loop
	barrier, exit           samples.Op
}

// convolve is the code of one convolution.
type convolve struct {
	begin             []samples.Op
	sum               samples.Op         // the sum so far
	guard             [unroll]samples.Op // tid-k >= 0
	sample, tap, fuse [unroll]samples.Op
	store             [unroll]samples.Op
	taps              loop
}

func newConvolve(c *samples.Code, thread trace.Reg) convolve {
	acc, in, coef, out := c.Reg(), c.Reg(), c.Reg(), c.Reg()
	v := convolve{begin: []samples.Op{c.Op("LEA", in, thread), c.Op("MOV", coef), c.Op("LEA", out, thread)}}
	for j := range unroll {
		x, h, p := c.Reg(), c.Reg(), c.Pred()
		v.guard[j] = c.Op("ISETP", p, thread)
		v.sample[j], v.tap[j] = c.Load("LDG", 4, x, in, p), c.Load("LDG", 4, h, coef)
		v.fuse[j], v.store[j] = c.Op("FFMA", acc, x, h, acc, p), c.Store("STG", 4, out, acc, p)
	}
	v.sum, v.taps = c.Load("LDG", 4, acc, out), newLoop(c)
	return v
}

func prepareFilterbank(b *bench) maker {
	width, taps := b.params.Int("width"), b.params.Int("taps")
	k := filterbank{}
	most := b.length(width)
	k.signal = b.buffer("r", most, 4, trace.ArrayInput)
	k.vh, k.dn, k.up = b.buffer("vect_h", most, 4, 0), b.buffer("vect_dn", most, 4, 0), b.buffer("vect_up", most, 4, 0)
	k.out = b.buffer("vect_f", most, 4, trace.ArrayOutput)
	k.h, k.f = b.shared("h", taps, 4), b.shared("f", taps, 4)
	c := b.program.Code("gpufilter")
	k.entry = newEntry(c)
	k.conv = [2]convolve{newConvolve(c, k.entry.thread), newConvolve(c, k.entry.thread)}
	from, to, v := c.Reg(), c.Reg(), c.Reg()
	k.address = []samples.Op{c.Op("LEA", from, k.entry.thread), c.Op("LEA", to, k.entry.thread)}
	k.load, k.store = c.Load("LDG", 4, v, from), c.Store("STG", 4, to, v)
	k.units, k.barrier, k.exit = newLoop(c), c.Barrier(0), c.Exit()
	return func(in input) (body, any) {
		n := in.length(width, 64)
		s := signal{x: in.floats(n), h: in.floats(taps), f: in.floats(taps)}
		bd := b.record(1, in.threads, 0, c, func(blk *samples.Block) { s.y = k.cta(blk, s) })
		bd.in, bd.copies, bd.out, bd.sync = 4*4*uint64(n)+2*4*uint64(taps), 6, 4*uint64(n), true
		return bd, s
	}
}

// signal is a signal, its filters, and the result.
type signal struct{ x, h, f, y []float32 }

func (k *filterbank) cta(blk *samples.Block, s signal) []float32 {
	n := len(s.x)
	vh, dn, up, y := make([]float32, n), make([]float32, n/bankRate), make([]float32, n), make([]float32, n)
	blk.EachWarp(k.entry.do)
	k.stage(blk, n, func(w *samples.Warp, first int) {
		k.convolve(w, k.conv[0], first, k.signal, k.h, k.vh, s.x, s.h, vh)
	})
	k.stage(blk, n/bankRate, func(w *samples.Warp, first int) {
		w.Do(k.address...)
		w.Affine(k.load, k.vh.At(0)+uint64(first*bankRate*4), bankRate*4)
		w.Affine(k.store, k.dn.At(0)+uint64(first*4), 4)
		w.Lanes(func(l int) { dn[first+l] = vh[(first+l)*bankRate] })
	})
	k.stage(blk, n/bankRate, func(w *samples.Warp, first int) {
		w.Do(k.address...)
		w.Affine(k.load, k.dn.At(0)+uint64(first*4), 4)
		w.Affine(k.store, k.up.At(0)+uint64(first*bankRate*4), bankRate*4)
		w.Lanes(func(l int) { up[(first+l)*bankRate] = dn[first+l] })
	})
	k.stage(blk, n, func(w *samples.Warp, first int) { k.convolve(w, k.conv[1], first, k.up, k.f, k.out, up, s.f, y) })
	for i := range blk.Warps() {
		blk.Warps()[i].Exit(k.exit)
	}
	return y
}

// stage gives n samples to the warps, and ends with the barrier.
func (k *filterbank) stage(blk *samples.Block, n int, f func(w *samples.Warp, first int)) {
	for i := range blk.Warps() {
		w := &blk.Warps()[i]
		strided(blk, w, ceil(n, samples.WarpSize), func(unit int) {
			first := unit * samples.WarpSize
			w.Under(w.Where(func(l int) bool { return first+l < n }), func() { f(w, first) })
			k.units.next(w)
		})
		w.Do(k.barrier)
	}
}

// convolve computes 32 samples of y = x * h.
func (k *filterbank) convolve(w *samples.Warp, c convolve, first int, xs buffer, hs samples.Array, ys buffer, x, h,
	y []float32) {
	w.Do(c.begin...)
	w.Affine(c.sum, ys.At(first), 4)
	byFour(len(h), func(t0, n int) {
		for j := range n {
			w.Do(c.guard[j])
			late := w.Where(func(l int) bool { return first+l >= t0+j })
			w.Predicated(late, func() {
				w.Affine(c.sample[j], xs.At(0)+uint64(4*(first-t0-j)), 4)
				w.Same(c.tap[j], hs.At(t0+j))
				w.Do(c.fuse[j])
				w.Affine(c.store[j], ys.At(first), 4)
				w.Lanes(func(l int) { y[first+l] += float32(x[first+l-t0-j] * h[t0+j]) })
			})
		}
		c.taps.next(w)
	})
}
