package children

import (
	"math"
	"math/rand/v2"
	"strconv"

	"gpureplay/samples"
	"gpureplay/trace"
)

func init() { samples.Register(amrGenerator) }

func amrGenerator() samples.Generator {
	return samples.Generator{
		Name:    "dp-amr",
		Machine: "k20c",
		Title:   "adaptive mesh refinement of a flame front; children launch children",
		Source: "DTBL table 4 and SPAWN table I (AMR); dragon_li's AMR (104 x 256, children of 1 x 32 for 4x4x2 cells, " +
			"level cap 4, threshold 100 of 6000)",
		Params: append([]samples.Param{
			samples.Int("side", 16, 2, 128, "cells of the coarsest mesh in x and y; half as many in z"),
			samples.Int("levels", 4, 1, 8, "levels of the mesh, the coarsest counted"),
			samples.Int("threshold", 100, 1, 6000, "value from which a cell is refined; the highest is 6000"),
			samples.Choice("child-block", "cells and threads of a refinement", "32", "64", "128", "256"),
			samples.Seed(),
		}, launchParams(7)...),
		Generate: func(w samples.Writer, p samples.Params) error {
			r := launchRule(p)
			r.block, _ = strconv.Atoi(p.Text("child-block"))
			m := newMesh(p.Int("side"), p.Int("levels"), r.block, float64(p.Int("threshold")), p.Seed())
			return m.run(w, r)
		},
	}
}

// cell is a cell of the mesh: its place in the unit cube, its level and its index.
type cell struct {
	x, y, z float64 // of the low corner
	level   int
	index   int
}

// mesh refines cells near a wrinkled spherical front. A cell's value is 6000·exp(-(d/w)²), d the distance of its
// centre from the front, w the width of a coarsest cell over 4^level. A combustion code's error estimate looks like
// this: a thin shell of interest that every finer level resolves further.
//
//  1. The papers' combustion data are not public; the front stands for them.
//  2. A refinement has 4x4x2 cells, dragon_li's, or with larger CTAs 4x4x4, 8x4x4 or 8x8x4, so that a child has a
//     thread for each cell.
//  3. All refinements are marked: the program's rule is the threshold itself.
type mesh struct {
	side, levels int
	split        [3]int
	threshold    float64
	centre       [3]float64
	wrinkles     float64 // per turn
	values       []float64

	value, pointer, size samples.Array
	parent               refineParent
	child                refineChild
	roots                int
}

func newMesh(side, levels, block int, threshold float64, seed uint64) *mesh {
	r := rand.New(rand.NewPCG(seed, 1989))
	m := &mesh{side: side, levels: levels, threshold: threshold}
	m.split = map[int][3]int{32: {4, 4, 2}, 64: {4, 4, 4}, 128: {8, 4, 4}, 256: {8, 8, 4}}[block]
	for i := range m.centre {
		m.centre[i] = 0.4 + 0.2*r.Float64()
	}
	m.wrinkles = float64(3 + r.IntN(5))
	return m
}

// depth is how many cells the coarsest mesh has in z.
func (m *mesh) depth() int { return max(m.side/2, 1) }

// root returns a cell of the coarsest mesh.
func (m *mesh) root(i int) cell {
	s := float64(m.side)
	return cell{
		x: float64(i%m.side) / s, y: float64(i/m.side%m.side) / s,
		z: float64(i/(m.side*m.side)) / float64(m.depth()), index: i,
	}
}

// part returns the t-th cell of a refinement of c whose cells begin at index first.
func (m *mesh) part(c cell, t, first int) cell {
	hx, hz := m.spacing(c.level + 1)
	ix, iy, iz := t%m.split[0], t/m.split[0]%m.split[1], t/(m.split[0]*m.split[1])
	return cell{
		x: c.x + float64(ix)*hx[0], y: c.y + float64(iy)*hx[1], z: c.z + float64(iz)*hz,
		level: c.level + 1, index: first + t,
	}
}

// spacing is the size of the cells of a level in x and y, and in z.
func (m *mesh) spacing(level int) (xy [2]float64, z float64) {
	xy = [2]float64{1 / float64(m.side), 1 / float64(m.side)}
	z = 1 / float64(m.depth())
	for range level {
		xy[0] /= float64(m.split[0])
		xy[1] /= float64(m.split[1])
		z /= float64(m.split[2])
	}
	return xy, z
}

