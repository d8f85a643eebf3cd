package children

import (
	"gpureplay/samples"
	"gpureplay/samples/graph"
	"gpureplay/trace"
)

var ssspRules = rules{dragonli: shape{32, 32}, klap: shape{1, 128}, arguments: 8}

func init() { samples.Register(ssspGenerator) }

func ssspGenerator() samples.Generator {
	return samples.Generator{
		Name:    "dp-sssp",
		Machine: "k20c",
		Title:   "single-source shortest paths, a child for a vertex with many neighbours",
		Source:  "DTBL table 4 and SPAWN table I (SSSP); dragon_li's SSSP (104 x 256)",
		Params: append(graphParams(allKinds("citation")...), append(ssspRules.params(),
			samples.Int("source", -1, -1, 1<<31, "vertex to start from; -1: the first of the highest degree"))...),
		Generate: func(w samples.Writer, p samples.Params) error {
			g, err := openGraph(p)
			if err != nil {
				return err
			}
			r, err := ssspRules.parse(p)
			if err != nil {
				return err
			}
			source, err := sourceOf(g, p.Int("source"))
			if err != nil {
				return err
			}
			_, err = runSSSP(w, g, lengths(g, p.Seed()), source, r)
			return err
		},
	}
}

// unreached is the distance of a vertex to which no path is known.
const unreached = int64(1) << 40

// sssp relaxes the arcs of all frontier vertices in each round (Bellman and Ford's method on a list), until no
// distance falls.
//
//  1. A vertex enters the next frontier once a round. The thread that lowers its distance exchanges the vertex' mark
//     with the round's number, and appends the vertex if the mark was older. dragon_li filters repeated vertices in
//     a kernel of its own.
//  2. Children see the distances that others lowered before them, as on a GPU; the arcs of a vertex are relaxed with
//     the distance that its parent thread loaded.
type sssp struct {
	g        deviceGraph
	length   []uint32
	lengthAt samples.Array
	grid     grid
	distance samples.Array
	mark     samples.Array
	frontier [2]samples.Array
	count    samples.Array

	parent relaxParent
	child  relaxChild

	distances []int64
	marks     []int32
	current   []uint32
	next      []uint32
	round     int32
}

func runSSSP(w samples.Writer, g *graph.Graph, length []uint32, source int, r rule) ([]int64, error) {
	p := samples.NewProgram(w)
	n := g.Vertices()
	s := &sssp{g: newDeviceGraph(p, g), length: length, grid: grid{104, 256}, distances: make([]int64, n),
		marks: make([]int32, n)}
	s.lengthAt = p.Array("length", max(g.Arcs(), 1), 4, trace.ArrayInput)
	s.distance = p.Array("distance", n, 4, trace.ArrayOutput)
	s.mark = p.Array("mark", n, 4, 0)
	s.frontier[0] = p.Array("frontier0", n, 4, 0)
	s.frontier[1] = p.Array("frontier1", n, 4, 0)
	s.count = p.Array("count", 1, 4, trace.ArrayOutput)
	s.child = newRelaxChild(p)
	s.parent = newRelaxParent(p, r, s.child.childCode)
	for v := range s.distances {
		s.distances[v] = unreached
	}
	s.distances[source] = 0
	s.current = []uint32{uint32(source)}

	p.FileRead(s.g.row, s.g.col, s.lengthAt)
	p.Put(s.g.row)
	p.Put(s.g.col)
	p.Put(s.lengthAt)
	p.Memset(s.distance)
	p.Memset(s.mark)
	p.Host(trace.HostOp{Kind: trace.OpCopyH2D, Array: s.distance.Index, Addr: s.distance.At(source), Bytes: 4})
	p.Host(trace.HostOp{Kind: trace.OpCopyH2D, Array: s.frontier[0].Index, Addr: s.frontier[0].Base, Bytes: 4})
	for s.round = 1; len(s.current) > 0 && p.Err() == nil; s.round++ {
		p.Memset(s.count)
		s.next = nil
		p.Launch(s.grid.kernel(s.parent.Code, 30), s.parentCTA)
		p.Get(s.count)
		s.current = s.next
	}
	p.Get(s.distance)
	p.FileWrite(s.distance)
	return s.distances, p.Err()
}

// relaxParent is the parent. Per vertex: its address and load, the row (five),
// the address and load of its distance, the request.
type relaxParent struct {
	*loopCode
	address    []samples.Op
	vertex     samples.Op
	rows       rowsCode
	distanceAt []samples.Op
	distance   samples.Op
	nest       *nest
}

