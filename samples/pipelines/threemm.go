package pipelines

import (
	"gpureplay/samples"
	"gpureplay/trace"
)

func init() { samples.Register(threeMMGenerator) }

func threeMMGenerator() samples.Generator {
	return samples.Generator{
		Name:    "3mm",
		Machine: "gk110-ppcs",
		Title:   "three matrix products: E = A·B, F = C·D, G = E·F",
		Source:  "CRCS and PPCS paper, table 2 (3MM); PolyBench-GPU 3MM",
		Params: []samples.Param{
			samples.Int("n", 256, 1, 2048, "rows and columns of every matrix"),
			samples.Choice("sum", "register: the running sum stays in a register and is stored each time, as NVIDIA's "+
				"compiler has it; "+
				"memory: it is loaded each time too, as the source is written", "register", "memory"),
			samples.Seed(),
		},
		Generate: func(w samples.Writer, p samples.Params) error {
			_, err := threeMM(w, p.Int("n"), p.Text("sum") == "memory", p.Seed())
			return err
		},
	}
}

// mmUnroll is how often the loop over k is unrolled, as nvcc does by default.
const mmUnroll = 4

// mmCode is one product kernel. Per thread: nine operations for j, i, the comparisons and the exit. Seven for the
// addresses of the three matrices, the sum and the counter, one store of 0 to the result. Per k: two loads, one
// fused multiply-add, one store of the running sum and the step of the pointer into the second matrix. The source
// accumulates in global memory, and the pointers may alias: NVIDIA's compiler (NVRTC 11.8 for compute_35) keeps the
// store but not the load. Per four k: counter, pointer into the first matrix, comparison, branch.
type mmCode struct {
	*samples.Code
	loads     bool // the running sum, each time
	index     []samples.Op
	leave     samples.Op
	addresses []samples.Op
	zero      samples.Op
	iteration [mmUnroll]mmIteration
	loop      []samples.Op
	exit      samples.Op
}

type mmIteration struct{ loadA, loadB, loadSum, fma, store, next samples.Op }

func newMMCode(p *samples.Program, name string, loads bool) *mmCode {
	c := &mmCode{Code: p.Code(name), loads: loads}
	ctaX, x, j, ctaY, y, i := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	row, ptrA, ptrB, ptrOut := c.Reg(), c.Reg(), c.Reg(), c.Reg()
	a, b, sum, k := c.Reg(), c.Reg(), c.Reg(), c.Reg()
	beyond, more, none := c.Pred(), c.Pred(), samples.NoReg
	c.index = []samples.Op{
		c.Op("S2R", ctaX), c.Op("S2R", x), c.Op("IMAD", j, ctaX, x),
		c.Op("S2R", ctaY), c.Op("S2R", y), c.Op("IMAD", i, ctaY, y),
		c.Op("ISETP.GE.AND", beyond, j), c.Op("ISETP.GE.OR", beyond, i, beyond),
	}
	c.leave = c.Op("EXIT", none, beyond)
	c.addresses = []samples.Op{
		c.Op("IMAD", row, i, j), c.Op("IMAD.WIDE", ptrOut, row),
		c.Op("IMAD", row, i), c.Op("IMAD.WIDE", ptrA, row), c.Op("IMAD.WIDE", ptrB, j),
		c.Op("MOV", sum), c.Op("MOV", k),
	}
	c.zero = c.Store("STG.E", 4, ptrOut, sum)
	for u := range c.iteration {
		c.iteration[u] = mmIteration{
			loadA: c.Load("LDG.E", 4, a, ptrA),
			loadB: c.Load("LDG.E", 4, b, ptrB),
		}
		it := &c.iteration[u]
		if loads {
			it.loadSum = c.Load("LDG.E", 4, sum, ptrOut)
		}
		it.fma, it.store, it.next = c.Op("FFMA", sum, a, b, sum), c.Store("STG.E", 4, ptrOut, sum),
			c.Op("IMAD.WIDE", ptrB, ptrB)
	}
	c.loop = []samples.Op{
		c.Op("IADD3", k, k), c.Op("IADD3", ptrA, ptrA), c.Op("ISETP.LT.AND", more, k), c.Op("BRA", none, more),
	}
	c.exit = c.Exit()
	return c
}

