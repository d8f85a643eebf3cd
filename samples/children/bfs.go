package children

import (
	"gpureplay/samples"
	"gpureplay/samples/graph"
	"gpureplay/trace"
)

var bfsRules = rules{dragonli: shape{128, 128}, klap: shape{1, 32}, arguments: 5}

func init() { samples.Register(bfsGenerator) }

func bfsGenerator() samples.Generator {
	return samples.Generator{
		Name:    "dp-bfs",
		Machine: "k20c",
		Title:   "breadth-first search, a child for a vertex with many neighbours",
		Source:  "DTBL table 4 and SPAWN table I (BFS); dragon_li's BFS (240 x 128, expand and contract)",
		Params: append(graphParams(allKinds("citation")...), append(bfsRules.params(),
			samples.Int("source", -1, -1, 1<<31, "vertex to start from; -1: the first of the highest degree"),
			samples.Choice("start", "start of the search: the source, or all vertices that have edges, whose one "+
				"level expands them all", "source", "all"),
			samples.Int("ctas", 240, 1, 4096, "CTAs of 128 threads in a kernel"),
			samples.Choice("form", "the program: nested, or flat, which launches no children and expands by CTA, by warp "+
				"and by a scan", "nested", "flat"))...),
		Generate: func(w samples.Writer, p samples.Params) error {
			g, err := openGraph(p)
			if err != nil {
				return err
			}
			r, err := bfsRules.parse(p)
			if err != nil {
				return err
			}
			source, err := sourceOf(g, p.Int("source"))
			if err != nil {
				return err
			}
			from := []uint32{uint32(source)}
			if p.Text("start") == "all" {
				from = withEdges(g)
			}
			_, err = runBFS(w, g, p.Int("ctas"), from, r, p.Text("form") == "flat")
			return err
		},
	}
}

// bfs is the search: per level, expand writes all neighbours of the frontier's
// vertices, contract keeps those not seen before as the next frontier.
//
//  1. Where dragon_li finds the place of a vertex' neighbours by a scan over the
//     CTA, expand scans over the warp, with one atomic addition per warp.
//  2. Where it filters in steps (history, mask, label), contract reads the label
//     and claims an unlabelled vertex with one compare-and-swap.
type bfs struct {
	p        *samples.Program
	g        deviceGraph
	grid     grid
	label    samples.Array
	frontier [2]samples.Array
	expanded samples.Array
	counts   samples.Array // of expanded, of the next frontier

	expand   expandCode
	contract contractCode
	flat     flatExpand
	isFlat   bool

	labels  []int32
	current []uint32
	all     []uint32 // the expanded frontier
}

// withEdges are the vertices that have any.
func withEdges(g *graph.Graph) []uint32 {
	var all []uint32
	for v := range g.Vertices() {
		if g.Degree(v) > 0 {
			all = append(all, uint32(v))
		}
	}
	return all
}

func runBFS(w samples.Writer, g *graph.Graph, ctas int, from []uint32, r rule, flat bool) ([]int32, error) {
	p := samples.NewProgram(w)
	s := &bfs{p: p, g: newDeviceGraph(p, g), grid: grid{ctas, 128}, labels: make([]int32, g.Vertices()), isFlat: flat}
	n := g.Vertices()
	s.label = p.Array("label", n, 4, trace.ArrayOutput)
	s.frontier[0] = p.Array("frontier0", n, 4, 0)
	s.frontier[1] = p.Array("frontier1", n, 4, 0)
	s.expanded = p.Array("expanded", max(g.Arcs(), 1), 4, 0)
	s.counts = p.Array("counts", 2, 4, trace.ArrayOutput)
	if flat {
		s.flat = newFlatExpand(p)
	} else {
		s.expand = newExpand(p, r)
	}
	s.contract = newContract(p)
	for v := range s.labels {
		s.labels[v] = -1
	}
	for _, v := range from {
		s.labels[v] = 0
	}
	s.current = from

	p.FileRead(s.g.row, s.g.col)
	p.Put(s.g.row)
	p.Put(s.g.col)
	p.Memset(s.label)
	if len(from) == 1 {
		p.Host(trace.HostOp{Kind: trace.OpCopyH2D, Array: s.label.Index, Addr: s.label.At(int(from[0])), Bytes: 4})
	} else {
		p.Put(s.label)
	}
	p.Host(trace.HostOp{Kind: trace.OpCopyH2D, Array: s.frontier[0].Index, Addr: s.frontier[0].Base,
		Bytes: 4 * uint64(len(from))})
	for level := int32(1); len(s.current) > 0 && p.Err() == nil; level++ {
		s.level(level)
	}
	p.Get(s.label)
	p.FileWrite(s.label)
	return s.labels, p.Err()
}

