package tasks

import (
	"gpureplay/samples"
	"gpureplay/trace"
)

// matDevice is the code of the product without shared memory: a value at a time,
// whose sum over a row and a column is unrolled by four.
type matDevice struct {
	begin []samples.Op // row and column of the value
	a, b  [unroll]samples.Op
	next  [unroll]samples.Op // row of B
	fuse  [unroll]samples.Op
	steps loop
	store samples.Op
	units loop
}

func newMatDevice(c *samples.Code, thread trace.Reg) matDevice {
	var k matDevice
	row, col, ap, bp, out, sum := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	k.begin = append(divide(c, row, thread), c.Op("IMAD", ap, row), c.Op("LEA", ap, ap), c.Op("LEA", bp, col),
		c.Op("LEA", out, thread),
		c.Op("MOV", sum))
	for j := range unroll {
		av, bv := c.Reg(), c.Reg()
		k.a[j], k.b[j] = c.Load("LDG", 4, av, ap), c.Load("LDG", 4, bv, bp)
		k.next[j], k.fuse[j] = c.Op("IADD3", bp, bp), c.Op("FFMA", sum, av, bv, sum)
	}
	k.steps, k.store, k.units = newLoop(c), c.Store("STG", 4, out, sum), newLoop(c)
	return k
}

// values computes the product, 32 values a warp at a time.
func (k *matmul) values(blk *samples.Block, m product) {
	d := &k.device
	for i := range blk.Warps() {
		w := &blk.Warps()[i]
		k.entry.do(w)
		strided(blk, w, units(len(m.c)), func(unit int) {
			first := unit * samples.WarpSize
			row, col := func(l int) int { return (first + l) / m.n }, func(l int) int { return (first + l) % m.n }
			w.Under(w.Where(func(l int) bool { return first+l < len(m.c) }), func() {
				w.Do(d.begin...)
				byFour(m.n, func(s, n int) {
					for j := range n {
						w.Mem(d.a[j], func(l int) uint64 { return k.a.At(row(l)*m.n + s + j) })
						w.Mem(d.b[j], func(l int) uint64 { return k.b.At((s+j)*m.n + col(l)) })
						w.Do(d.next[j])
					}
					w.Do(d.fuse[:n]...)
					d.steps.next(w)
				})
				w.Affine(d.store, k.c.At(first), 4)
				w.Lanes(func(l int) { m.c[first+l] = m.dot(row(l), col(l)) })
			})
			d.units.next(w)
		})
		w.Exit(k.exit)
	}
}
