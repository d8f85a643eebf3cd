package inference

import (
	"errors"
	"math/rand/v2"

	"gpureplay/samples"
	"gpureplay/trace"
)

func init() { samples.Register(decodeGenerator) }

func decodeGenerator() samples.Generator {
	return samples.Generator{
		Name:  "llm-decode",
		Title: "one token of a language model: five kernels a layer, matrices times a vector in BF16",
		Source: "shape of Llama 3.2 1B; kernels, CTAs and threads of pdl-megakernel-reconstruction (tie-pilot-qxw) on an " +
			"H100 SXM5",
		Machine: "h100",
		Params: []samples.Param{
			samples.Int("layers", 16, 1, 256, "layers"),
			samples.Int("hidden", 2048, 256, 1<<15, "elements of the hidden state, a multiple of 256"),
			samples.Int("heads", 32, 1, 256, "heads of the query, a multiple of 4 and of kv-heads"),
			samples.Int("kv-heads", 8, 1, 256, "heads of keys and values"),
			samples.Int("intermediate", 8192, 256, 1<<16, "elements between up and down projection, a multiple of 256"),
			samples.Int("vocabulary", 128256, 0, 1<<20, "rows of the last projection; 0: none"),
			samples.Int("position", 95, 1, 1<<16, "tokens before this one"),
			samples.Int("ctas", 132, 1, 1<<12, "CTAs of a projection"),
			samples.Int("warps", 20, 1, 32, "warps of a CTA"),
			samples.Int("shared", 216504, 0, 1<<20, "bytes of shared memory of a CTA: as on the H100, one CTA an SM"),
			samples.Int("loads", 24, 1, 32, "loads of 16 bytes a thread that are in flight: 24 of 16 warps are 12 of the 13 "+
				"pages of 16 KB"),
			samples.Choice("deal", "work of a projection: rows to each warp in turn (rows), or blocks of 16 rows to "+
				"each CTA, whose warps share the columns (blocks)", "blocks", "rows"),
			samples.Choice("weights", "loads of weights: through the L1 (l1), or past it as copies to pages of shared memory "+
				"are (pages)", "pages", "l1"),
			samples.Choice("trigger", "where each warp executes PREEXIT: behind its last load of weights (loads)",
				"none", "begin", "loads", "end"),
			samples.Int("experts", 1, 1, 1024, "feed-forward networks of a layer; 1: one for all tokens, without a router"),
			samples.Int("active", 1, 1, 1024, "experts that the token is routed to, at most experts"),
			samples.Seed(),
		},
		Generate: func(w samples.Writer, p samples.Params) error { return decode(w, p) },
	}
}

const (
	headBytes = 2 * 64                // of a key or a value: 64 elements of BF16
	lineBytes = 16 * samples.WarpSize // that a warp loads at once
)

// decode launches the kernels of a token in one stream. All projections have the same code.
func decode(w samples.Writer, p samples.Params) error {
	g := newDecoder(w, p)
	hidden, heads, kv, wide := p.Int("hidden"), p.Int("heads"), p.Int("kv-heads"), p.Int("intermediate")
	switch {
	case hidden%256 > 0 || wide%256 > 0:
		return errors.New("hidden and intermediate must be multiples of 256")
	case heads%4 > 0 || heads%kv > 0:
		return errors.New("heads must be a multiple of 4 and of kv-heads")
	case g.active > g.experts:
		return errors.New("active must be at most experts")
	}
	state, query, mixed := g.vector("state", hidden), g.vector("qkv", (heads+2*kv)*64), g.vector("mixed", heads*64)
	inner, cache := g.vector("inner", 2*wide*g.active), g.p.Array("cache", p.Int("position")*kv*2*64, 2, trace.ArrayInput)
	angles := g.p.Array("angles", 64, 2, trace.ArrayInput)
	for range p.Int("layers") {
		qkv := g.normed(g.dense(hidden, (heads+2*kv)*64))
		qkv.rope = &angles
		g.project(state, query, qkv)
		g.attend(query, cache, mixed, kv, heads/kv)
		g.project(mixed, state, added(g.even(g.dense(heads*64, hidden))))
		g.feedForward(state, inner, hidden, wide)
	}
	if rows := p.Int("vocabulary"); rows > 0 {
		g.project(state, g.vector("logits", rows), g.normed(g.dense(hidden, rows)))
	}
	g.p.Sync()
	return g.p.Err()
}

// decoder writes kernels.
type decoder struct {
	p                  *samples.Program
	code               *projection
	attention          *attention
	ctas, warps, loads int
	position, matrices int
	norms              int
	shared             uint32
	trigger            string
	experts, active    int
	blocks             bool          // projections deal blocks of rows
	hidden             int           // columns of a block
	choose             *rand.Rand    // of experts
	route              samples.Array // the router's result; there is none of one expert
}

func newDecoder(w samples.Writer, p samples.Params) *decoder {
	g := &decoder{p: samples.NewProgram(w), ctas: p.Int("ctas"), warps: p.Int("warps"), loads: p.Int("loads"),
		position: p.Int("position"), trigger: p.Text("trigger"), shared: uint32(p.Int("shared")),
		experts: p.Int("experts"), active: p.Int("active"), blocks: p.Text("deal") == "blocks", hidden: p.Int("hidden"),
		choose: rand.New(rand.NewPCG(p.Seed(), 0))}
	if g.experts > 1 {
		g.route = g.vector("route", max(2, g.experts)) // a load of it takes four bytes
	}
	triggers := g.trigger != "none"
	g.code = newProjection(g.p, g.loads, triggers, p.Text("weights") == "pages", g.blocks)
	g.attention = newAttention(g.p, triggers)
	return g
}

func (g *decoder) vector(name string, elements int) samples.Array {
	return g.p.Array(name, elements, 2, trace.ArrayInput|trace.ArrayOutput)
}

// kernel launches one.
func (g *decoder) kernel(function uint32, ctas int, body func(b *samples.Block)) {
	g.p.Launch(trace.Kernel{
		Function: function, Fidelity: trace.FidelityWarp, Registers: 90, SharedBytes: g.shared,
		Grid: trace.Dim3{uint32(ctas), 1, 1}, Block: trace.Dim3{uint32(g.warps * samples.WarpSize), 1, 1},
	}, body)
}

// at triggers at a place, if this is it.
func (g *decoder) at(place string, w *samples.Warp, op samples.Op) {
	if g.trigger == place {
		w.Do(op)
	}
}
