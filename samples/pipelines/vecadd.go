package pipelines

import (
	"gpureplay/samples"
	"gpureplay/trace"
)

func init() { samples.Register(vecaddGenerator) }

func vecaddGenerator() samples.Generator {
	return samples.Generator{
		Name:    "vecadd",
		Machine: "gk110-ppcs",
		Title:   "two dependent vector additions: C = A + B, then D = C + A",
		Source:  "CRCS and PPCS paper, figures 4 and 7",
		Params: []samples.Param{
			samples.Int("n", 1<<18, 1, 1<<25, "elements of a vector"),
			samples.Int("block", 256, 32, 1024, "threads of a CTA"),
			samples.Seed(),
		},
		Generate: func(w samples.Writer, p samples.Params) error {
			_, err := vecAdd(w, p.Int("n"), p.Int("block"), p.Seed())
			return err
		},
	}
}

// vecAddCode is the kernel of figure 7(a): idx = blockDim.x·blockIdx.x + threadIdx.x; if idx < N, C[idx] = A[idx] +
// B[idx]. Per thread: three integer operations for the index, a comparison and the exit, one operation for each
// address, one addition, two loads, one store. Its 12 registers are the CUDA samples' vector addition's on an A100.
type vecAddCode struct {
	*samples.Code
	index     []samples.Op
	leave     samples.Op
	addresses []samples.Op
	loadA     samples.Op
	loadB     samples.Op
	sum       []samples.Op
	store     samples.Op
	exit      samples.Op
}

func newVecAddCode(p *samples.Program) *vecAddCode {
	c := &vecAddCode{Code: p.Code("VecAdd")}
	cta, tid, idx, a, b, out := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	va, vb, vc, beyond := c.Reg(), c.Reg(), c.Reg(), c.Pred()
	c.index = []samples.Op{
		c.Op("S2R", cta), c.Op("S2R", tid), c.Op("IMAD", idx, cta, tid), c.Op("ISETP.GE", beyond, idx),
	}
	c.leave = c.Op("EXIT", samples.NoReg, beyond)
	c.addresses = []samples.Op{c.Op("IMAD.WIDE", a, idx), c.Op("IMAD.WIDE", b, idx)}
	c.loadA = c.Load("LDG.E", 4, va, a)
	c.loadB = c.Load("LDG.E", 4, vb, b)
	c.sum = []samples.Op{c.Op("IMAD.WIDE", out, idx), c.Op("FADD", vc, va, vb)}
	c.store = c.Store("STG.E", 4, out, vc)
	c.exit = c.Exit()
	return c
}

func vecAdd(w samples.Writer, n, block int, seed uint64) ([]float32, error) {
	p := samples.NewProgram(w)
	p.Align = samples.Page
	input, output := trace.ArrayInput, trace.ArrayOutput
	a := vector{p.Array("A", n, 4, input), samples.Uniform(n, seed, 0)}
	b := vector{p.Array("B", n, 4, input), samples.Uniform(n, seed, 1)}
	c := vector{p.Array("C", n, 4, 0), make([]float32, n)}
	d := vector{p.Array("D", n, 4, output), make([]float32, n)}
	code := newVecAddCode(p)

	p.FileRead(a.Array, b.Array)
	p.CopyH2D(a.Array, b.Array)
	code.launch(p, n, block, a, b, c)
	code.launch(p, n, block, c, a, d)
	p.CopyD2H(d.Array)
	p.Sync()
	p.FileWrite(d.Array)
	return d.v, p.Err()
}

func (c *vecAddCode) launch(p *samples.Program, n, block int, a, b, out vector) {
	kernel := trace.Kernel{
		Function: c.Function, Fidelity: trace.FidelityWarp, Registers: 12,
		Grid: trace.Dim3{ceil(n, block), 1, 1}, Block: trace.Dim3{uint32(block), 1, 1},
	}
	p.Launch(kernel, func(blk *samples.Block) {
		first := blk.X() * block
		index := func(x, _, _ int) int { return first + x }
		blk.Range(out.Array, trace.Write, index)
		blk.Range(a.Array, trace.Read, index)
		blk.Range(b.Array, trace.Read, index)
		blk.EachWarp(func(w *samples.Warp) { c.warp(w, n, first+w.ID*samples.WarpSize, a, b, out) })
	})
}

// warp adds up to 32 elements. Lane 0 has the first.
func (c *vecAddCode) warp(w *samples.Warp, n, first int, a, b, out vector) {
	w.Do(c.index...)
	if w.ExitIf(c.leave, w.Where(func(lane int) bool { return first+lane >= n })) {
		return
	}
	w.Do(c.addresses...)
	w.Affine(c.loadA, a.At(first), 4)
	w.Affine(c.loadB, b.At(first), 4)
	w.Do(c.sum...)
	w.Lanes(func(lane int) { out.v[first+lane] = a.v[first+lane] + b.v[first+lane] })
	w.Affine(c.store, out.At(first), 4)
	w.Exit(c.exit)
}
