package tasks

import (
	"gpureplay/samples"
	"gpureplay/trace"
)

func init() {
	register("tasks-bf", "beam former, one beam in two tasks: a coarse and a fine filter",
		"Pagoda tables 3 and 4; StreamIt BeamFormer", beamformerKind)
}

var beamformerKind = &kind{name: "beamformer", registers: 34, prepare: prepareBeamformer,
	params: func() []samples.Param {
		return []samples.Param{
			samples.Int("width", 2048, 64, 65536, "samples of a signal, an even number"),
			samples.Int("taps", 256, 1, 256, "complex coefficients of each of the two filters"),
		}
	}, most: func(p samples.Params) int {
		return 2 * units(p.Int("width")) * (14*p.Int("taps") + 40)
	}}

// beamformer is the kernel of one filter, as in the public artifact. A lane computes one complex sample at a time,
// from a ring of as many samples as the filter has coefficients. It first puts its own into the ring. The coarse
// filter gives every sample, the fine one every second sample; the program waits between them. The signal, both
// filters and both rings are a copy each.
//
// The lanes of a warp put their samples into the one ring and read it in no order, so the artifact's result is not
// defined. The sums here are the filter's, the accesses the artifact's.
type beamformer struct {
	in, between, out buffer
	weight, ring     [2]buffer
	entry            entry
	begin            []samples.Op
	get, put         [2]samples.Op // the lane's own sample
	sample, tap      [unroll][2]samples.Op
	fuse             [unroll][]samples.Op
	step             [unroll][]samples.Op
	taps             loop
	store            [2]samples.Op
	units            loop
	exit             samples.Op
}

func prepareBeamformer(b *bench) maker {
	width, taps := b.length(b.params.Int("width")), b.params.Int("taps")
	k := beamformer{}
	k.in, k.between, k.out = b.buffer("signal", 2*width, 4, trace.ArrayInput), b.buffer("coarse", 2*width, 4, 0),
		b.buffer("fine", 2*width, 4, trace.ArrayOutput)
	for i, name := range []string{"coarse", "fine"} {
		k.weight[i], k.ring[i] = b.buffer(name+"_weight", 2*taps, 4, trace.ArrayInput),
			b.buffer(name+"_ring", 2*taps, 4, trace.ArrayInput)
	}
	c := b.program.Code("beam_fir_filter")
	k.entry = newEntry(c)
	re, im, in, pos, coef, out, x := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Regs(2)
	k.begin = []samples.Op{
		c.Op("IMAD", in, k.entry.thread), c.Op("LEA", in, in), c.Op("LOP3", pos, k.entry.thread), c.Op("IADD3", pos, pos),
		c.Op("SHF", pos, pos),
		c.Op("MOV", coef), c.Op("LEA", out, k.entry.thread), c.Op("MOV", re), c.Op("MOV", im),
	}
	for i := range x {
		k.get[i], k.put[i] = c.Load("LDG", 4, x[i], in), c.Store("STG", 4, pos, x[i])
	}
	for j := range unroll {
		d, h, r, q := c.Regs(2), c.Regs(2), c.Reg(), c.Reg()
		for i := range 2 {
			k.sample[j][i], k.tap[j][i] = c.Load("LDG", 4, d[i], pos), c.Load("LDG", 4, h[i], coef)
		}
		k.fuse[j] = []samples.Op{
			c.Op("FMUL", r, d[1], h[1]), c.Op("FFMA", r, d[0], h[0], r), c.Op("FMUL", q, d[0], h[1]),
			c.Op("FFMA", q, d[1], h[0], q),
			c.Op("FADD", re, re, r), c.Op("FADD", im, im, q),
		}
		k.step[j] = []samples.Op{c.Op("IADD3", pos, pos), c.Op("LOP3", pos, pos)}
	}
	k.taps, k.units, k.exit = newLoop(c), newLoop(c), c.Exit()
	k.store = [2]samples.Op{c.Store("STG", 4, out, re), c.Store("STG", 4, out, im)}
	return func(in input) (body, any) {
		n := in.length(b.params.Int("width"), 64)
		beam := beam{
			x: in.floats(2 * n), h: [2][]float32{in.floats(2 * taps), in.floats(2 * taps)}, coarse: make([]float32, 2*n),
			fine: make([]float32, n),
		}
		first := b.record(b.blocks, in.threads, 0, c,
			func(blk *samples.Block) { k.filter(blk, 0, k.in, k.between, beam.x, beam.h[0], beam.coarse) })
		second := b.record(b.blocks, in.threads, 0, c,
			func(blk *samples.Block) { k.filter(blk, 1, k.between, k.out, beam.coarse, beam.h[1], beam.fine) })
		first.in, first.copies = 8*uint64(n)+4*8*uint64(taps), 5
		second.out, first.then = 4*uint64(n), &second
		return first, beam
	}
}

// beam is a signal, its two filters and the outputs, real and imaginary parts in turn.
type beam struct {
	x            []float32
	h            [2][]float32
	coarse, fine []float32
}

// filter gives as many samples as y has, one of every len(x)/len(y).
func (k *beamformer) filter(blk *samples.Block, which int, from, to buffer, x, h, y []float32) {
	every := len(x) / len(y)
	for i := range blk.Warps() {
		w := &blk.Warps()[i]
		k.entry.do(w)
		strided(blk, w, units(len(y)/2), func(unit int) {
			first := unit * samples.WarpSize
			w.Under(w.Where(func(l int) bool {
				return first+l < len(y)/2
			}), func() { k.outputs(w, which, from, to, x, h, y, first, every) })
			k.units.next(w)
		})
		w.Exit(k.exit)
	}
}

// outputs computes 32 samples, from one on.
func (k *beamformer) outputs(w *samples.Warp, which int, from, to buffer, x, h, y []float32, first, every int) {
	taps := len(h) / 2
	place := func(l, t int) int { return (taps - 1 - (first+l)%taps + t) % taps }
	w.Do(k.begin...)
	for i := range 2 {
		w.Affine(k.get[i], from.At(0)+uint64(4*(2*first*every+i)), int32(8*every))
	}
	for i := range 2 {
		w.Mem(k.put[i], func(l int) uint64 { return k.ring[which].At(2*place(l, 0) + i) })
	}
	byFour(taps, func(t0, n int) {
		for j := range n {
			for i := range 2 {
				w.Mem(k.sample[j][i], func(l int) uint64 { return k.ring[which].At(2*place(l, t0+j) + i) })
				w.Same(k.tap[j][i], k.weight[which].At(2*(t0+j)+i))
			}
			w.Do(k.step[j]...)
		}
		for j := range n {
			w.Do(k.fuse[j]...)
		}
		k.taps.next(w)
	})
	for i := range 2 {
		w.Affine(k.store[i], to.At(0)+uint64(4*(2*first+i)), 8)
	}
	w.Lanes(func(l int) {
		re, im := fir(x, h, (first+l)*every)
		y[2*(first+l)], y[2*(first+l)+1] = re, im
	})
}

// fir is the complex sum of the last samples up to i, each times its coefficient.
func fir(x, h []float32, i int) (re, im float32) {
	for t := 0; t < len(h)/2 && t <= i; t++ {
		xr, xi, hr, hi := x[2*(i-t)], x[2*(i-t)+1], h[2*t], h[2*t+1]
		re += float32(xr*hr) - float32(xi*hi)
		im += float32(xr*hi) + float32(xi*hr)
	}
	return re, im
}