// at is the value of a cell.
func (m *mesh) at(c cell) float64 {
	xy, z := m.spacing(c.level)
	dx, dy, dz := c.x+xy[0]/2-m.centre[0], c.y+xy[1]/2-m.centre[1], c.z+z/2-m.centre[2]
	front := 0.3 + 0.03*math.Sin(m.wrinkles*math.Atan2(dy, dx))
	d := math.Sqrt(dx*dx+dy*dy+dz*dz) - front
	w := math.Pow(0.25, float64(c.level)) / float64(m.side)
	return 6000 * math.Exp(-(d/w)*(d/w))
}

// refines reports whether a cell of that value and level is refined.
func (m *mesh) refines(value float64, level int) bool {
	return value >= m.threshold && level+1 < m.levels
}

// cells adds the cells of the finished mesh from one cell down to n, and stops
// beyond the limit of an array.
func (m *mesh) cells(c cell, n int) int {
	n++
	if m.refines(m.at(c), c.level) {
		for t := 0; t < m.split[0]*m.split[1]*m.split[2] && n <= most; t++ {
			n = m.cells(m.part(c, t, 0), n)
		}
	}
	return n
}

func (m *mesh) run(w samples.Writer, r rule) error {
	p := samples.NewProgram(w)
	m.roots = m.side * m.side * m.depth()
	total := 0
	for i := 0; i < m.roots && total <= most; i++ {
		total = m.cells(m.root(i), total)
	}
	if err := fits("cells", total); err != nil {
		return err
	}
	m.value = p.Array("gridData", total, 4, trace.ArrayInput|trace.ArrayOutput)
	m.pointer = p.Array("gridPointer", total, 4, trace.ArrayOutput)
	m.size = p.Array("gridSize", 1, 4, trace.ArrayInput|trace.ArrayOutput)
	m.child = newRefineChild(p, r)
	m.parent = newRefineParent(p, r, m.child.childCode)
	for i := range m.roots {
		m.values = append(m.values, m.at(m.root(i)))
	}

	p.FileRead(m.value)
	p.Host(trace.HostOp{Kind: trace.OpCopyH2D, Array: m.value.Index, Addr: m.value.Base, Bytes: 4 * uint64(m.roots)})
	p.Memset(m.pointer)
	p.Put(m.size)
	p.Launch(grid{104, 256}.kernel(m.parent.Code, 28), m.parentCTA)
	p.Get(m.size)
	p.Get(m.value)
	p.Get(m.pointer)
	p.FileWrite(m.value)
	return p.Err()
}

// allocCode takes room for a refinement. Per refined cell: an atomic addition to
// the size, the address and the store of the pointer.
type allocCode struct {
	add, store samples.Op
	address    []samples.Op
}

func newAlloc(c *samples.Code, index trace.Reg) allocCode {
	first, at := c.Reg(), c.Reg()
	a := allocCode{add: c.Atomic("ATOMG.E.ADD", 4, first)}
	a.address = []samples.Op{c.Op("IMAD.WIDE", at, index)}
	a.store = c.Store("STG.E", 4, at, first)
	return a
}

// refine lets the active lanes ask for the refinement of their cells.
func (m *mesh) refine(w *samples.Warp, a *allocCode, n *nest, of func(lane int) cell) {
	parts := m.split[0] * m.split[1] * m.split[2]
	var work items
	var first [samples.WarpSize]int
	w.Same(a.add, m.size.At(0))
	w.Do(a.address...)
	w.Mem(a.store, func(lane int) uint64 { return m.pointer.At(of(lane).index) })
	w.Lanes(func(lane int) {
		work[lane], first[lane] = parts, len(m.values)
		for t := range parts {
			m.values = append(m.values, m.at(m.part(of(lane), t, first[lane])))
		}
	})
	n.ask(w, &work, func(lane, _, count int) func(*samples.Block) {
		c, at := of(lane), first[lane]
		return func(b *samples.Block) { m.childCTA(b, c, at, count) }
	})
}

// refineParent is the parent. Per cell of the coarsest mesh: the address and load
// of its value, a comparison, a branch; where it is refined, its room (three) and
// the request.
type refineParent struct {
	*loopCode
	address []samples.Op
	load    samples.Op
	test    []samples.Op
	alloc   allocCode
	nest    *nest
}