// level runs both kernels; the host clears the counts before and reads the length
// of the next frontier after.
func (s *bfs) level(level int32) {
	in, out := s.frontier[(level-1)%2], s.frontier[level%2]
	s.p.Memset(s.counts)
	s.all = s.all[:0]
	if s.isFlat {
		k := s.grid.kernel(s.flat.Code, 34)
		k.SharedBytes = uint32(flatDealt + dealtBytes*s.grid.threads)
		s.p.Launch(k, func(b *samples.Block) { s.flatCTA(b, in) })
	} else {
		s.p.Launch(s.grid.kernel(s.expand.Code, 34), func(b *samples.Block) { s.expandCTA(b, in) })
	}
	var next []uint32
	s.p.Launch(s.grid.kernel(s.contract.Code, 26), func(b *samples.Block) { s.contractCTA(b, out, level, &next) })
	s.p.Get(s.counts)
	s.current = next
}

// expandCode is the parent. Per vertex: address and load of the vertex, the row (five, see rowsCode), the warp's
// scan (five shuffles, five additions). Then the total's atomic addition by the last lane and its shuffle, the
// lane's place, and the request (see nest). Per neighbour, in the child: an addition and an address for each of the
// load of the neighbour and the store of it.
type expandCode struct {
	*loopCode
	address []samples.Op
	vertex  samples.Op
	rows    rowsCode
	scan    []samples.Op
	claim   samples.Op
	place   []samples.Op
	nest    *nest
	child   edgeCopy
}

// edgeCopy is the child: out[i] = col[i].
type edgeCopy struct {
	*childCode
	from        []samples.Op
	load, store samples.Op
	to          []samples.Op
}

func newExpand(p *samples.Program, r rule) expandCode {
	child := edgeCopy{childCode: newChild(p, "expand_child")}
	at, a, b, u := child.Reg(), child.Reg(), child.Reg(), child.Reg()
	child.from = []samples.Op{child.Op("IADD3", at, child.item), child.Op("IMAD.WIDE", a, at)}
	child.load = child.Load("LDG.E", 4, u, a)
	child.to = []samples.Op{child.Op("IADD3", at, child.item), child.Op("IMAD.WIDE", b, at)}
	child.store = child.Store("STG.E", 4, b, u)
	child.end()

	c := expandCode{loopCode: newLoop(p, "expand"), child: child}
	addr, v := c.Reg(), c.Reg()
	c.address = []samples.Op{c.Op("IMAD.WIDE", addr, c.item)}
	c.vertex = c.Load("LDG.E", 4, v, addr)
	c.rows = newRows(c.Code, v)
	sum, part, place := c.Reg(), c.Reg(), c.Reg()
	for range 5 {
		c.scan = append(c.scan, c.Op("SHFL.UP", part, sum, c.rows.degree), c.Op("IADD3", sum, sum, part))
	}
	c.claim = c.Atomic("ATOMG.E.ADD", 4, place, sum)
	c.place = []samples.Op{c.Op("SHFL.IDX", place, place), c.Op("IADD3", place, place, sum)}
	c.nest = newNest(p, r, c.Code, c.rows.degree, child.childCode, 12)
	c.nest.synced(c.Code)
	c.end()
	return c
}

