package tasks

import (
	"gpureplay/samples"
	"gpureplay/trace"
)

// dctDevice is the code of the transform without shared memory: eight values of a
// row or a column are loaded one by one, transformed, and stored.
type dctDevice struct {
	begin []samples.Op // place of the block
	next  samples.Op   // row or column
	load  [8]samples.Op
	fast  []samples.Op
	store [8]samples.Op
	rows  loop
	units loop
}

func newDCTDevice(c *samples.Code, thread trace.Reg, fast []samples.Op, v [8]trace.Reg) dctDevice {
	at := c.Reg()
	k := dctDevice{begin: append(divide(c, at, thread), c.Op("IMAD", at, at), c.Op("LEA", at, at)),
		next: c.Op("IADD3", at, at), fast: fast}
	for j := range v {
		k.load[j], k.store[j] = c.Load("LDG", 4, v[j], at), c.Store("STG", 4, at, v[j])
	}
	k.rows, k.units = newLoop(c), newLoop(c)
	return k
}

// blocks transforms an image in place and back into the result, a block a lane.
func (k *dct) blocks(blk *samples.Block, img image) {
	across := img.side / 8
	for i := range blk.Warps() {
		w := &blk.Warps()[i]
		k.entry.do(w)
		strided(blk, w, units(across*across), func(unit int) {
			first := unit * samples.WarpSize
			corner := func(l int) int { b := first + l; return b/across*8*img.side + b%across*8 }
			w.Under(w.Where(func(l int) bool { return first+l < across*across }), func() {
				w.Do(k.device.begin...)
				k.passes(w, k.in, k.in, img.side, corner)
				k.passes(w, k.in, k.out, img.side, corner)
				w.Lanes(func(l int) { img.thereAndBack(corner(l)) })
			})
			k.device.units.next(w)
		})
		w.Exit(k.exit)
	}
}

// passes transforms the rows of the lanes' blocks and then their columns, from one
// array to another and there in place.
func (k *dct) passes(w *samples.Warp, from, to buffer, side int, corner func(l int) int) {
	d := &k.device
	for _, x := range []struct {
		from          buffer
		step, between int
	}{{from, 1, side}, {to, side, 1}} {
		for r := range 8 {
			w.Do(d.next)
			for j := range 8 {
				w.Mem(d.load[j], func(l int) uint64 { return x.from.At(corner(l) + r*x.between + j*x.step) })
			}
			w.Do(d.fast...)
			for j := range 8 {
				w.Mem(d.store[j], func(l int) uint64 { return to.At(corner(l) + r*x.between + j*x.step) })
			}
			d.rows.next(w)
		}
	}
}

// thereAndBack transforms a block of the image in place, and back into the result.
func (img image) thereAndBack(corner int) {
	lines := func(v []float32, f func([]float32)) {
		for _, x := range [2][2]int{{1, img.side}, {img.side, 1}} {
			for r := range 8 {
				var line [8]float32
				for j := range line {
					line[j] = v[corner+r*x[1]+j*x[0]]
				}
				f(line[:])
				for j := range line {
					v[corner+r*x[1]+j*x[0]] = line[j]
				}
			}
		}
	}
	lines(img.x, transform)
	for r := range 8 {
		copy(img.y[corner+r*img.side:][:8], img.x[corner+r*img.side:][:8])
	}
	lines(img.y, inverse)
}

// inverse replaces eight coefficients by their values: the transpose of
// [transform], which is orthonormal.
func inverse(v []float32) {
	var out [8]float32
	for x := range out {
		var unit [8]float32
		unit[x] = 1
		transform(unit[:])
		for u := range v {
			out[x] += v[u] * unit[u]
		}
	}
	copy(v, out[:])
}
