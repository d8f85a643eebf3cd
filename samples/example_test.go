package samples_test

import (
	"fmt"

	"gpureplay/samples"
	"gpureplay/samples/samplestest"
	"gpureplay/trace"
)

// A program that doubles 1000 numbers on the device.
func ExampleProgram() {
	w := &samplestest.Recording{} // a container.Writer for a file
	p := samples.NewProgram(w)
	const n = 1000
	data := p.Array("data", n, 4, trace.ArrayInput|trace.ArrayOutput)

	c := p.Code("double")
	i, ptr, v, beyond := c.Reg(), c.Reg(), c.Reg(), c.Pred()
	index := []samples.Op{c.Op("S2R", i), c.Op("ISETP.GE.AND", beyond, i)}
	leave := c.Op("EXIT", samples.NoReg, beyond)
	address, load := c.Op("IMAD.WIDE", ptr, i), c.Load("LDG.E", 4, v, ptr)
	double, store, exit := c.Op("FADD", v, v, v), c.Store("STG.E", 4, ptr, v), c.Exit()

	p.CopyH2D(data)
	p.Launch(trace.Kernel{
		Function: c.Function, Fidelity: trace.FidelityWarp, Registers: 8,
		Grid: trace.Dim3{4, 1, 1}, Block: trace.Dim3{256, 1, 1},
	}, func(b *samples.Block) {
		b.Range(data, trace.ReadWrite, func(x, _, _ int) int { return b.X()*256 + x })
		for k := range b.Warps() {
			warp, first := &b.Warps()[k], b.X()*256+k*samples.WarpSize
			warp.Do(index...)
			if warp.ExitIf(leave, warp.Where(func(lane int) bool { return first+lane >= n })) {
				continue
			}
			warp.Do(address)
			warp.Affine(load, data.At(first), 4)
			warp.Do(double)
			warp.Affine(store, data.At(first), 4)
			warp.Exit(exit)
		}
	})
	p.CopyD2H(data)

	last := w.CTAs[0][3]
	fmt.Println(p.Err(), w.Problem(), w.Kernels[0].WarpInsts, len(last.Warps), last.Ranges)
	// Output: <nil> <nil> 256 8 [{0 readwrite 3072 4000}]
}
