package probes

import (
	"gpureplay/samples"
	"gpureplay/trace"
)

func init() { samples.Register(streamGenerator) }

func streamGenerator() samples.Generator {
	return samples.Generator{
		Name:   "stream",
		Title:  "streams of doubles, an element a thread: bandwidth by occupancy",
		Source: "the program that RRZE's gpu-stream measures",
		Params: []samples.Param{
			samples.Choice("kernel", "A = c, a sum of B, A = c·B, or A = c·B + C", "triad", "init", "read", "scale"),
			samples.Int("kib", 8192, 1, 1<<20, "KiB of each array"),
			samples.Int("block", 256, 32, 1024, "threads of a CTA"),
			samples.Int("shared", 0, 0, 228<<10, "bytes of shared memory of a CTA: how many fit an SM"),
		},
		Generate: func(w samples.Writer, p samples.Params) error {
			return streams(w, p.Text("kernel"), p.Int("kib")<<10/8, p.Int("block"), p.Int("shared"))
		},
	}
}

// streamed are the kernels. Each reads some arrays, has one operation for their elements, and
// writes one array or none.
var streamed = map[string]struct {
	reads   int
	compute string
	writes  bool
}{"init": {0, "MOV", true}, "read": {1, "DSETP.NEU.AND", false}, "scale": {1, "DMUL", true}, "triad": {2, "DFMA", true}}

// streams launches one kernel on arrays of n doubles. Nothing of them is in a cache: the
// host copies none. Per thread: three operations for the index, a comparison and the exit,
// one that looks at the parameter by which the program keeps its shared memory, an address
// and a load for each array that is read, an operation that needs them all, an address and
// a store.
func streams(w samples.Writer, kernel string, n, block, shared int) error {
	p, does := samples.NewProgram(w), streamed[kernel]
	c := p.Code(kernel)
	cta, tid, i, v := c.Reg(), c.Reg(), c.Reg(), c.Reg()
	outside := c.Pred()
	index := []samples.Op{c.Op("S2R", cta), c.Op("S2R", tid), c.Op("IMAD", i, cta, tid), c.Op("ISETP.GE.AND", outside, i)}
	beyond, keeps := c.Op("EXIT", samples.NoReg, outside), c.Op("ISETP.NE.AND", c.Pred())
	var from []samples.Array
	var loads []samples.Op
	var values []trace.Reg
	for k := range does.reads {
		at, value := c.Reg(), c.Reg()
		from = append(from, p.Array([]string{"b", "c"}[k], n, 8, trace.ArrayInput))
		index = append(index, c.Op("IMAD.WIDE", at, i))
		loads, values = append(loads, c.Load("LDG.E.64", 8, value, at)), append(values, value)
	}
	compute, to := c.Op(does.compute, v, values...), c.Reg()
	address, store, exit := c.Op("IMAD.WIDE", to, i), c.Store("STG.E.64", 8, to, v), c.Exit()
	var a samples.Array
	if does.writes {
		a = p.Array("a", n, 8, trace.ArrayOutput)
	}
	p.Launch(trace.Kernel{
		Function: c.Function, Fidelity: trace.FidelityWarp, Registers: 16, SharedBytes: uint32(shared),
		Grid: trace.Dim3{ceil(n, block), 1, 1}, Block: trace.Dim3{uint32(block), 1, 1},
	}, func(b *samples.Block) {
		element := func(x, _, _ int) int { return min(b.X()*block+x, n-1) }
		for _, x := range from {
			b.Range(x, trace.Read, element)
		}
		if does.writes {
			b.Range(a, trace.Write, element)
		}
		for k := range b.Warps() {
			w, first := &b.Warps()[k], b.X()*block+k*samples.WarpSize
			w.Do(index[:4]...)
			if w.ExitIf(beyond, w.Where(func(lane int) bool { return first+lane >= n })) {
				continue
			}
			w.Do(keeps)
			w.Do(index[4:]...)
			for l, x := range from {
				w.Affine(loads[l], x.At(first), 8)
			}
			w.Do(compute)
			if does.writes {
				w.Do(address)
				w.Affine(store, a.At(first), 8)
			}
			w.Exit(exit)
		}
	})
	p.Sync()
	return p.Err()
}
