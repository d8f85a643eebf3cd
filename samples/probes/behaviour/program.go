package behaviour

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"

	"gpureplay/samples"
	"gpureplay/trace"
)

// behaviours are the kinds of random programs: parts of the kernel, shape of the grid, least compute capability.
var behaviours = []struct {
	name  string
	shape shape
	parts []part // each kernel has all, in this order
	least int    // sm
}{
	{name: "alu", parts: []part{alu}},
	{name: "fp64", parts: []part{fp64}},
	{name: "sfu", parts: []part{sfu, alu}},
	{name: "tensor", parts: []part{tensor, alu}},
	{name: "texture", parts: []part{texture}},
	{name: "shared", parts: []part{shared, shared}},
	{name: "barrier", parts: []part{unequal, barrier}},
	{name: "divergent", parts: []part{divergent}},
	{name: "stride", parts: []part{stride}},
	{name: "walk", parts: []part{walk}},
	{name: "stream", parts: []part{stream}},
	{name: "store", parts: []part{streamStore}},
	{name: "copy", parts: []part{stream, streamStore}},
	{name: "reuse-l1", parts: []part{reuseL1}},
	{name: "reuse-l2", parts: []part{reuseL2}},
	{name: "gather", parts: []part{gather}},
	{name: "scatter", parts: []part{scatter}},
	{name: "strong", parts: []part{strong}},
	{name: "chase", shape: few, parts: []part{chase}},
	{name: "atomic", parts: []part{atomic}},
	{name: "atomic-shared", parts: []part{gatherShared}},
	{name: "local", parts: []part{local}},
	{name: "async", parts: []part{async}, least: 80},
	{name: "tile", parts: []part{tile}},
	{name: "stencil", parts: []part{stencil}},
	{name: "reduce", parts: []part{stream, reduce}},
	{name: "tiny-ctas", shape: tiny, parts: []part{alu, streamStore}},
	{name: "kernels", shape: several, parts: []part{anything}},
	{name: "mix", parts: []part{anything, anything, anything}},
	{name: "fence", parts: []part{streamStore, fence}},
}

func init() { samples.Register(generator) }

func generator() samples.Generator {
	var kinds []string
	for _, b := range behaviours {
		kinds = append(kinds, b.name)
	}
	return samples.Generator{
		Name:   "behaviour",
		Title:  "random small program of one behaviour, for comparison with other simulators",
		Source: "probe of every part of a machine",
		Params: []samples.Param{
			samples.Choice("kind", "kind of its kernels", kinds...),
			samples.Int("sm", 70, 70, 89, "compute capability, times ten, whose instructions it has"),
			samples.Int("most", 24000, 1000, 1<<20, "warp instructions, about, that it does not exceed"),
			samples.Seed(),
		},
		Generate: func(w samples.Writer, p samples.Params) error {
			return behaviour(w, p.Text("kind"), p.Int("sm"), p.Int("most"), p.Seed())
		},
	}
}

// behaviour writes the program of a kind and a seed. Its instructions use general
// registers alone, at most one destination and four sources, so that nothing of
// it is lost in a capture.
func behaviour(w samples.Writer, kind string, sm, most int, seed uint64) error {
	for _, b := range behaviours {
		if b.name != kind {
			continue
		}
		if sm < b.least {
			return fmt.Errorf("kind=%s needs sm=%d or more", kind, b.least)
		}
		h := fnv.New64a()
		h.Write([]byte(kind))
		r := rand.New(rand.NewPCG(seed, h.Sum64()))
		p := samples.NewProgram(w)
		kernels := 1
		if b.shape == several {
			kernels = 2 + r.IntN(5)
		}
		most = most / kernels * (10 + r.IntN(90)) / 100
		for i := range kernels {
			k := &maker{p: p, r: r, most: most, Code: p.Code(fmt.Sprintf("%s%d", strings.ReplaceAll(kind, "-", "_"), i))}
			k.launch(b.shape, b.parts)
		}
		p.Sync()
		return p.Err()
	}
	return fmt.Errorf("no kind %q", kind)
}

// shape is a kind of grid.
type shape int

const (
	medium  shape = iota // CTAs of every size, from one to several for each SM
	few                  // few warps
	tiny                 // thousands of CTAs of one or two warps
	several              // any, several kernels
)

// part adds instructions to a kernel and returns the step that runs them.
type part func(k *maker) step

// step is a warp's work in one turn of the kernel's loop.
type step func(w *samples.Warp, at place)

