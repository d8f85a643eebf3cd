package probes

import (
	"gpureplay/samples"
	"gpureplay/trace"
)

func init() { samples.Register(copyGenerator) }

func copyGenerator() samples.Generator {
	return samples.Generator{
		Name:   "copy",
		Title:  "streaming copy: DRAM bandwidth",
		Source: "probe of the memory path",
		Params: []samples.Param{
			samples.Int("kib", 16384, 1, 1<<20, "KiB copied"),
			samples.Choice("width", "bytes of one thread's load and store", "16", "4", "8"),
		},
		Generate: func(w samples.Writer, p samples.Params) error {
			return stream(w, p.Int("kib")<<10, p.Int("width"))
		},
	}
}

// streamBlock is the number of threads of a CTA.
const streamBlock = 256

// stream copies bytes, width of them with each thread. Per thread: three
// operations for the index, a comparison and the exit, two addresses, a load and a
// store that waits for it.
func stream(w samples.Writer, bytes, width int) error {
	p := samples.NewProgram(w)
	n := bytes / width
	src := p.Array("src", n, uint64(width), trace.ArrayInput)
	dst := p.Array("dst", n, uint64(width), trace.ArrayOutput)
	c := p.Code("copy")
	cta, tid, i, from, to, v := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	outside := c.Pred()
	opcode := map[int]string{4: "E", 8: "E.64", 16: "E.128"}[width]
	index := []samples.Op{c.Op("S2R", cta), c.Op("S2R", tid), c.Op("IMAD", i, cta, tid), c.Op("ISETP.GE.AND", outside, i)}
	beyond := c.Op("EXIT", samples.NoReg, outside)
	addresses := []samples.Op{c.Op("IMAD.WIDE", from, i), c.Op("IMAD.WIDE", to, i)}
	load, store := c.Load("LDG."+opcode, uint32(width), v, from), c.Store("STG."+opcode, uint32(width), to, v)
	exit := c.Exit()
	p.CopyH2D(src)
	p.Launch(trace.Kernel{
		Function: c.Function, Fidelity: trace.FidelityWarp, Registers: 12,
		Grid: trace.Dim3{ceil(n, streamBlock), 1, 1}, Block: trace.Dim3{streamBlock, 1, 1},
	}, func(b *samples.Block) {
		element := func(x, _, _ int) int { return b.X()*streamBlock + x }
		b.Range(src, trace.Read, element)
		b.Range(dst, trace.Write, element)
		for k := range b.Warps() {
			w, first := &b.Warps()[k], b.X()*streamBlock+k*samples.WarpSize
			w.Do(index...)
			if w.ExitIf(beyond, w.Where(func(lane int) bool { return first+lane >= n })) {
				continue
			}
			w.Do(addresses...)
			w.Affine(load, src.At(first), int32(width))
			w.Affine(store, dst.At(first), int32(width))
			w.Exit(exit)
		}
	})
	p.CopyD2H(dst)
	p.Sync()
	return p.Err()
}
