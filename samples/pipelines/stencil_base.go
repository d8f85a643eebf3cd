package pipelines

import (
	"gpureplay/samples"
	"gpureplay/trace"
)

// stencilBase is the kernel of the suite's base version: a CTA for each row of inner cells, a thread for each cell
// of it but the last. Per thread: five operations for j, k and the cell, a comparison and the exit of cell 0, five
// addresses, seven loads. Then five additions, a product, a fused multiply-add, an address and a store.
//
// 1. Its registers are not published; 18 follow from the code below.
type stencilBase struct {
	*samples.Code
	index     []samples.Op
	leave     samples.Op
	addresses []samples.Op
	loads     [7]samples.Op // behind, before, above, below, right, left, centre
	sum       []samples.Op
	store     samples.Op
	exit      samples.Op
}

func newStencilBase(p *samples.Program) *stencilBase {
	c := &stencilBase{Code: p.Code("naive_kernel")}
	i, j, k, cell, sum, out := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	ptr, v := c.Regs(5), c.Regs(7)
	first, none := c.Pred(), samples.NoReg
	c.index = []samples.Op{
		c.Op("S2R", i), c.Op("S2R", j), c.Op("S2R", k), c.Op("IMAD", cell, k, j), c.Op("IMAD", cell, cell, i),
		c.Op("ISETP.LE.AND", first, i),
	}
	c.leave = c.Op("EXIT", none, first)
	for _, r := range ptr { // the row's own, k+1, k-1, j+1, j-1
		c.addresses = append(c.addresses, c.Op("IMAD.WIDE", r, cell))
	}
	for n, from := range [...]int{1, 2, 3, 4, 0, 0, 0} {
		c.loads[n] = c.Load("LDG.E", 4, v[n], ptr[from])
	}
	c.sum = []samples.Op{c.Op("FADD", sum, v[0], v[1])}
	for _, r := range v[2:6] {
		c.sum = append(c.sum, c.Op("FADD", sum, sum, r))
	}
	c.sum = append(c.sum, c.Op("FMUL", v[6], v[6]), c.Op("FFMA", sum, sum, v[6]), c.Op("IMAD.WIDE", out, cell))
	c.store = c.Store("STG.E", 4, out, sum)
	c.exit = c.Exit()
	return c
}

// neighbours are the offsets of the seven loads.
func (s *stencil) neighbours() [7]int {
	return [7]int{s.nx * s.ny, -s.nx * s.ny, s.nx, -s.nx, 1, -1, 0}
}

func (s *stencil) launchBase(p *samples.Program, src, dst vector) {
	kernel := trace.Kernel{
		Function: s.base.Function, Fidelity: trace.FidelityWarp, Registers: 18,
		Grid: trace.Dim3{uint32(s.ny - 2), uint32(s.nz - 2), 1}, Block: trace.Dim3{uint32(s.nx - 1), 1, 1},
	}
	p.Launch(kernel, func(b *samples.Block) {
		row := s.at(0, b.X()+1, b.Y()+1)
		for _, d := range s.neighbours() {
			b.Range(src.Array, trace.Read, func(x, _, _ int) int { return row + x + d })
		}
		b.Range(dst.Array, trace.Write, func(x, _, _ int) int { return row + x })
		b.EachWarp(func(w *samples.Warp) { s.baseWarp(w, row+w.ID*samples.WarpSize, src, dst) })
	})
}

// baseWarp computes the inner cells from cell first.
func (s *stencil) baseWarp(w *samples.Warp, first int, src, dst vector) {
	c := s.base
	w.Do(c.index...)
	if w.ExitIf(c.leave, w.Where(func(lane int) bool { return (first+lane)%s.nx == 0 })) {
		return
	}
	w.Do(c.addresses...)
	for n, d := range s.neighbours() {
		w.Mem(c.loads[n], func(lane int) uint64 { return src.At(first + lane + d) })
	}
	w.Do(c.sum...)
	w.Mem(c.store, func(lane int) uint64 { return dst.At(first + lane) })
	w.Lanes(func(lane int) {
		var sum float32
		around := s.neighbours()
		for _, d := range around[:6] {
			sum += src.v[first+lane+d]
		}
		dst.v[first+lane] = sum*stencilC1 - src.v[first+lane]*stencilC0
	})
	w.Exit(c.exit)
}
