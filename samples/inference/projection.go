package inference

import (
	"gpureplay/samples"
	"gpureplay/trace"
)

// projection is the code of a matrix times a vector.
type projection struct {
	code                     uint32
	index                    []samples.Op
	trigger, wait, bar, exit samples.Op
	weights                  []samples.Op // a load into each register
	vector, put, get         samples.Op   // the vector, to shared memory and from there
	route                    samples.Op   // the chosen experts
	dot                      [][]samples.Op
	sum                      []samples.Op
	result                   samples.Op
	part, add                samples.Op // of the sums of a block: to shared memory; a result to which others add
	square, scale            []samples.Op
	norm, put4, get4, root   samples.Op // of RMSNorm: its weights, sums of squares, and their root
	angle                    samples.Op
	turn, gate               []samples.Op // RoPE and SiLU
}

func newProjection(p *samples.Program, loads int, triggers, pages, blocks bool) *projection {
	weights := "LDG.E.128"
	if pages {
		weights = "LDG.E.128.STRONG.GPU"
	}
	c := p.Code("project")
	tid, row, from, to, x, sum, part := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	k := &projection{code: c.Function, wait: c.Op("ACQBULK", samples.NoReg),
		bar: c.Barrier(0), exit: c.Exit(),
		index: []samples.Op{c.Op("S2R", tid), c.Op("IMAD", row, tid), c.Op("IMAD.WIDE", from, row),
			c.Op("IMAD.WIDE", to, row)},
		vector: c.Load("LDG.E.128", 16, x, from), put: c.Store("STS.128", 16, tid, x),
		get:    c.Load("LDS.128", 16, x, tid),
		result: c.Store("STG.E.U16", 2, to, sum)}
	for range loads {
		v := c.Reg()
		k.weights = append(k.weights, c.Load(weights, 16, v, from))
		var dot []samples.Op
		for range 4 { // two elements of BF16 each
			dot = append(dot, c.Op("HFMA2.BF16", sum, v, x, sum))
		}
		k.dot = append(k.dot, dot)
	}
	for range 5 {
		k.sum = append(k.sum, c.Op("SHFL.BFLY", part, sum), c.Op("FADD", sum, sum, part))
	}
	if triggers { // or else the code has no such instruction, and the kernel no trigger
		k.trigger = c.Op("PREEXIT", samples.NoReg)
	}
	if blocks {
		k.part = c.Store("STS", 4, tid, sum)
	}
	k.add = c.Atomic("RED.E.ADD.F16", 2, samples.NoReg, to, sum)
	k.route = c.Load("LDG.E", 4, from, to)
	k.epilogue(c, x, sum, part, tid, from)
	return k
}

// epilogue adds the instructions around the products: of RMSNorm, RoPE and SiLU.
func (k *projection) epilogue(c *samples.Code, x, sum, part, tid, from trace.Reg) {
	weight, angle := c.Reg(), c.Reg()
	for range 4 { // two elements of BF16 each
		k.square = append(k.square, c.Op("HFMA2.BF16", sum, x, x, sum))
		k.scale = append(k.scale, c.Op("HMUL2.BF16", x, x, weight))
	}
	k.norm = c.Load("LDG.E.128", 16, weight, from)
	k.put4, k.get4, k.root = c.Store("STS", 4, tid, sum), c.Load("LDS", 4, sum, tid), c.Op("MUFU.RSQ", sum, sum)
	k.angle = c.Load("LDG.E", 4, angle, from)
	k.turn = []samples.Op{c.Op("SHFL.BFLY", part, sum), c.Op("FMUL", part, part, angle),
		c.Op("FFMA", sum, sum, angle, part)}
	k.gate = []samples.Op{c.Op("MUFU.EX2", part, sum), c.Op("FADD", part, part), c.Op("MUFU.RCP", part, part),
		c.Op("FMUL", sum, sum, part)}
}

// finish is the work behind a sum: SiLU, or RoPE.
func (g *decoder) finish(w *samples.Warp, m *matrix) {
	if m.gated {
		w.Do(g.code.gate...)
	}
	if m.rope != nil {
		w.Affine(g.code.angle, m.rope.At(0), 4)
		w.Do(g.code.turn...)
	}
}

// stored is how results go to memory.
func (g *decoder) stored(m *matrix) samples.Op {
	if m.adds {
		return g.code.add
	}
	return g.code.result
}

// project launches out = W·in. Each warp has rows of its own, in turn. The first loads of weights need nothing of the
// kernel before, but for a router's result. Then it waits for that kernel, and copies the vector to shared memory.
func (g *decoder) project(in, out samples.Array, m matrix) {
	if g.blocks {
		g.projectBlocks(in, out, m)
		return
	}
	k, rows, lines, all := g.code, m.rows, m.lines(), g.ctas*g.warps
	g.kernel(k.code, min(g.ctas, rows), func(b *samples.Block) {
		b.EachWarp(func(w *samples.Warp) {
			first := b.X()*g.warps + w.ID
			w.Do(k.index...)
			g.at("begin", w, k.trigger)
			left := (max(0, rows-first) + all - 1) / all * lines // loads of weights
			load := func(n int) {
				w.Affine(k.weights[n%g.loads], m.at(first+n/lines*all, n%lines), 16)
				if n == left-1 {
					g.at("loads", w, k.trigger)
				}
			}
			if m.after {
				w.Do(k.wait)
			}
			if m.route != nil {
				w.Same(k.route, m.route.Base)
			}
			for n := range min(g.loads, left) {
				load(n)
			}
			g.loadNorm(w, w.ID, 0, lines, &m)
			if !m.after {
				w.Do(k.wait)
			}
			g.copyVector(w, w.ID, in, 0, lines, &m)
			w.Do(k.bar)
			for n := range left {
				w.Affine(k.get, uint64(n%lines*lineBytes), 16)
				w.Do(k.dot[n%g.loads]...)
				if next := n + g.loads; next < left {
					load(next)
				}
				if n%lines == lines-1 {
					w.Do(k.sum...)
					g.finish(w, &m)
					w.Predicated(1, func() { w.Affine(g.stored(&m), out.At(first+n/lines*all), 2) })
				}
			}
			g.at("end", w, k.trigger)
			w.Exit(k.exit)
		})
	})
}