func newRefineParent(p *samples.Program, r rule, child *childCode) refineParent {
	c := refineParent{loopCode: newLoop(p, "refine")}
	at, v, high := c.Reg(), c.Reg(), c.Pred()
	c.address = []samples.Op{c.Op("IMAD.WIDE", at, c.item)}
	c.load = c.Load("LDG.E", 4, v, at)
	c.test = []samples.Op{c.Op("FSETP.GE", high, v), c.Op("BRA", samples.NoReg, high)}
	c.alloc = newAlloc(c.Code, c.item)
	c.nest = newNest(p, r, c.Code, c.item, child, 32)
	c.nest.synced(c.Code)
	c.end()
	return c
}

func (m *mesh) parentCTA(b *samples.Block) {
	c := &m.parent
	c.runThen(b, m.roots, func(w *samples.Warp, base int) {
		w.Do(c.address...)
		w.Affine(c.load, m.value.At(base), 4)
		w.Do(c.test...)
		w.Under(w.Where(func(lane int) bool { return m.refines(m.values[base+lane], 0) }), func() {
			m.refine(w, &c.alloc, c.nest, func(lane int) cell { return m.root(base + lane) })
		})
	}, c.nest.wait)
}

// refineChild makes one cell a thread: five operations for its place in the refinement, six for its coordinates
// (three conversions, three fused multiply-adds). Its value takes three differences and their squares' sum, a
// reciprocal root and a product for the radius, four operations and a sine for the wrinkle, a difference, two
// products, and a product, an exponential and a product. The address and store; two comparisons (value, level), a
// branch; where it is refined, its room and the request.
type refineChild struct {
	*childCode
	compute []samples.Op
	store   samples.Op
	test    []samples.Op
	alloc   allocCode
	nest    *nest
}

func newRefineChild(p *samples.Program, r rule) refineChild {
	c := refineChild{childCode: newChild(p, "refine_child")}
	x, y, z, d, sum, v, at := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	high := c.Pred()
	c.compute = []samples.Op{
		c.Op("LOP3", x, c.item), c.Op("SHF.R", y, c.item), c.Op("LOP3", y, y), c.Op("SHF.R", z, c.item),
		c.Op("IADD3", at, c.item),
		c.Op("I2F", x, x), c.Op("I2F", y, y), c.Op("I2F", z, z), c.Op("FFMA", x, x), c.Op("FFMA", y, y), c.Op("FFMA", z, z),
		c.Op("FADD", x, x), c.Op("FADD", y, y), c.Op("FADD", z, z),
		c.Op("FMUL", sum, x, x), c.Op("FFMA", sum, y, y, sum), c.Op("FFMA", sum, z, z, sum), c.Op("MUFU.RSQ", d, sum),
		c.Op("FMUL", d, d, sum),
		c.Op("MUFU.RCP", v, x), c.Op("FMUL", v, v, y), c.Op("FMUL", v, v), c.Op("MUFU.SIN", v, v), c.Op("FFMA", v, v),
		c.Op("FADD", d, d, v), c.Op("FMUL", d, d), c.Op("FMUL", d, d, d), c.Op("FMUL", d, d), c.Op("MUFU.EX2", v, d),
		c.Op("FMUL", v, v),
		c.Op("IMAD.WIDE", at, at),
	}
	c.store = c.Store("STG.E", 4, at, v)
	c.test = []samples.Op{c.Op("FSETP.GE", high, v), c.Op("ISETP.LT.AND", high, high), c.Op("BRA", samples.NoReg, high)}
	c.alloc = newAlloc(c.Code, at)
	c.nest = newNest(p, r, c.Code, at, c.childCode, 32)
	c.end()
	return c
}

func (m *mesh) childCTA(b *samples.Block, of cell, first, count int) {
	c := &m.child
	c.run(b, count, func(w *samples.Warp, base int) {
		w.Do(c.compute...)
		w.Affine(c.store, m.value.At(first+base), 4)
		w.Do(c.test...)
		w.Under(w.Where(func(lane int) bool { return m.refines(m.values[first+base+lane], of.level+1) }), func() {
			m.refine(w, &c.alloc, c.nest, func(lane int) cell { return m.part(of, base+lane, first) })
		})
	})
}
