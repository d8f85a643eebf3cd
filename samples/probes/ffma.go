package probes

import (
	"gpureplay/samples"
	"gpureplay/trace"
)

// Cycles of both kernels on an H100 PCIe have been published (mgpusim, suite simtune). The second has the
// instructions that Accel-Sim's tracer saw; the first is the second without its loop's body.
const simtune = "suite simtune of mgpusim, measured on an H100 PCIe"

func init() {
	samples.Register(emptyGenerator)
	samples.Register(ffmaGenerator)
}

func emptyGenerator() samples.Generator {
	return samples.Generator{
		Name:    "empty",
		Machine: "h100-pcie",
		Title:   "one kernel that does nothing: launch latency and the pace of CTAs",
		Source:  simtune + " (emptykernel)",
		Params:  launchParams(),
		Generate: func(w samples.Writer, p samples.Params) error {
			return oneKernel(w, p, "emptyKernel", func(c *samples.Code) func(w *samples.Warp) {
				stack, exit := c.Param("LDC", c.Reg()), c.Exit()
				return func(w *samples.Warp) {
					w.Do(stack)
					w.Exit(exit)
				}
			})
		},
	}
}

func ffmaGenerator() samples.Generator {
	return samples.Generator{
		Name:    "ffma",
		Machine: "h100-pcie",
		Title:   "one kernel of dependent multiply-adds, 128 an iteration: issue",
		Source:  simtune + " (ffmakernel), instruction by instruction as captured",
		Params:  append(launchParams(), samples.Int("iterations", 10, 1, 1<<20, "iterations of the loop")),
		Generate: func(w samples.Writer, p samples.Params) error {
			return oneKernel(w, p, "ffmaKernel", func(c *samples.Code) func(w *samples.Warp) {
				return ffma(c, p.Int("iterations"))
			})
		},
	}
}

func launchParams() []samples.Param {
	return []samples.Param{
		samples.Int("ctas", 1, 1, 1<<20, "CTAs"),
		samples.Int("threads", 32, 1, 1024, "threads of a CTA"),
	}
}

// oneKernel launches a kernel whose warps all do the same.
func oneKernel(w samples.Writer, p samples.Params, name string,
	code func(c *samples.Code) func(w *samples.Warp)) error {
	prog := samples.NewProgram(w)
	c := prog.Code(name)
	body := code(c)
	prog.Launch(trace.Kernel{
		Function: c.Function, Fidelity: trace.FidelityWarp, Registers: 24,
		Grid: trace.Dim3{uint32(p.Int("ctas")), 1, 1}, Block: trace.Dim3{uint32(p.Int("threads")), 1, 1},
	}, func(b *samples.Block) {
		b.EachWarp(body)
	})
	prog.Sync()
	return prog.Err()
}

// ffma is the code of ffmaKernel for sm_90. Uniform registers are left out, as
// the tracer leaves them out.
func ffma(c *samples.Code, iterations int) func(w *samples.Warp) {
	k, stack, count, sum := c.Reg(), c.Reg(), c.Reg(), c.Reg()
	prologue := []samples.Op{c.Param("LDC", stack), c.Param("LDC", count), c.Op("ISETP.GE.AND", samples.NoReg, count)}
	none := c.Exit()
	enter := []samples.Op{c.Op("HFMA2.MMA", sum), c.Op("UMOV", samples.NoReg)}
	loop := []samples.Op{c.Op("MOV", k), c.Op("UIADD3", samples.NoReg), c.Op("FFMA", sum, sum, k),
		c.Op("ISETP.LE.AND", samples.NoReg, count)}
	for range 127 {
		loop = append(loop, c.Op("FFMA", sum, sum, k))
	}
	again, last, exit := c.Op("BRA", samples.NoReg), c.Op("FSETP.NEU.AND", samples.NoReg, sum), c.Exit()
	return func(w *samples.Warp) {
		w.Do(prologue...)
		w.Predicated(0, func() { w.Exit(none) })
		w.Do(enter...)
		for i := range iterations {
			w.Do(loop...)
			if i < iterations-1 {
				w.Do(again)
			}
		}
		w.Predicated(0, func() { w.Do(again) })
		w.Do(last)
		w.Exit(exit)
	}
}
