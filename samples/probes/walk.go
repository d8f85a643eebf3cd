package probes

import (
	"math/rand/v2"

	"gpureplay/samples"
	"gpureplay/trace"
)

func init() { samples.Register(walkGenerator) }

func walkGenerator() samples.Generator {
	return samples.Generator{
		Name:   "walk",
		Title:  "uncoalesced walk: every lane reads another sector",
		Source: "probe of the memory path",
		Params: []samples.Param{
			samples.Int("threads", 65536, 1, 1<<22, "threads, 256 in a CTA"),
			samples.Int("steps", 64, 1, 1<<16, "loads of a thread"),
			samples.Int("words", 1<<22, 32, 1<<26, "4-byte words of the array"),
			samples.Int("stride", 32, 1, 1<<16, "words between the lanes of a warp"),
			samples.Choice("pattern", "strided lanes, or an address for every lane and step at random", "stride", "random"),
			samples.Seed(),
		},
		Generate: func(w samples.Writer, p samples.Params) error {
			k := walk{threads: p.Int("threads"), steps: p.Int("steps"), words: p.Int("words"), stride: p.Int("stride")}
			if p.Text("pattern") == "random" {
				k.random = rand.New(rand.NewPCG(p.Seed(), 1))
			}
			_, err := k.run(w, p.Seed())
			return err
		},
	}
}

// walkBlock is the number of threads of a CTA.
const walkBlock = 256

// walk is the program: thread t adds the words (t·stride + s·threads·stride) mod
// words of steps s, or as many random words, and stores the sum.
type walk struct {
	threads, steps, words, stride int
	random                        *rand.Rand // nil: strided
	data                          samples.Array
	sums                          samples.Array
	v, sum                        []float32
	code                          walkCode
}

// walkCode is the kernel: five operations for the thread and its pointer, the
// check and the exit; per step the load, an addition that waits for it, the pointer
// (two operations), counter, comparison and branch; an address and a store.
type walkCode struct {
	*samples.Code
	index   []samples.Op
	beyond  samples.Op
	load    samples.Op
	step    []samples.Op
	address samples.Op
	store   samples.Op
	exit    samples.Op
}

func newWalkCode(p *samples.Program) walkCode {
	c := walkCode{Code: p.Code("walk")}
	cta, tid, t, ptr, v, sum, i, out := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	outside, more, none := c.Pred(), c.Pred(), samples.NoReg
	c.index = []samples.Op{
		c.Op("S2R", cta), c.Op("S2R", tid), c.Op("IMAD", t, cta, tid), c.Op("IMAD.WIDE", ptr, t),
		c.Op("ISETP.GE.AND", outside, t),
	}
	c.beyond = c.Op("EXIT", none, outside)
	c.load = c.Load("LDG.E", 4, v, ptr)
	c.step = []samples.Op{
		c.Op("IADD3", ptr, ptr), c.Op("LOP3", ptr, ptr), c.Op("FADD", sum, sum, v),
		c.Op("IADD3", i, i), c.Op("ISETP.LT.AND", more, i), c.Op("BRA", none, more),
	}
	c.address = c.Op("IMAD.WIDE", out, t)
	c.store = c.Store("STG.E", 4, out, sum)
	c.exit = c.Exit()
	return c
}

func (k *walk) run(w samples.Writer, seed uint64) ([]float32, error) {
	p := samples.NewProgram(w)
	k.data, k.sums = p.Array("data", k.words, 4, trace.ArrayInput), p.Array("sums", k.threads, 4, trace.ArrayOutput)
	k.v, k.sum = samples.Uniform(k.words, seed, 0), make([]float32, k.threads)
	k.code = newWalkCode(p)
	p.CopyH2D(k.data)
	flags := trace.KernelFlags(0)
	if k.random != nil {
		flags = trace.KernelIrregular
	}
	p.Launch(trace.Kernel{
		Function: k.code.Function, Fidelity: trace.FidelityWarp, Registers: 12, Flags: flags,
		Grid: trace.Dim3{ceil(k.threads, walkBlock), 1, 1}, Block: trace.Dim3{walkBlock, 1, 1},
	}, func(b *samples.Block) {
		if k.random == nil { // the modulus makes the index function wrap: anywhere
			b.RangeAll(k.data, trace.Read)
			b.Range(k.sums, trace.Write, func(x, _, _ int) int { return b.X()*walkBlock + x })
		}
		b.EachWarp(func(w *samples.Warp) { k.warp(w, b.X()*walkBlock+w.ID*samples.WarpSize) })
	})
	p.CopyD2H(k.sums)
	p.Sync()
	return k.sum, p.Err()
}

// word returns the word that a thread reads in a step of the strided pattern.
func (k *walk) word(thread, step int) int { return (thread + step*k.threads) * k.stride % k.words }

func (k *walk) warp(w *samples.Warp, first int) {
	c := k.code
	w.Do(c.index...)
	if w.ExitIf(c.beyond, w.Where(func(lane int) bool { return first+lane >= k.threads })) {
		return
	}
	for step := range k.steps {
		w.Mem(c.load, func(lane int) uint64 {
			word := 0
			if k.random != nil {
				word = k.random.IntN(k.words)
			} else {
				word = k.word(first+lane, step)
			}
			k.sum[first+lane] += k.v[word]
			return k.data.At(word)
		})
		w.Do(c.step...)
	}
	w.Do(c.address)
	w.Affine(c.store, k.sums.At(first), 4)
	w.Exit(c.exit)
}
