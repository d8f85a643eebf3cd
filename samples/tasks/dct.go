package tasks

import (
	"gpureplay/samples"
	"gpureplay/trace"
)

func init() {
	register("tasks-dct", "discrete cosine transform of 8x8 blocks, one image per task",
		"Pagoda tables 3 and 4; CUDA SDK dct8x8, second kernel", dctKind)
}

var dctKind = &kind{name: "dct", registers: 33, prepare: prepareDCT, params: func() []samples.Param {
	return []samples.Param{
		samples.Int("side", 128, 8, 1024, "pixels along each side of an image, rounded down to a multiple of 8"),
		samples.Choice("shared", "off: a thread transforms a block in device memory, forth and back; on: a warp "+
			"transforms four, through shared memory", "off", "on"),
	}
}, most: func(p samples.Params) int {
	return units(p.Int("side")*p.Int("side"))*120 + 20*p.Int("threads")*p.Int("blocks")
}}

// dctStride is the SDK's padded row of 32 values in shared memory, in values.
const dctStride = 33

// dct is the kernel. Without shared memory it is the artifact's: a lane transforms an 8x8 block in place, rows
// first, and transforms it back into the result (dctdevice.go). Image and result are a copy each to the device.
// With shared memory a warp transforms a strip of four blocks. Eight values at a time go through the fast
// one-dimensional transform, rows first, as the SDK's second kernel has it, with a barrier after every exchange.
type dct struct {
	shared  bool
	in, out buffer
	entry   entry
	begin   []samples.Op
	load    [8]samples.Op // one value of a column
	store   [8]samples.Op
	put     [8]samples.Op // to shared memory
	get     [8]samples.Op
	device  dctDevice
	fast    []samples.Op // the transform of eight values
	units   loop
	barrier samples.Op
	exit    samples.Op
}

func prepareDCT(b *bench) maker {
	side := b.params.Int("side") / 8 * 8
	k := dct{shared: b.params.Text("shared") == "on"}
	most := b.side(side) * b.side(side)
	k.in, k.out = b.buffer("in", most, 4, trace.ArrayInput), b.buffer("out", most, 4, trace.ArrayOutput)
	c := b.program.Code("dct8x8")
	k.entry = newEntry(c)
	x, y, at, sm, p := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Pred()
	v := [8]trace.Reg(c.Regs(8))
	k.begin = []samples.Op{c.Op("LOP3", x, k.entry.thread), c.Op("SHF", y, k.entry.thread), c.Op("IMAD", at, y, x),
		c.Op("LEA", sm, k.entry.thread), c.Op("ISETP", p, x)}
	for j := range v {
		k.load[j], k.store[j] = c.Load("LDG", 4, v[j], at, p), c.Store("STG", 4, at, v[j], p)
		k.put[j], k.get[j] = c.Store("STS", 4, sm, v[j]), c.Load("LDS", 4, v[j], sm)
	}
	k.fast = fastDCT(c, v)
	k.units, k.barrier, k.exit = newLoop(c), c.Barrier(0), c.Exit()
	if !k.shared {
		k.device = newDCTDevice(c, k.entry.thread, k.fast, v)
	}
	return func(in input) (body, any) {
		n := in.side(side, 8)
		img := image{side: n, x: in.floats(n * n), y: make([]float32, n*n)}
		bytes := uint32(0)
		if k.shared {
			bytes = uint32(in.threads / samples.WarpSize * 8 * dctStride * 4)
		}
		bd := b.record(b.blocks, in.threads, bytes, c, func(blk *samples.Block) {
			if k.shared {
				k.cta(blk, img)
			} else {
				k.blocks(blk, img)
			}
		})
		bd.in, bd.copies, bd.out, bd.sync = 2*4*uint64(n*n), 2, 4*uint64(n*n), k.shared
		return bd, img
	}
}

// fastDCT is the code of [transform]: 12 sums and differences, 2 + 2 for
// coefficients 0 and 4, 3 + 3 for 2 and 6, 5 for each of the odd ones.
func fastDCT(c *samples.Code, v [8]trace.Reg) (ops []samples.Op) {
	do := func(opcode string, dst trace.Reg, src ...trace.Reg) { ops = append(ops, c.Op(opcode, dst, src...)) }
	s, d, e := c.Regs(4), c.Regs(4), c.Regs(4)
	for i := range 4 {
		do("FADD", s[i], v[i], v[7-i])
		do("FADD", d[i], v[i], v[7-i])
	}
	do("FADD", e[0], s[0], s[3])
	do("FADD", e[1], s[0], s[3])
	do("FADD", e[2], s[1], s[2])
	do("FADD", e[3], s[1], s[2])
	for i, out := range []int{0, 4} {
		do("FADD", s[i], e[0], e[2])
		do("FMUL", v[out], s[i])
	}
	for i, out := range []int{2, 6} {
		do("FMUL", s[2+i], e[1])
		do("FFMA", s[2+i], e[3], s[2+i])
		do("FMUL", v[out], s[2+i])
	}
	for i, out := range []int{1, 3, 5, 7} {
		do("FMUL", e[i], d[0])
		for j := 1; j < 4; j++ {
			do("FFMA", e[i], d[j], e[i])
		}
		do("FMUL", v[out], e[i])
	}
	return ops
}

