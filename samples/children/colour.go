package children

import (
	"math/rand/v2"

	"gpureplay/samples"
	"gpureplay/samples/graph"
	"gpureplay/trace"
)

var colourRules = rules{dragonli: shape{32, 32}, klap: shape{1, 256}, arguments: 6}

func init() { samples.Register(gcGenerator) }

func gcGenerator() samples.Generator {
	return samples.Generator{
		Name:    "dp-gc",
		Machine: "k20c",
		Title:   "graph colouring by independent sets, a child for a vertex with many neighbours",
		Source: "DTBL table 4 (CLR) and SPAWN table I (GC); geometry of Pannotia's colouring (ceil(n/256) x 256), " +
			"launch rule of dragon_li's SSSP",
		Params: append(graphParams(allKinds("citation")...), colourRules.params()...),
		Generate: func(w samples.Writer, p samples.Params) error {
			g, err := openGraph(p)
			if err != nil {
				return err
			}
			r, err := colourRules.parse(p)
			if err != nil {
				return err
			}
			_, err = runColour(w, g.Undirected(), p.Seed(), r)
			return err
		},
	}
}

// colouring gives every vertex a random priority. Each round, the uncoloured vertices whose priority exceeds all
// uncoloured neighbours' take the round's number as colour (Jones and Plassmann, as Pannotia runs it).
//
//  1. The graph is made undirected and simple first, without which two neighbours may not see each other.
//  2. Priorities are a permutation, so that no two are equal.
//  3. The papers' suite has no public launch rule for colouring: the rule is dragon_li's for SSSP, which walks the
//     same rows.
type colouring struct {
	g                      deviceGraph
	priorityAt, colourAt   samples.Array
	highestAt, remainingAt samples.Array

	parent colourParent
	child  colourChild
	choose chooseCode

	priority, colour, highest []int32
}

func runColour(w samples.Writer, g *graph.Graph, seed uint64, r rule) ([]int32, error) {
	p := samples.NewProgram(w)
	n := g.Vertices()
	s := &colouring{g: newDeviceGraph(p, g), priority: make([]int32, n), colour: make([]int32, n),
		highest: make([]int32, n)}
	s.priorityAt = p.Array("priority", n, 4, trace.ArrayInput)
	s.colourAt = p.Array("colour", n, 4, trace.ArrayOutput)
	s.highestAt = p.Array("highest", n, 4, 0)
	s.remainingAt = p.Array("remaining", 1, 4, trace.ArrayOutput)
	s.child = newColourChild(p)
	s.parent = newColourParent(p, r, s.child.childCode)
	s.choose = newChoose(p)
	for i, v := range rand.New(rand.NewPCG(seed, 1993)).Perm(n) {
		s.priority[i], s.colour[i], s.highest[i] = int32(v), -1, -1
	}

	p.FileRead(s.g.row, s.g.col)
	p.Put(s.g.row)
	p.Put(s.g.col)
	p.Put(s.priorityAt)
	p.Memset(s.colourAt)
	p.Memset(s.highestAt)
	shape := grid{int(ceil(n, 256)), 256}
	for round, left := int32(0), true; left && p.Err() == nil; round++ {
		p.Memset(s.remainingAt)
		p.Launch(shape.kernel(s.parent.Code, 24), s.parentCTA)
		left = false
		p.Launch(shape.kernel(s.choose.Code, 14), func(b *samples.Block) { s.chooseCTA(b, round, &left) })
		p.Get(s.remainingAt)
	}
	p.Get(s.colourAt)
	p.FileWrite(s.colourAt)
	return s.colour, p.Err()
}

// colourParent is the parent. Per vertex: the address and load of its colour, a
// comparison, a branch; where it has none, the row (five) and the request.
type colourParent struct {
	*loopCode
	address []samples.Op
	colour  samples.Op
	done    []samples.Op
	rows    rowsCode
	nest    *nest
}

func newColourParent(p *samples.Program, r rule, child *childCode) colourParent {
	c := colourParent{loopCode: newLoop(p, "highest")}
	addr, own, done := c.Reg(), c.Reg(), c.Pred()
	c.address = []samples.Op{c.Op("IMAD.WIDE", addr, c.item)}
	c.colour = c.Load("LDG.E", 4, own, addr)
	c.done = []samples.Op{c.Op("ISETP.GE", done, own), c.Op("BRA", samples.NoReg, done)}
	c.rows = newRows(c.Code, c.item)
	c.nest = newNest(p, r, c.Code, c.rows.degree, child, 16)
	c.nest.synced(c.Code)
	c.end()
	return c
}

func (s *colouring) parentCTA(b *samples.Block) {
	c := &s.parent
	c.runThen(b, s.g.Vertices(), func(w *samples.Warp, base int) {
		w.Do(c.address...)
		w.Affine(c.colour, s.colourAt.At(base), 4)
		w.Do(c.done...)
		w.Under(w.Where(func(lane int) bool { return s.colour[base+lane] < 0 }), func() {
			degrees := c.rows.load(w, &s.g, func(lane int) int { return base + lane })
			c.nest.ask(w, &degrees, func(lane, first, count int) func(*samples.Block) {
				v := base + lane
				from := int(s.g.Row[v]) + first
				return func(b *samples.Block) { s.compare(b, v, from, count) }
			})
		})
	}, c.nest.wait)
}

