package pipelines

import "gpureplay/samples"

// convCode is either kernel, fully unrolled. Per thread: ten operations for the base, its address and the place in
// the tile. Ten loads, and for the halo's two a comparison, a zero and a guard. Ten stores to the tile, a barrier
// and an address. Per result seventeen loads from the tile, a product and sixteen fused multiply-adds with the
// filter in constant memory, and a store.
type convCode struct {
	*samples.Code
	index      []samples.Op
	bound      [convLoads][]samples.Op // of the halo steps
	load, keep [convLoads]samples.Op
	barrier    samples.Op
	address    samples.Op
	tap, sum   [convSteps][convTaps]samples.Op
	store      [convSteps]samples.Op
	exit       samples.Op
}

func newConvCode(p *samples.Program, name string) *convCode {
	c := &convCode{Code: p.Code(name)}
	ctaX, x, ctaY, y, col, row := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	cell, ptr, near, out := c.Reg(), c.Reg(), c.Reg(), c.Reg()
	v := c.Regs(convLoads)
	c.index = []samples.Op{
		c.Op("S2R", ctaX), c.Op("S2R", x), c.Op("LEA", col, ctaX), c.Op("IMAD", col, col, x),
		c.Op("S2R", ctaY), c.Op("S2R", y), c.Op("IMAD", row, ctaY, y), c.Op("IMAD", cell, row, col),
		c.Op("IMAD.WIDE", ptr, cell), c.Op("IMAD", near, y, x),
	}
	for k := range convLoads { // all loads are in flight before the first store to the tile
		if k == 0 || k == convLoads-1 {
			inside := c.Pred()
			c.bound[k] = []samples.Op{c.Op("ISETP.GE.AND", inside, col), c.Op("MOV", v[k])}
			c.load[k] = c.Load("LDG.E", 4, v[k], ptr, inside)
		} else {
			c.load[k] = c.Load("LDG.E", 4, v[k], ptr)
		}
	}
	for k := range convLoads {
		c.keep[k] = c.Store("STS", 4, near, v[k])
	}
	c.barrier = c.Barrier(0)
	c.address = c.Op("IMAD.WIDE", out, cell)
	words, sum := c.Regs(4), c.Reg()
	for k := range convSteps {
		for j := range convTaps {
			word := words[j%len(words)]
			c.tap[k][j] = c.Load("LDS", 4, word, near)
			if j == 0 {
				c.sum[k][j] = c.Op("FMUL", sum, word)
			} else {
				c.sum[k][j] = c.Op("FFMA", sum, word, sum)
			}
		}
		c.store[k] = c.Store("STG.E", 4, out, sum)
	}
	c.exit = c.Exit()
	return c
}

// load fills a warp's part of the tile; cells outside the image are 0.
func (c *convPass) load(w *samples.Warp, b *samples.Block, src vector, tile []float32) {
	w.Do(c.code.index...)
	for k, op := range c.code.load {
		var cell [samples.WarpSize]int
		inside := w.Where(func(lane int) bool {
			x, y, _ := w.Thread(lane)
			column, row := c.place(b, x, y, k)
			cell[lane] = row*c.width + column
			return column >= 0 && column < c.width && row >= 0 && row < c.height
		})
		w.Do(c.code.bound[k]...)
		w.Predicated(inside, func() {
			w.Mem(op, func(lane int) uint64 { return src.At(cell[lane]) })
		})
		w.Lanes(func(lane int) {
			x, y, _ := w.Thread(lane)
			if word := c.word(x, y, k); inside>>lane&1 != 0 {
				tile[word] = src.v[cell[lane]]
			} else {
				tile[word] = 0
			}
		})
	}
	for k, op := range c.code.keep {
		c.shared(w, op, k, 0)
	}
	w.Do(c.code.barrier)
}

// shared records a step to the tile, d words beyond the cell of step k.
func (c *convPass) shared(w *samples.Warp, op samples.Op, k, d int) {
	w.Mem(op, func(lane int) uint64 {
		x, y, _ := w.Thread(lane)
		return uint64(4 * (c.word(x, y, k) + d))
	})
}

// compute makes a warp's eight results a thread.
func (c *convPass) compute(w *samples.Warp, b *samples.Block, dst vector, tile []float32) {
	w.Do(c.code.address)
	for k := range convSteps {
		for j := range convTaps {
			c.shared(w, c.code.tap[k][j], k+1, j-convRadius)
			w.Do(c.code.sum[k][j])
		}
		cell := func(lane int) int {
			x, y, _ := w.Thread(lane)
			column, row := c.place(b, x, y, k+1)
			return row*c.width + column
		}
		w.Lanes(func(lane int) {
			x, y, _ := w.Thread(lane)
			from := c.word(x, y, k+1) - convRadius
			var sum float32
			for j, v := range tile[from : from+convTaps] {
				sum += c.taps[2*convRadius-j] * v
			}
			dst.v[cell(lane)] = sum
		})
		w.Mem(c.code.store[k], func(lane int) uint64 { return dst.At(cell(lane)) })
	}
	w.Exit(c.code.exit)
}
