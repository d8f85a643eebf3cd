package pipelines

import (
	"gpureplay/samples"
	"gpureplay/trace"
)

func init() { samples.Register(lpcGenerator) }

func lpcGenerator() samples.Generator {
	return samples.Generator{
		Name:    "lpc",
		Machine: "gk110-ppcs",
		Title:   "2D Laplace equation: Jacobi steps, repeated",
		Source:  "CRCS and PPCS paper, table 2 (LPC); a CUDA example code, configuration chosen here",
		Params: []samples.Param{
			samples.Int("n", 256, 3, 4096, "rows and columns of cells"),
			samples.Int("kernels", 10, 1, 1000, "steps, a kernel each"),
			samples.Seed(),
		},
		Generate: func(w samples.Writer, p samples.Params) error {
			_, err := laplace{n: p.Int("n")}.run(w, p.Int("kernels"), p.Seed())
			return err
		},
	}
}

// laplaceSide is the side of a CTA.
const laplaceSide = 16

// laplace is the program: every inner cell becomes the mean of its four neighbours, boundary cells are copied, and
// the two buffers change places.
//
//  1. The paper names its source only as a CUDA example code, and no launch configuration is published. The kernel
//     here is the usual one: a thread per cell, 16×16 threads, no shared memory. Its 12 registers follow from the
//     code below.
type laplace struct{ n int }

// laplaceCode is the kernel. Per thread: six operations for the cell, two comparisons and the exit, two for its
// number and address. Five for the boundary and a branch; a load on the boundary, and inside it four loads, three
// additions and a product. An address and a store.
type laplaceCode struct {
	*samples.Code
	index             []samples.Op
	beyond            samples.Op
	address, boundary []samples.Op
	copyLoad          samples.Op
	loads             [4]samples.Op
	mean              []samples.Op
	outAddress, store samples.Op
	exit              samples.Op
}

func newLaplaceCode(p *samples.Program) *laplaceCode {
	c := &laplaceCode{Code: p.Code("laplace2d")}
	ctaX, x, i, ctaY, y, j, cell, ptr := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	v := c.Regs(4)
	outside, edge, none := c.Pred(), c.Pred(), samples.NoReg
	c.index = []samples.Op{
		c.Op("S2R", ctaX), c.Op("S2R", x), c.Op("IMAD", i, ctaX, x), c.Op("S2R", ctaY), c.Op("S2R", y),
		c.Op("IMAD", j, ctaY, y),
		c.Op("ISETP.GE.AND", outside, i), c.Op("ISETP.GE.OR", outside, j, outside),
	}
	c.beyond = c.Op("EXIT", none, outside)
	c.address = []samples.Op{c.Op("IMAD", cell, j, i), c.Op("IMAD.WIDE", ptr, cell)}
	c.boundary = []samples.Op{
		c.Op("ISETP.EQ.AND", edge, i), c.Op("ISETP.EQ.OR", edge, j, edge), c.Op("IADD3", x, i),
		c.Op("ISETP.EQ.OR", edge, x, edge), c.Op("ISETP.EQ.OR", edge, j, edge), c.Op("BRA", none, edge),
	}
	c.copyLoad = c.Load("LDG.E", 4, v[0], ptr)
	for k := range c.loads {
		c.loads[k] = c.Load("LDG.E", 4, v[k], ptr)
	}
	c.mean = []samples.Op{
		c.Op("FADD", v[0], v[0], v[1]), c.Op("FADD", v[0], v[0], v[2]), c.Op("FADD", v[0], v[0], v[3]),
		c.Op("FMUL", v[0], v[0]),
	}
	c.outAddress = c.Op("IMAD.WIDE", ptr, cell)
	c.store = c.Store("STG.E", 4, ptr, v[0])
	c.exit = c.Exit()
	return c
}

func (l laplace) run(w samples.Writer, kernels int, seed uint64) ([]float32, error) {
	p := samples.NewProgram(w)
	p.Align = samples.Page
	cells := l.n * l.n
	flags := [2]trace.ArrayFlags{trace.ArrayInput, 0}
	flags[kernels%2] |= trace.ArrayOutput
	src := vector{p.Array("u1", cells, 4, flags[0]), samples.Uniform(cells, seed, 0)}
	dst := vector{p.Array("u2", cells, 4, flags[1]), make([]float32, cells)}
	code := newLaplaceCode(p)

	p.FileRead(src.Array)
	p.CopyH2D(src.Array)
	for range kernels {
		l.launch(p, code, src, dst)
		src, dst = dst, src
	}
	p.CopyD2H(src.Array)
	p.Sync()
	p.FileWrite(src.Array)
	return src.v, p.Err()
}

// neighbours are the offsets of a cell's neighbours, in the order of the loads.
func (l laplace) neighbours() [4]int { return [4]int{-1, 1, -l.n, l.n} }

func (l laplace) launch(p *samples.Program, code *laplaceCode, src, dst vector) {
	side := ceil(l.n, laplaceSide)
	kernel := trace.Kernel{
		Function: code.Function, Fidelity: trace.FidelityWarp, Registers: 12,
		Grid: trace.Dim3{side, side, 1}, Block: trace.Dim3{laplaceSide, laplaceSide, 1},
	}
	p.Launch(kernel, func(b *samples.Block) {
		cell := func(x, y, _ int) int { return (b.Y()*laplaceSide+y)*l.n + b.X()*laplaceSide + x }
		b.Range(src.Array, trace.Read, cell)
		for _, d := range l.neighbours() {
			b.Range(src.Array, trace.Read, func(x, y, z int) int { return cell(x, y, z) + d })
		}
		b.Range(dst.Array, trace.Write, cell)
		b.EachWarp(func(w *samples.Warp) { l.warp(w, code, b, src, dst) })
	})
}

// warp computes the cells of two rows of the CTA.
func (l laplace) warp(w *samples.Warp, c *laplaceCode, b *samples.Block, src, dst vector) {
	place := func(lane int) (i, j int) {
		x, y, _ := w.Thread(lane)
		return b.X()*laplaceSide + x, b.Y()*laplaceSide + y
	}
	cell := func(lane int) int { i, j := place(lane); return j*l.n + i }
	w.Do(c.index...)
	if w.ExitIf(c.beyond, w.Where(func(lane int) bool { i, j := place(lane); return i >= l.n || j >= l.n })) {
		return
	}
	w.Do(c.address...)
	w.Do(c.boundary...)
	edge := w.Where(func(lane int) bool {
		i, j := place(lane)
		return i == 0 || j == 0 || i == l.n-1 || j == l.n-1
	})
	w.Under(edge, func() {
		w.Mem(c.copyLoad, func(lane int) uint64 { return src.At(cell(lane)) })
		w.Lanes(func(lane int) { dst.v[cell(lane)] = src.v[cell(lane)] })
	})
	w.Under(^edge, func() {
		for k, d := range l.neighbours() {
			w.Mem(c.loads[k], func(lane int) uint64 { return src.At(cell(lane) + d) })
		}
		w.Do(c.mean...)
		w.Lanes(func(lane int) {
			var sum float32
			for _, d := range l.neighbours() {
				sum += src.v[cell(lane)+d]
			}
			dst.v[cell(lane)] = 0.25 * sum
		})
	})
	w.Do(c.outAddress)
	w.Mem(c.store, func(lane int) uint64 { return dst.At(cell(lane)) })
	w.Exit(c.exit)
}
