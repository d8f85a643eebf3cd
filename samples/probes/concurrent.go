package probes

import (
	"gpureplay/samples"
	"gpureplay/trace"
)

func init() { samples.Register(concurrentGenerator) }

func concurrentGenerator() samples.Generator {
	return samples.Generator{
		Name:   "concurrent",
		Title:  "kernels of one CTA in streams of their own: concurrency of kernels",
		Source: "CUDA samples concurrentKernels",
		Params: []samples.Param{
			samples.Int("kernels", 32, 1, 1<<16, "kernels"),
			samples.Int("streams", 0, 0, 1<<16, "streams that the kernels take in turn; 0: one for each kernel"),
			samples.Int("threads", 32, 1, 1024, "threads of the CTA"),
			samples.Int("steps", 1024, 1, 1<<20, "dependent fused multiply-adds of a thread"),
		},
		Generate: func(w samples.Writer, p samples.Params) error {
			streams := p.Int("streams")
			if streams == 0 {
				streams = p.Int("kernels")
			}
			return concurrent(w, p.Int("kernels"), streams, p.Int("threads"), p.Int("steps"))
		},
	}
}

// concurrent launches kernels that compute for a while and store one value a
// thread. Per step of a thread: one fused multiply-add that waits for the one
// before, unrolled without a loop.
func concurrent(w samples.Writer, kernels, streams, threads, steps int) error {
	p := samples.NewProgram(w)
	out := p.Array("out", kernels*threads, 4, trace.ArrayOutput)
	c := p.Code("spin")
	tid, v, ptr := c.Reg(), c.Reg(), c.Reg()
	start := []samples.Op{c.Op("S2R", tid), c.Op("I2F", v, tid)}
	step := c.Op("FFMA", v, v, v, v)
	address := c.Op("IMAD.WIDE", ptr, tid)
	store, exit := c.Store("STG.E", 4, ptr, v), c.Exit()
	for k := range kernels {
		p.Launch(trace.Kernel{
			Function: c.Function, Fidelity: trace.FidelityWarp, Registers: 8, Stream: uint64(1 + k%streams),
			Grid: trace.Dim3{1, 1, 1}, Block: trace.Dim3{uint32(threads), 1, 1},
		}, func(b *samples.Block) {
			b.Range(out, trace.Write, func(x, _, _ int) int { return k*threads + x })
			b.EachWarp(func(w *samples.Warp) {
				w.Do(start...)
				for range steps {
					w.Do(step)
				}
				w.Do(address)
				w.Affine(store, out.At(k*threads+w.ID*samples.WarpSize), 4)
				w.Exit(exit)
			})
		})
	}
	p.Sync()
	p.CopyD2H(out)
	return p.Err()
}