func (s *bfs) expandCTA(b *samples.Block, in samples.Array) {
	c := &s.expand
	c.runThen(b, len(s.current), func(w *samples.Warp, base int) {
		w.Do(c.address...)
		w.Affine(c.vertex, in.At(base), 4)
		vertex := func(lane int) int { return int(s.current[base+lane]) }
		degrees := c.rows.load(w, &s.g, vertex)
		w.Do(c.scan...)
		last := w.Mask() &^ (w.Mask() >> 1)
		w.Under(last, func() { w.Same(c.claim, s.counts.At(0)) })
		w.Do(c.place...)
		c.nest.ask(w, &degrees, func(lane, first, count int) func(*samples.Block) {
			v := vertex(lane)
			from := int(s.g.Row[v]) + first
			to := len(s.all)
			s.all = append(s.all, s.g.Neighbours(v)[first:first+count]...)
			return func(b *samples.Block) { s.copyEdges(b, from, to, count) }
		})
	}, c.nest.wait)
}

// copyEdges is a CTA of the child.
func (s *bfs) copyEdges(b *samples.Block, from, to, count int) {
	c := &s.expand.child
	c.run(b, count, func(w *samples.Warp, base int) {
		w.Do(c.from...)
		w.Affine(c.load, s.g.col.At(from+base), 4)
		w.Do(c.to...)
		w.Affine(c.store, s.expanded.At(to+base), 4)
	})
}

// contractCode keeps the vertices seen for the first time. Per thread: the load of how many there are. Per vertex
// its load, the address and load of its label, a comparison, a branch. Where it is not labelled, a
// compare-and-swap, a comparison, a branch; where that succeeds, the append.
type contractCode struct {
	*loopCode
	address []samples.Op
	vertex  samples.Op
	find    []samples.Op
	label   samples.Op
	seen    []samples.Op
	claim   samples.Op
	won     []samples.Op
	add     appendCode
	size    samples.Op
}

func newContract(p *samples.Program) contractCode {
	c := contractCode{loopCode: newLoop(p, "contract")}
	n, addr, v, at, old := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	seen, won := c.Pred(), c.Pred()
	c.size = c.Load("LDG.E", 4, n)
	c.address = []samples.Op{c.Op("IMAD.WIDE", addr, c.item)}
	c.vertex = c.Load("LDG.E", 4, v, addr)
	c.find = []samples.Op{c.Op("IMAD.WIDE", at, v)}
	c.label = c.Load("LDG.E", 4, old, at)
	c.seen = []samples.Op{c.Op("ISETP.GE", seen, old), c.Op("BRA", samples.NoReg, seen)}
	c.claim = c.Atomic("ATOMG.E.CAS", 4, old, at)
	c.won = []samples.Op{c.Op("ISETP.EQ", won, old), c.Op("BRA", samples.NoReg, won)}
	c.add = newAppend(c.Code, v)
	c.end()
	return c
}

func (s *bfs) contractCTA(b *samples.Block, out samples.Array, level int32, next *[]uint32) {
	c := &s.contract
	for i := range b.Warps() {
		b.Warps()[i].Same(c.size, s.counts.At(0))
	}
	c.run(b, len(s.all), func(w *samples.Warp, base int) {
		w.Do(c.address...)
		w.Affine(c.vertex, s.expanded.At(base), 4)
		w.Do(c.find...)
		label := func(lane int) uint64 { return s.label.At(int(s.all[base+lane])) }
		w.Mem(c.label, label)
		w.Do(c.seen...)
		w.Under(w.Where(func(lane int) bool { return s.labels[s.all[base+lane]] < 0 }), func() {
			w.Mem(c.claim, label)
			w.Do(c.won...)
			won := w.Where(func(lane int) bool {
				u := s.all[base+lane]
				first := s.labels[u] < 0
				if first {
					s.labels[u] = level
				}
				return first
			})
			w.Under(won, func() {
				count := len(*next)
				c.add.run(w, s.counts.At(1), out, &count, func(lane, _ int) { *next = append(*next, s.all[base+lane]) })
			})
		})
	})
}
