package inference

import "gpureplay/samples"

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
		k.part, k.add = c.Store("STS", 4, tid, sum), c.Atomic("RED.E.ADD.F16", 2, samples.NoReg, to, sum)
	}
	k.route = c.Load("LDG.E", 4, from, to)
	return k
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
		for i := range b.Warps() {
			w := &b.Warps()[i]
			first := b.X()*g.warps + i
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
			if !m.after {
				w.Do(k.wait)
			}
			for line := i; line < lines; line += g.warps {
				w.Affine(k.vector, in.At(0)+uint64(line*lineBytes), 16)
				w.Affine(k.put, uint64(line*lineBytes), 16)
			}
			w.Do(k.bar)
			for n := range left {
				w.Affine(k.get, uint64(n%lines*lineBytes), 16)
				w.Do(k.dot[n%g.loads]...)
				if next := n + g.loads; next < left {
					load(next)
				}
				if n%lines == lines-1 {
					w.Do(k.sum...)
					w.Predicated(1, func() { w.Affine(k.result, out.At(first+n/lines*all), 2) })
				}
			}
			g.at("end", w, k.trigger)
			w.Exit(k.exit)
		}
	})
}