func newRelaxParent(p *samples.Program, r rule, child *childCode) relaxParent {
	c := relaxParent{loopCode: newLoop(p, "relax")}
	addr, v, at, d := c.Reg(), c.Reg(), c.Reg(), c.Reg()
	c.address = []samples.Op{c.Op("IMAD.WIDE", addr, c.item)}
	c.vertex = c.Load("LDG.E", 4, v, addr)
	c.rows = newRows(c.Code, v)
	c.distanceAt = []samples.Op{c.Op("IMAD.WIDE", at, v)}
	c.distance = c.Load("LDG.E", 4, d, at)
	c.nest = newNest(p, r, c.Code, c.rows.degree, child, 18)
	c.nest.synced(c.Code)
	c.end()
	return c
}

func (s *sssp) parentCTA(b *samples.Block) {
	c := &s.parent
	in := s.frontier[(s.round-1)%2]
	c.runThen(b, len(s.current), func(w *samples.Warp, base int) {
		w.Do(c.address...)
		w.Affine(c.vertex, in.At(base), 4)
		vertex := func(lane int) int { return int(s.current[base+lane]) }
		degrees := c.rows.load(w, &s.g, vertex)
		w.Do(c.distanceAt...)
		w.Mem(c.distance, func(lane int) uint64 { return s.distance.At(vertex(lane)) })
		c.nest.ask(w, &degrees, func(lane, first, count int) func(*samples.Block) {
			v := vertex(lane)
			from, d := int(s.g.Row[v])+first, s.distances[v]
			return func(b *samples.Block) { s.relax(b, from, count, d) }
		})
	}, c.nest.wait)
}

// relaxChild relaxes one arc a thread: an addition and two addresses, the loads of destination and length, an
// addition. Then the address of the distance, an atomic minimum, a comparison, a branch. Where the distance fell,
// the address of the mark, an atomic exchange, a comparison, a branch. Where the mark is new, the append.
type relaxChild struct {
	*childCode
	address  []samples.Op
	col, len samples.Op
	sum      []samples.Op
	min      samples.Op
	fell     []samples.Op
	exchange samples.Op
	first    []samples.Op
	add      appendCode
}

func newRelaxChild(p *samples.Program) relaxChild {
	c := relaxChild{childCode: newChild(p, "relax_child")}
	at, a, b, u, l, d, to, old := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	fell, fresh := c.Pred(), c.Pred()
	c.address = []samples.Op{c.Op("IADD3", at, c.item), c.Op("IMAD.WIDE", a, at), c.Op("IMAD.WIDE", b, at)}
	c.col = c.Load("LDG.E", 4, u, a)
	c.len = c.Load("LDG.E", 4, l, b)
	c.sum = []samples.Op{c.Op("IADD3", d, l), c.Op("IMAD.WIDE", to, u)}
	c.min = c.Atomic("ATOMG.E.MIN", 4, old, to, d)
	c.fell = []samples.Op{c.Op("ISETP.LT", fell, d, old), c.Op("BRA", samples.NoReg, fell), c.Op("IMAD.WIDE", to, u)}
	c.exchange = c.Atomic("ATOMG.E.EXCH", 4, old, to)
	c.first = []samples.Op{c.Op("ISETP.NE", fresh, old), c.Op("BRA", samples.NoReg, fresh)}
	c.add = newAppend(c.Code, u)
	c.end()
	return c
}

// relax is a CTA of the child: the arcs from `from` on, of a vertex at distance d.
func (s *sssp) relax(b *samples.Block, from, count int, d int64) {
	c := &s.child
	out := s.frontier[s.round%2]
	c.run(b, count, func(w *samples.Warp, base int) {
		arc := func(lane int) int { return from + base + lane }
		head := func(lane int) int { return int(s.g.Col[arc(lane)]) }
		w.Do(c.address...)
		w.Affine(c.col, s.g.col.At(arc(0)), 4)
		w.Affine(c.len, s.lengthAt.At(arc(0)), 4)
		w.Do(c.sum...)
		w.Mem(c.min, func(lane int) uint64 { return s.distance.At(head(lane)) })
		w.Do(c.fell[:2]...)
		fell := w.Where(func(lane int) bool {
			sum, u := d+int64(s.length[arc(lane)]), head(lane)
			less := sum < s.distances[u]
			s.distances[u] = min(sum, s.distances[u])
			return less
		})
		w.Under(fell, func() {
			w.Do(c.fell[2])
			w.Mem(c.exchange, func(lane int) uint64 { return s.mark.At(head(lane)) })
			w.Do(c.first...)
			fresh := w.Where(func(lane int) bool {
				u := head(lane)
				old := s.marks[u]
				s.marks[u] = s.round
				return old != s.round
			})
			w.Under(fresh, func() {
				count := len(s.next)
				c.add.run(w, s.count.At(0), out, &count, func(lane, _ int) { s.next = append(s.next, uint32(head(lane))) })
			})
		})
	})
}
