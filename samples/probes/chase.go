package probes

import (
	"fmt"
	"math/rand/v2"

	"gpureplay/samples"
	"gpureplay/trace"
)

func init() { samples.Register(chaseGenerator) }

func chaseGenerator() samples.Generator {
	return samples.Generator{
		Name:   "chase",
		Title:  "pointer chase of one thread: latency",
		Source: "probe of the memory path",
		Params: []samples.Param{
			samples.Int("steps", 4096, 1, 1<<22, "dependent loads, one after another"),
			samples.Int("bytes", 1<<20, 8, 1<<30, "size of the ring of pointers, a multiple of stride"),
			samples.Int("stride", 128, 8, 1<<20, "bytes from one pointer to the next, a multiple of 8"),
			samples.Choice("order", "of the ring in memory", "ascending", "random"),
			samples.Seed(),
		},
		Generate: func(w samples.Writer, p samples.Params) error {
			bytes, stride := p.Int("bytes"), p.Int("stride")
			if bytes%stride != 0 || stride%8 != 0 {
				return fmt.Errorf("bytes=%d stride=%d: want a multiple of the stride, and that a multiple of 8", bytes, stride)
			}
			var r *rand.Rand
			if p.Text("order") == "random" {
				r = rand.New(rand.NewPCG(p.Seed(), 0))
			}
			return chase(w, p.Int("steps"), stride, ring(bytes/stride, r))
		},
	}
}

// ring returns for each of n places the next: one cycle over all of them, in
// ascending order or, from r, at random (Sattolo's shuffle).
func ring(n int, r *rand.Rand) []int32 {
	next := make([]int32, n)
	for i := range next {
		next[i] = int32((i + 1) % n)
	}
	if r == nil {
		return next
	}
	for i := range next {
		next[i] = int32(i)
	}
	for i := n - 1; i > 0; i-- {
		j := r.IntN(i)
		next[i], next[j] = next[j], next[i]
	}
	return next
}

// chase follows the ring from place 0. The one active thread has a load for each
// step, whose result is the next address, and nothing between; the last pointer is
// stored.
func chase(w samples.Writer, steps, stride int, next []int32) error {
	p := samples.NewProgram(w)
	links := p.Array("ring", len(next)*stride/8, 8, trace.ArrayInput)
	end := p.Array("end", 1, 8, trace.ArrayOutput)
	c := p.Code("chase")
	ptr, out := c.Reg(), c.Reg()
	start := []samples.Op{c.Op("MOV", ptr), c.Op("MOV", out)}
	load, store, exit := c.Load("LDG.E.64", 8, ptr, ptr), c.Store("STG.E.64", 8, out, ptr), c.Exit()
	p.CopyH2D(links)
	p.Launch(trace.Kernel{
		Function: c.Function, Fidelity: trace.FidelityWarp, Registers: 8, Flags: trace.KernelIrregular,
		Grid: trace.Dim3{1, 1, 1}, Block: trace.Dim3{1, 1, 1},
	}, func(b *samples.Block) {
		w := &b.Warps()[0]
		w.Do(start...)
		place := int32(0)
		for range steps {
			w.Same(load, links.At(int(place)*stride/8))
			place = next[place]
		}
		w.Same(store, end.At(0))
		w.Exit(exit)
	})
	p.CopyD2H(end)
	p.Sync()
	return p.Err()
}