// place says which warp, in which turn.
type place struct {
	cta, warp int // in the grid; warps are numbered through all CTAs
	turn      int
	turns     int
}

// maker makes one kernel.
type maker struct {
	*samples.Code
	p      *samples.Program
	r      *rand.Rand
	most   int // warp instructions
	grid   int
	block  int
	shared int         // bytes of shared memory taken
	index  trace.Reg   // of the thread
	values []trace.Reg // written by earlier parts
	cost   int         // instructions of a turn
}

// launch makes the kernel and launches it.
func (k *maker) launch(s shape, parts []part) {
	k.shapeOf(s)
	cta, tid, none := k.Reg(), k.Reg(), samples.NoReg
	k.index = k.Reg()
	prologue := []samples.Op{k.Op("S2R", cta), k.Op("S2R", tid), k.Op("IMAD", k.index, cta, tid)}
	var steps []step
	for _, p := range parts {
		steps = append(steps, p(k))
	}
	counter := k.Reg()
	loop := []samples.Op{k.Op("IADD3", counter, counter), k.Op("ISETP.NE.AND", none, counter), k.Op("BRA", none)}
	exit := k.Exit()
	warps := warpsOf(k.block)
	once := warps * (len(prologue) + k.cost + len(loop) + 1)
	turns := 1
	if s != tiny {
		turns = pick(k, 1, 1, 2, 4, 8) // at least: few warps that work long, or many that do not
	}
	k.grid = max(1, min(k.grid, k.most/(once*turns)))
	if s != tiny {
		turns = max(1, min(64, k.most/(k.grid*once)))
	}
	k.p.Launch(trace.Kernel{
		Function: k.Function, Fidelity: trace.FidelityWarp, Flags: trace.KernelIrregular,
		Registers: uint32(16 + 8*k.r.IntN(7)), SharedBytes: uint32(k.shared),
		Grid: trace.Dim3{uint32(k.grid), 1, 1}, Block: trace.Dim3{uint32(k.block), 1, 1},
	}, func(b *samples.Block) {
		b.EachWarp(func(w *samples.Warp) {
			w.Do(prologue...)
			for turn := range turns {
				for _, s := range steps {
					s(w, place{cta: b.X(), warp: b.X()*warps + w.ID, turn: turn, turns: turns})
				}
				w.Do(loop...)
			}
			w.Exit(exit)
		})
	})
}

// shapeOf chooses grid and block; [maker.launch] takes CTAs off where they would do too much.
func (k *maker) shapeOf(s shape) {
	switch s {
	case few:
		k.grid, k.block = 1+k.r.IntN(8), []int{1, 32, 64}[k.r.IntN(3)]
		return
	case tiny:
		k.grid, k.block = 500+k.r.IntN(2500), []int{32, 64, 20}[k.r.IntN(3)]
		return
	}
	k.block = []int{32, 64, 96, 100, 128, 192, 256, 256, 512, 1024}[k.r.IntN(10)]
	k.grid = []int{1 + k.r.IntN(20), 20 + k.r.IntN(80), 46, 80, 160, 92 + k.r.IntN(300)}[k.r.IntN(6)]
}

// pick returns one of some values.
func pick[T any](k *maker, values ...T) T { return values[k.r.IntN(len(values))] }

// value returns a register that an earlier part has written, or the thread's index.
func (k *maker) value() trace.Reg {
	if len(k.values) == 0 {
		return k.index
	}
	return k.values[k.r.IntN(len(k.values))]
}

// op adds an instruction of a turn.
func (k *maker) op(opcode string, dst trace.Reg, src ...trace.Reg) samples.Op {
	k.cost++
	return k.Op(opcode, dst, src...)
}

// array allocates words of 4 bytes.
func (k *maker) array(words int) samples.Array {
	return k.p.Array("data", words, 4, trace.ArrayInput|trace.ArrayOutput)
}

// share takes bytes of shared memory and returns where they begin.
func (k *maker) share(bytes int) uint64 {
	at := k.shared
	k.shared += bytes
	return uint64(at)
}

// anything is one of the parts that every machine has and that go with any other.
func anything(k *maker) step {
	return pick(k, alu, fp64, sfu, tensor, texture, shared, barrier, divergent, stride, stream, streamStore, reuseL1,
		reuseL2, gather,
		scatter, strong, atomic, local, stencil)(k)
}

// warpsOf is the number of warps of so many threads.
func warpsOf(threads int) int { return (threads + samples.WarpSize - 1) / samples.WarpSize }