// cta lets all warps go through the same number of strips, for the barriers.
func (k *dct) cta(blk *samples.Block, img image) {
	across := ceil(img.side, samples.WarpSize)
	strips, warps := across*img.side/8, len(blk.Warps())
	rounds := ceil(strips, warps*int(blk.Grid[0]))
	for i := range blk.Warps() {
		w := &blk.Warps()[i]
		k.entry.do(w)
		for r := range rounds {
			strip := (r*int(blk.Grid[0])+blk.X())*warps + i
			x, y := strip%across*samples.WarpSize, strip/across*8
			mask := w.Where(func(l int) bool { return strip < strips && x+l < img.side })
			k.throughShared(w, img, x, y, mask)
			k.units.next(w)
		}
		w.Exit(k.exit)
	}
}

// throughShared transforms rows and then columns of a strip at (x, y).
func (k *dct) throughShared(w *samples.Warp, img image, x, y int, mask uint32) {
	base := uint64(w.ID * 8 * dctStride * 4)
	row := func(l, j int) uint64 { return base + uint64(4*(l%8*dctStride+l/8*8+j)) }
	column := base
	w.Under(mask, func() {
		w.Do(k.begin...)
		for j := range 8 {
			w.Affine(k.load[j], k.in.At((y+j)*img.side+x), 4)
			w.Affine(k.put[j], column+uint64(4*j*dctStride), 4)
		}
	})
	w.Do(k.barrier)
	w.Under(mask, func() {
		for j := range 8 {
			w.Mem(k.get[j], func(l int) uint64 { return row(l, j) })
		}
		w.Do(k.fast...)
		for j := range 8 {
			w.Mem(k.put[j], func(l int) uint64 { return row(l, j) })
		}
		w.Lanes(func(l int) { img.rows(x+l/8*8, y+l%8) })
	})
	w.Do(k.barrier)
	w.Under(mask, func() {
		for j := range 8 {
			w.Affine(k.get[j], column+uint64(4*j*dctStride), 4)
		}
		w.Do(k.fast...)
		for j := range 8 {
			w.Affine(k.store[j], k.out.At((y+j)*img.side+x), 4)
		}
		w.Lanes(func(l int) { img.column(img.y, x+l, y) })
	})
	w.Do(k.barrier)
}

// rows transforms eight values of a row into the result.
func (img image) rows(x, y int) {
	copy(img.y[y*img.side+x:][:8], img.x[y*img.side+x:][:8])
	transform(img.y[y*img.side+x:][:8])
}

// column transforms eight values of a column of from into the result.
func (img image) column(from []float32, x, y int) {
	var v [8]float32
	for j := range v {
		v[j] = from[(y+j)*img.side+x]
	}
	transform(v[:])
	for j := range v {
		img.y[(y+j)*img.side+x] = v[j]
	}
}

// transform replaces eight values by their orthonormal cosine transform, in the
// even-odd decomposition that the SDK's kernel uses. The constants are
// sqrt(2)·cos(i·pi/16) for i = 1, 2, 3, 5, 6, 7, and 1/sqrt(8).
func transform(v []float32) {
	const a, b, c, d, e, f = 1.3870398453221475, 1.3065629648763766, 1.1758756024193588, 0.7856949583871022,
		0.5411961001461971,
		0.2758993792829431
	const norm = 0.3535533905932738
	s0, s1, s2, s3 := v[0]+v[7], v[1]+v[6], v[2]+v[5], v[3]+v[4]
	d0, d1, d2, d3 := v[0]-v[7], v[1]-v[6], v[2]-v[5], v[3]-v[4]
	pp, pm, qp, qm := s0+s3, s0-s3, s1+s2, s1-s2
	v[0], v[4] = norm*(pp+qp), norm*(pp-qp)
	v[2], v[6] = norm*(b*pm+e*qm), norm*(e*pm-b*qm)
	v[1] = norm * (a*d0 + c*d1 + d*d2 + f*d3)
	v[3] = norm * (c*d0 - f*d1 - a*d2 - d*d3)
	v[5] = norm * (d*d0 - a*d1 + f*d2 + c*d3)
	v[7] = norm * (f*d0 - d*d1 + c*d2 - a*d3)
}