func threeMM(w samples.Writer, n int, loads bool, seed uint64) ([]float32, error) {
	p := samples.NewProgram(w)
	p.Align = samples.Page
	input := func(name string, stream uint64) vector {
		return vector{p.Array(name, n*n, 4, trace.ArrayInput), samples.Uniform(n*n, seed, stream)}
	}
	a, b, c, d := input("A", 0), input("B", 1), input("C", 2), input("D", 3)
	e := vector{p.Array("E", n*n, 4, 0), make([]float32, n*n)}
	f := vector{p.Array("F", n*n, 4, 0), make([]float32, n*n)}
	g := vector{p.Array("G", n*n, 4, trace.ArrayOutput), make([]float32, n*n)}
	k1, k2, k3 := newMMCode(p, "mm3_kernel1", loads), newMMCode(p, "mm3_kernel2", loads),
		newMMCode(p, "mm3_kernel3", loads)

	// side by side; all four so would let no CTA of the first product end before the prelude does
	p.FileRead(a.Array, b.Array)
	p.CopyH2D(a.Array, b.Array)
	p.FileRead(c.Array, d.Array)
	p.CopyH2D(c.Array, d.Array)
	k1.launch(p, n, a, b, e)
	k2.launch(p, n, c, d, f)
	k3.launch(p, n, e, f, g)
	p.CopyD2H(g.Array)
	p.Sync()
	p.FileWrite(g.Array)
	return g.v, p.Err()
}

func (c *mmCode) launch(p *samples.Program, n int, a, b, out vector) {
	kernel := trace.Kernel{
		Function: c.Function, Fidelity: trace.FidelityWarp, Registers: 19,
		Grid: trace.Dim3{ceil(n, 32), ceil(n, 8), 1}, Block: trace.Dim3{32, 8, 1},
	}
	p.Launch(kernel, func(blk *samples.Block) {
		j0, i0 := blk.X()*32, blk.Y()*8
		mode := trace.Write
		if c.loads {
			mode = trace.ReadWrite
		}
		blk.Range(out.Array, mode, func(x, y, _ int) int { return (i0+y)*n + j0 + x })
		for _, k := range [2]int{0, n - 1} {
			blk.Range(a.Array, trace.Read, func(_, y, _ int) int { return (i0+y)*n + k })
			blk.Range(b.Array, trace.Read, func(x, _, _ int) int { return k*n + j0 + x })
		}
		blk.EachWarp(func(w *samples.Warp) { c.warp(w, n, i0+w.ID, j0, a, b, out) })
	})
}

// warp computes up to 32 columns of row i, from column j.
func (c *mmCode) warp(w *samples.Warp, n, i, j int, a, b, out vector) {
	w.Do(c.index...)
	if w.ExitIf(c.leave, w.Where(func(lane int) bool { return i >= n || j+lane >= n })) {
		return
	}
	w.Do(c.addresses...)
	to := out.At(i*n + j)
	w.Affine(c.zero, to, 4)
	sum := out.v[i*n+j : i*n+min(j+32, n)]
	clear(sum)
	for k := range n {
		it := &c.iteration[k%mmUnroll]
		w.Same(it.loadA, a.At(i*n+k))
		w.Affine(it.loadB, b.At(k*n+j), 4)
		if c.loads {
			w.Affine(it.loadSum, to, 4)
		}
		w.Do(it.fma)
		left, right := a.v[i*n+k], b.v[k*n+j:]
		for l := range sum {
			sum[l] += left * right[l]
		}
		w.Affine(it.store, to, 4)
		w.Do(it.next)
		if k%mmUnroll == mmUnroll-1 || k == n-1 {
			w.Do(c.loop...)
		}
	}
	w.Exit(c.exit)
}
