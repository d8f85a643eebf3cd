package probes

import (
	"gpureplay/samples"
	"gpureplay/trace"
)

func init() { samples.Register(scaleGenerator) }

func scaleGenerator() samples.Generator {
	return samples.Generator{
		Name:   "scale",
		Title:  "small dependent kernels: the boundary between kernels",
		Source: "the program that RRZE's gpu-small-kernels measures",
		Params: []samples.Param{
			samples.Int("elements", 4096, 1, 1<<24, "doubles that a kernel scales"),
			samples.Int("block", 256, 32, 1024, "threads of a CTA"),
			samples.Int("kernels", 64, 1, 1<<16, "kernels, from one array to the other and back"),
		},
		Generate: func(w samples.Writer, p samples.Params) error {
			return scale(w, p.Int("elements"), p.Int("block"), p.Int("kernels"))
		},
	}
}

// scale launches A[i] = 0.25·B[i] over and over in one stream, the arrays changing
// places, each time with n/block + 1 CTAs. Per thread: three operations for the
// index, a comparison and the exit, two addresses, a load, a multiplication that
// waits for it and a store.
func scale(w samples.Writer, n, block, kernels int) error {
	p := samples.NewProgram(w)
	a := [2]samples.Array{p.Array("a", n, 8, trace.ArrayInput|trace.ArrayOutput), p.Array("b", n, 8, trace.ArrayOutput)}
	c := p.Code("scale")
	cta, tid, i, from, to, v := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	outside := c.Pred()
	index := []samples.Op{c.Op("S2R", cta), c.Op("S2R", tid), c.Op("IMAD", i, cta, tid), c.Op("ISETP.GE.AND", outside, i)}
	beyond := c.Op("EXIT", samples.NoReg, outside)
	addresses := []samples.Op{c.Op("IMAD.WIDE", from, i), c.Op("IMAD.WIDE", to, i)}
	load, multiply, store := c.Load("LDG.E.64", 8, v, from), c.Op("DMUL", v, v), c.Store("STG.E.64", 8, to, v)
	exit := c.Exit()
	p.CopyH2D(a[0])
	p.Sync()
	for k := range kernels {
		src, dst := a[k%2], a[1-k%2]
		p.Launch(trace.Kernel{
			Function: c.Function, Fidelity: trace.FidelityWarp, Registers: 12,
			Grid: trace.Dim3{uint32(n/block + 1), 1, 1}, Block: trace.Dim3{uint32(block), 1, 1},
		}, func(b *samples.Block) {
			if b.X()*block < n {
				element := func(x, _, _ int) int { return min(b.X()*block+x, n-1) }
				b.Range(src, trace.Read, element)
				b.Range(dst, trace.Write, element)
			}
			for k := range b.Warps() {
				w, first := &b.Warps()[k], b.X()*block+k*samples.WarpSize
				w.Do(index...)
				if w.ExitIf(beyond, w.Where(func(lane int) bool { return first+lane >= n })) {
					continue
				}
				w.Do(addresses...)
				w.Affine(load, src.At(first), 8)
				w.Do(multiply)
				w.Affine(store, dst.At(first), 8)
				w.Exit(exit)
			}
		})
	}
	p.Sync()
	p.CopyD2H(a[kernels%2])
	return p.Err()
}
