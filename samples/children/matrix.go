package children

import (
	"fmt"
	"math/rand/v2"

	"gpureplay/samples"
	"gpureplay/samples/graph"
	"gpureplay/trace"
)

func init() { samples.Register(mmGenerator) }

func mmGenerator() samples.Generator {
	return samples.Generator{
		Name:    "dp-mm",
		Machine: "k20m-spawn",
		Title:   "sparse matrix times dense matrix, a child for a row with many non-zeros",
		Source:  "SPAWN table I and section III-A (MM): a parent thread a row, a child thread a column of the multiplier",
		Params: append(graphParams(allKinds("graph500")...), append([]samples.Param{
			samples.Int("columns", 64, 1, 4096, "columns of the multiplier"),
			samples.Int("threshold", 32, 0, 1<<30, "least non-zeros of a row with a child; 0: all rows that have some"),
			samples.Int("child-block", 64, 32, 256, "threads of a child CTA"),
		}, launchParams(7)...)...),
		Generate: func(w samples.Writer, p samples.Params) error {
			g, err := openMatrix(p)
			if err != nil {
				return err
			}
			r := launchRule(p)
			r.threshold, r.block = max(p.Int("threshold"), 1), p.Int("child-block")
			_, err = runProduct(w, g, p.Int("columns"), p.Seed(), r)
			return err
		},
	}
}

// openMatrix reads or generates a sparse matrix, which need not be square.
func openMatrix(p samples.Params) (*graph.Graph, error) {
	g, err := openGraph(p)
	if g != nil && g.Columns() != g.Vertices() {
		err = nil
	}
	if err == nil && g.Columns() == 0 {
		err = fmt.Errorf("%s: a matrix without columns", g.Name)
	}
	return g, err
}

// product is C = A·B, A sparse in rows, B dense.
//
//  1. The paper says neither the threshold nor the matrices: the program's rule is
//     a least number of non-zeros, since the columns, a child's threads, are the
//     same for every row.
//  2. Values that the file has are taken; a pattern's are drawn from [0, 1).
type product struct {
	a        deviceGraph
	value    []float32
	b, c     []float32
	columns  int
	valueAt  samples.Array
	bAt, cAt samples.Array
	parent   rowsParent
	child    productChild
}

func runProduct(w samples.Writer, g *graph.Graph, columns int, seed uint64, r rule) (*product, error) {
	if err := fits("elements of the product", columns*max(g.Vertices(), g.Columns())); err != nil {
		return nil, err
	}
	p := samples.NewProgram(w)
	m := &product{a: newDeviceGraph(p, g), columns: columns}
	random := rand.New(rand.NewPCG(seed, 1969))
	for i := range g.Arcs() {
		v := random.Float32()
		if g.Weight != nil {
			v = float32(g.Weight[i])
		}
		m.value = append(m.value, v)
	}
	m.b = make([]float32, g.Columns()*columns)
	for i := range m.b {
		m.b[i] = random.Float32()
	}
	m.c = make([]float32, g.Vertices()*columns)
	m.valueAt = p.Array("value", max(g.Arcs(), 1), 4, trace.ArrayInput)
	m.bAt = p.Array("B", len(m.b), 4, trace.ArrayInput)
	m.cAt = p.Array("C", len(m.c), 4, trace.ArrayOutput)
	m.child = newProductChild(p)
	m.parent = newRowsParent(p, "multiply", r, m.child.childCode, 24)

	p.FileRead(m.a.row, m.a.col, m.valueAt, m.bAt)
	for _, a := range []samples.Array{m.a.row, m.a.col, m.valueAt, m.bAt} {
		p.Put(a)
	}
	p.Memset(m.cAt)
	p.Launch(grid{104, 256}.kernel(m.parent.Code, 26), m.parentCTA)
	p.Get(m.cAt)
	p.FileWrite(m.cAt)
	return m, p.Err()
}

func (m *product) parentCTA(b *samples.Block) {
	c := &m.parent
	c.runThen(b, m.a.Vertices(), func(w *samples.Warp, base int) {
		nonzeros := c.rows.load(w, &m.a, func(lane int) int { return base + lane })
		var work items
		w.Lanes(func(lane int) {
			if nonzeros[lane] > 0 {
				work[lane] = m.columns
			}
		})
		marked := func(lane int) int {
			if nonzeros[lane] < c.nest.threshold {
				return 0
			}
			return work[lane]
		}
		c.nest.askFor(w, &work, marked, func(lane, _, count int) func(*samples.Block) {
			row := base + lane
			return func(b *samples.Block) { m.childCTA(b, row, count) }
		})
	}, c.nest.wait)
}

// productChild makes one element a thread. Per non-zero: two addresses, the loads of its column and value, a
// product and an address, the load of the multiplier, a fused multiply-add. Then the counter, its comparison and a
// branch. Then the address and the store.
type productChild struct {
	*childCode
	address    []samples.Op
	col, value samples.Op
	place      []samples.Op
	factor     samples.Op
	step       []samples.Op
	out        []samples.Op
	store      samples.Op
}

func newProductChild(p *samples.Program) productChild {
	c := productChild{childCode: newChild(p, "multiply_child")}
	i, a, b, col, v, at, x, sum, more := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Pred()
	c.address = []samples.Op{c.Op("IMAD.WIDE", a, i), c.Op("IMAD.WIDE", b, i)}
	c.col, c.value = c.Load("LDG.E", 4, col, a), c.Load("LDG.E", 4, v, b)
	c.place = []samples.Op{c.Op("IMAD", at, col, c.item), c.Op("IMAD.WIDE", at, at)}
	c.factor = c.Load("LDG.E", 4, x, at)
	c.step = []samples.Op{c.Op("FFMA", sum, v, x, sum), c.Op("IADD3", i, i), c.Op("ISETP.LT", more, i),
		c.Op("BRA", samples.NoReg, more)}
	c.out = []samples.Op{c.Op("IMAD.WIDE", at, c.item)}
	c.store = c.Store("STG.E", 4, at, sum)
	c.end()
	return c
}

func (m *product) childCTA(b *samples.Block, row, count int) {
	c := &m.child
	c.run(b, count, func(w *samples.Warp, base int) {
		var sum [samples.WarpSize]float32
		for i := m.a.Row[row]; i < m.a.Row[row+1]; i++ {
			at := int(m.a.Col[i])*m.columns + base
			w.Do(c.address...)
			w.Same(c.col, m.a.col.At(int(i)))
			w.Same(c.value, m.valueAt.At(int(i)))
			w.Do(c.place...)
			w.Affine(c.factor, m.bAt.At(at), 4)
			w.Do(c.step...)
			w.Lanes(func(lane int) { sum[lane] += m.value[i] * m.b[at+lane] })
		}
		w.Do(c.out...)
		w.Affine(c.store, m.cAt.At(row*m.columns+base), 4)
		w.Lanes(func(lane int) { m.c[row*m.columns+base+lane] = sum[lane] })
	})
}