// colourChild looks at one neighbour a thread: an addition and the address, the load of the neighbour, the address
// and load of its colour, a comparison, a branch. Where it has none, the address and load of its priority and an
// atomic maximum. The flat form keeps the maximum in a register.
type colourChild struct {
	*childCode
	address, colourAddress, done, priorityAddress []samples.Op
	col, colour, priority, max                    samples.Op
}

func newColourChild(p *samples.Program) colourChild {
	c := colourChild{childCode: newChild(p, "highest_child")}
	at, a, u, b, other, d, priority := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	highest, done := c.Reg(), c.Pred()
	c.address = []samples.Op{c.Op("IADD3", at, c.item), c.Op("IMAD.WIDE", a, at)}
	c.col = c.Load("LDG.E", 4, u, a)
	c.colourAddress = []samples.Op{c.Op("IMAD.WIDE", b, u)}
	c.colour = c.Load("LDG.E", 4, other, b)
	c.done = []samples.Op{c.Op("ISETP.GE", done, other), c.Op("BRA", samples.NoReg, done)}
	c.priorityAddress = []samples.Op{c.Op("IMAD.WIDE", d, u)}
	c.priority = c.Load("LDG.E", 4, priority, d)
	c.max = c.Atomic("RED.E.MAX", 4, samples.NoReg, highest, priority)
	c.end()
	c.inRegister(c.max, "IMNMX", "STG.E", 4, priority)
	return c
}

func (s *colouring) compare(b *samples.Block, v, from, count int) {
	c := &s.child
	c.run(b, count, func(w *samples.Warp, base int) {
		head := func(lane int) int { return int(s.g.Col[from+base+lane]) }
		w.Do(c.address...)
		w.Affine(c.col, s.g.col.At(from+base), 4)
		w.Do(c.colourAddress...)
		w.Mem(c.colour, func(lane int) uint64 { return s.colourAt.At(head(lane)) })
		w.Do(c.done...)
		w.Under(w.Where(func(lane int) bool { return s.colour[head(lane)] < 0 }), func() {
			w.Do(c.priorityAddress...)
			w.Mem(c.priority, func(lane int) uint64 { return s.priorityAt.At(head(lane)) })
			w.Same(c.max, s.highestAt.At(v))
			w.Lanes(func(lane int) { s.highest[v] = max(s.highest[v], s.priority[head(lane)]) })
		})
	})
}

// chooseCode colours a round's set. Per vertex: the address and load of the colour, a comparison, a branch. Where
// it has none, two addresses, the loads of its priority and of the highest around it, a comparison and a branch.
// Then the store of the colour, or the store of 1 to the host's flag and of -1 to highest.
type chooseCode struct {
	*loopCode
	address                 []samples.Op
	colour                  samples.Op
	done, addresses, wins   []samples.Op
	priority, highest       samples.Op
	take, remaining, forget samples.Op
}

func newChoose(p *samples.Program) chooseCode {
	c := chooseCode{loopCode: newLoop(p, "choose")}
	a, own, b, d, mine, highest := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	done, wins := c.Pred(), c.Pred()
	c.address = []samples.Op{c.Op("IMAD.WIDE", a, c.item)}
	c.colour = c.Load("LDG.E", 4, own, a)
	c.done = []samples.Op{c.Op("ISETP.GE", done, own), c.Op("BRA", samples.NoReg, done)}
	c.addresses = []samples.Op{c.Op("IMAD.WIDE", b, c.item), c.Op("IMAD.WIDE", d, c.item)}
	c.priority = c.Load("LDG.E", 4, mine, b)
	c.highest = c.Load("LDG.E", 4, highest, d)
	c.wins = []samples.Op{c.Op("ISETP.GT", wins, mine, highest), c.Op("BRA", samples.NoReg, wins)}
	c.take = c.Store("STG.E", 4, a)
	c.remaining = c.Store("STG.E", 4)
	c.forget = c.Store("STG.E", 4, d)
	c.end()
	return c
}

func (s *colouring) chooseCTA(b *samples.Block, round int32, left *bool) {
	c := &s.choose
	c.run(b, s.g.Vertices(), func(w *samples.Warp, base int) {
		w.Do(c.address...)
		w.Affine(c.colour, s.colourAt.At(base), 4)
		w.Do(c.done...)
		w.Under(w.Where(func(lane int) bool { return s.colour[base+lane] < 0 }), func() {
			w.Do(c.addresses...)
			w.Affine(c.priority, s.priorityAt.At(base), 4)
			w.Affine(c.highest, s.highestAt.At(base), 4)
			w.Do(c.wins...)
			wins := w.Where(func(lane int) bool { return s.priority[base+lane] > s.highest[base+lane] })
			w.Under(wins, func() {
				w.Affine(c.take, s.colourAt.At(base), 4)
				w.Lanes(func(lane int) { s.colour[base+lane] = round })
			})
			w.Under(^wins, func() {
				w.Same(c.remaining, s.remainingAt.At(0))
				w.Affine(c.forget, s.highestAt.At(base), 4)
				w.Lanes(func(lane int) { s.highest[base+lane] = -1 })
				*left = true
			})
		})
	})
}
