package inference

import (
	"gpureplay/samples"
)

// attention is the code of one query against the keys and values of the tokens before.
type attention struct {
	code                     uint32
	index                    []samples.Op
	trigger, wait, bar, exit samples.Op
	query, key, value        samples.Op
	score, weigh             []samples.Op
	put, get, result         samples.Op
}

func newAttention(p *samples.Program, triggers bool) *attention {
	c := p.Code("attend")
	tid, from, to, q, x, score, sum, part := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	k := &attention{code: c.Function, wait: c.Op("ACQBULK", samples.NoReg),
		bar: c.Barrier(0), exit: c.Exit(),
		index: []samples.Op{c.Op("S2R", tid), c.Op("IMAD.WIDE", from, tid), c.Op("IMAD.WIDE", to, tid)},
		query: c.Load("LDG.E", 4, q, from), key: c.Load("LDG.E", 4, x, from), value: c.Load("LDG.E", 4, x, from),
		put: c.Store("STS", 4, tid, sum), get: c.Load("LDS", 4, part, tid), result: c.Store("STG.E", 4, to, sum)}
	k.score = append(k.score, c.Op("HFMA2.BF16", score, x, q))
	for range 5 {
		k.score = append(k.score, c.Op("SHFL.BFLY", part, score), c.Op("FADD", score, score, part))
	}
	k.score = append(k.score, c.Op("MUFU.EX2", score, score))
	k.weigh = []samples.Op{c.Op("HFMA2.BF16", sum, x, score, sum)}
	if triggers { // or else the code has no such instruction, and the kernel no trigger
		k.trigger = c.Op("PREEXIT", samples.NoReg)
	}
	return k
}

// attend launches as many CTAs as for a projection. One for each head of keys and values is active: a warp takes tokens
// in turn, for all queries of the head. Then the first warps add the parts of all.
func (g *decoder) attend(query, cache, out samples.Array, heads, queries int) {
	k := g.attention
	g.kernel(k.code, max(g.ctas, heads), func(b *samples.Block) {
		for i := range b.Warps() {
			w := &b.Warps()[i]
			w.Do(k.index...)
			g.at("begin", w, k.trigger)
			w.Do(k.wait)
			if b.X() >= heads {
				g.at("loads", w, k.trigger)
				g.at("end", w, k.trigger)
				w.Exit(k.exit)
				continue
			}
			for token := i; token < g.position; token += g.warps {
				at := cache.At(0) + uint64((token*heads+b.X())*2*headBytes)
				for q := range queries {
					w.Affine(k.query, query.At((b.X()*queries+q)*64), 4)
					w.Affine(k.key, at, 4)
					w.Do(k.score...)
					w.Affine(k.value, at+headBytes, 4)
					w.Do(k.weigh...)
				}
			}
			g.at("loads", w, k.trigger)
			for q := range queries {
				w.Affine(k.put, uint64((q*g.warps+i)*headBytes), 4)
			}
			w.Do(k.bar)
			for q := i; q < queries; q += g.warps {
				for part := range g.warps {
					w.Affine(k.get, uint64((q*g.warps+part)*headBytes), 4)
				}
				w.Affine(k.result, out.At((b.X()*queries+q)*64), 4)
			}
			g.at("end", w, k.trigger)
			w.Exit(k.exit)
		}
	})
}
