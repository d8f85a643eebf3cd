package children

import (
	"math/bits"

	"gpureplay/samples"
	"gpureplay/trace"
)

func init() { samples.Register(mandelGenerator) }

func mandelGenerator() samples.Generator {
	return samples.Generator{
		Name:    "dp-mandel",
		Machine: "k20m-spawn",
		Title:   "Mandelbrot set by region borders: fill, subdivide or compute each pixel, in children",
		Source:  "SPAWN table I (Mandel); rule of the adaptive-subdivision kernels of temporal-hpc's GPU-dynamic-parallelism",
		Params: append([]samples.Param{
			samples.Int("size", 256, 16, 8192, "pixels of a side, a power of two"),
			samples.Int("regions", 4, 1, 256, "regions of a side at the start, a power of two"),
			samples.Int("subdivide", 2, 2, 8, "parts of a side of a subdivided region, a power of two"),
			samples.Int("min-size", 8, 1, 4096, "a region's parts must have more pixels a side than this"),
			samples.Int("max-depth", 6, 1, 12, "levels of subdivision"),
			samples.Int("iterations", 512, 2, 65535, "iterations after which a point counts as inside"),
			samples.Int("child-block", 64, 32, 256, "threads of a CTA that fills or computes pixels"),
		}, launchParams(6)...),
		Generate: func(w samples.Writer, p samples.Params) error {
			m := &mandel{
				size: p.Int("size"), regions: p.Int("regions"), subdivide: p.Int("subdivide"),
				minSize: p.Int("min-size"), maxDepth: p.Int("max-depth"), iterations: p.Int("iterations"),
			}
			if err := m.check(); err != nil {
				return err
			}
			r := launchRule(p)
			r.block = p.Int("child-block")
			return m.run(w, r)
		},
	}
}

// mandel draws the set over x from -2 to 1 and y from -1.5 to 1.5.
//
// A CTA has one region. Its threads compute the region's border. One thread lets a child fill the region if the
// whole border took equally many iterations, subdivide it while parts are larger than min-size and the depth
// allows, or compute each pixel.
//
//  1. The CTA of a region is one warp, which compares by votes. So no child needs a barrier and each of its threads
//     can run as an iteration of its parent.
//  2. The subdividing child's items are its threads.
//  3. Pixels of a region are handed to threads row by row, in CTAs of one dimension, where the source has square
//     ones.
//  4. All requests are marked: the border test is the rule.
type mandel struct {
	size, regions, subdivide, minSize, maxDepth, iterations int

	image                samples.Array
	pixels               []int32
	root, inner          regionCode
	fill                 fillCode
	each                 pixelCode
	fills, splits, eachs int
}

// region is a square of the image.
type region struct{ x, y, size, depth int }

func (m *mandel) check() error {
	for _, v := range []struct {
		name  string
		value int
	}{{"size", m.size}, {"regions", m.regions}, {"subdivide", m.subdivide}} {
		if bits.OnesCount(uint(v.value)) != 1 {
			return badParam(v.name, v.value, "want a power of two")
		}
	}
	if m.regions*2 > m.size {
		return badParam("regions", m.regions, "regions of fewer than two pixels a side")
	}
	return nil
}

// dwell is the number of iterations of a pixel.
func (m *mandel) dwell(x, y int) int32 {
	cx, cy := -2+3*float64(x)/float64(m.size), -1.5+3*float64(y)/float64(m.size)
	zx, zy := 0.0, 0.0
	n := 0
	for ; n < m.iterations && zx*zx+zy*zy < 4; n++ {
		zx, zy = zx*zx-zy*zy+cx, 2*zx*zy+cy
	}
	return int32(n)
}

func (m *mandel) run(w samples.Writer, r rule) error {
	p := samples.NewProgram(w)
	m.image = p.Array("image", m.size*m.size, 4, trace.ArrayOutput)
	m.pixels = make([]int32, m.size*m.size)
	m.fill = newFill(p)
	m.each = newPixel(p)
	m.inner = newRegion(p, "region_child", r, m)
	m.root = newRegion(p, "region", r, m)
	p.Memset(m.image)
	shape := grid{m.regions * m.regions, samples.WarpSize}
	side := m.size / m.regions
	p.Launch(shape.kernel(m.root.Code, 34), func(b *samples.Block) {
		m.regionCTA(b, &m.root, region{b.X() % m.regions * side, b.X() / m.regions * side, side, 1})
	})
	p.Get(m.image)
	p.FileWrite(m.image)
	return p.Err()
}

// dwellCode computes a pixel's iterations. Per pixel: two conversions and two fused multiply-adds for its point.
// Per iteration two squares, their sum, a comparison, a branch, a difference and an addition for x. Then a product
// and a fused multiply-add for y, the counter, its comparison and a branch.
type dwellCode struct {
	point, body []samples.Op
	test        []samples.Op
	count       trace.Reg
}

func newDwell(c *samples.Code) dwellCode {
	cx, cy, x, y, xx, yy, n := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	out, more := c.Pred(), c.Pred()
	return dwellCode{
		count: n,
		point: []samples.Op{c.Op("I2F", cx), c.Op("I2F", cy), c.Op("FFMA", cx, cx), c.Op("FFMA", cy, cy)},
		test: []samples.Op{
			c.Op("FMUL", xx, x, x), c.Op("FMUL", yy, y, y), c.Op("FADD", cx, xx, yy), c.Op("FSETP.GE", out, cx),
			c.Op("BRA", samples.NoReg, out),
		},
		body: []samples.Op{
			c.Op("FMUL", y, x, y), c.Op("FFMA", y, y, cy), c.Op("FADD", x, xx, yy), c.Op("FADD", x, x, cx),
			c.Op("IADD3", n, n), c.Op("ISETP.LT", more, n), c.Op("BRA", samples.NoReg, more),
		},
	}
}

// run records the iterations of the active lanes' pixels, of these dwells.
func (d *dwellCode) run(w *samples.Warp, most int, dwell func(lane int) int32) {
	w.Do(d.point...)
	in := w.Mask()
	for n := int32(0); in != 0; n++ {
		w.Under(in, func() { w.Do(d.test...) })
		in = w.Where(func(lane int) bool { return in>>lane&1 != 0 && dwell(lane) > n })
		w.Under(in, func() { w.Do(d.body...) })
		if int(n)+1 == most {
			break
		}
	}
}

// regionCode is the code of a region's CTA. Per thread: three operations for the region's corner. Per border pixel
// four for its place, the iterations, a comparison with the first dwell, a vote, the step, a comparison and a
// branch. Two comparisons and branches for the decision, and one thread's request.
type regionCode struct {
	*childCode
	corner          []samples.Op
	place           []samples.Op
	dwell           dwellCode
	equal, decide   []samples.Op
	fill, in, every *nest
}

func newRegion(p *samples.Program, name string, r rule, m *mandel) regionCode {
	c := regionCode{childCode: newChild(p, name)}
	x, y, i, first, same := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Pred()
	c.corner = []samples.Op{c.Op("LOP3", x, c.item), c.Op("SHF.R", y, c.item), c.Op("IMAD", x, x)}
	c.place = []samples.Op{c.Op("IMAD", i, i, c.item), c.Op("IADD3", x, x, i), c.Op("IADD3", y, y, i),
		c.Op("ISETP.GE", same, i)}
	c.dwell = newDwell(c.Code)
	c.equal = []samples.Op{
		c.Op("SHFL.IDX", first, c.dwell.count), c.Op("ISETP.EQ.AND", same, c.dwell.count, first), c.Op("VOTE.ALL", i, same),
		c.Op("IADD3", i, i), c.Op("ISETP.LT", same, i), c.Op("BRA", samples.NoReg, same),
	}
	c.decide = []samples.Op{c.Op("ISETP.EQ", same, c.item), c.Op("BRA", samples.NoReg, same), c.Op("ISETP.NE", same, i),
		c.Op("BRA", samples.NoReg, same)}
	c.fill = newNest(p, r, c.Code, i, m.fill.childCode, 10)
	c.every = newNest(p, r, c.Code, i, m.each.childCode, 20)
	inner := c.childCode
	if m.inner.childCode != nil {
		inner = m.inner.childCode
	}
	narrow := r
	narrow.block = samples.WarpSize
	c.in = newNest(p, narrow, c.Code, i, inner, 34)
	c.in.synced(c.Code)
	c.end()
	return c
}

// border returns the i-th pixel of a region's border, of 4·(size-1).
func (r region) border(i int) (x, y int) {
	last := r.size - 1
	switch side, at := i/last, i%last; side {
	case 0:
		return r.x + at, r.y
	case 1:
		return r.x + last, r.y + at
	case 2:
		return r.x + last - at, r.y + last
	default:
		return r.x, r.y + last - at
	}
}

// regionCTA records one warp of a region, which all its threads enter.
func (m *mandel) regionCTA(b *samples.Block, c *regionCode, r region) {
	c.run(b, int(b.Grid[0])*samples.WarpSize, func(w *samples.Warp, _ int) {
		w.Do(c.corner...)
		n := 4 * (r.size - 1)
		same, first := true, m.dwell(r.border(0))
		for i := 0; i < n; i += samples.WarpSize {
			w.Do(c.place...)
			w.Under(w.Where(func(lane int) bool { return i+lane < n }), func() {
				var d [samples.WarpSize]int32
				w.Lanes(func(lane int) {
					d[lane] = m.dwell(r.border(i + lane))
					same = same && d[lane] == first
				})
				c.dwell.run(w, m.iterations, func(lane int) int32 { return d[lane] })
			})
			w.Do(c.equal...)
		}
		w.Do(c.decide...)
		w.Under(1, func() { m.decide(w, c, r, same, first) })
		if c == &m.root {
			c.in.wait(w)
		}
	})
}

// decide lets one lane ask for the region's child.
func (m *mandel) decide(w *samples.Warp, c *regionCode, r region, same bool, dwell int32) {
	area, parts := r.size*r.size, m.subdivide*m.subdivide
	switch {
	case same:
		m.fills++
		c.fill.ask(w, &items{area}, func(_, _, _ int) func(*samples.Block) {
			return func(b *samples.Block) { m.fillCTA(b, r, dwell) }
		})
	case r.depth+1 < m.maxDepth && r.size/m.subdivide > m.minSize:
		m.splits++
		side := r.size / m.subdivide
		c.in.ask(w, &items{parts * samples.WarpSize}, func(_, _, _ int) func(*samples.Block) {
			return func(b *samples.Block) {
				m.regionCTA(b, &m.inner, region{r.x + b.X()%m.subdivide*side, r.y + b.X()/m.subdivide*side, side, r.depth + 1})
			}
		})
	default:
		m.eachs++
		c.every.ask(w, &items{area}, func(_, _, _ int) func(*samples.Block) {
			return func(b *samples.Block) { m.pixelCTA(b, r) }
		})
	}
}

// fillCode fills one pixel a thread: three operations for its place, two for its
// address, a store.
type fillCode struct {
	*childCode
	place []samples.Op
	store samples.Op
}

func newFill(p *samples.Program) fillCode {
	c := fillCode{childCode: newChild(p, "fill")}
	c.place, c.store = newPlace(c.Code, c.item, samples.NoReg)
	c.end()
	return c
}

func newPlace(c *samples.Code, item, value trace.Reg) (place []samples.Op, store samples.Op) {
	x, y, at := c.Reg(), c.Reg(), c.Reg()
	place = []samples.Op{c.Op("LOP3", x, item), c.Op("SHF.R", y, item), c.Op("IADD3", x, x), c.Op("IMAD", at, y, x),
		c.Op("IMAD.WIDE", at, at)}
	return place, c.Store("STG.E", 4, at, value)
}

// pixel is the index in the image of a region's i-th pixel.
func (m *mandel) pixel(r region, i int) int { return (r.y+i/r.size)*m.size + r.x + i%r.size }

func (m *mandel) fillCTA(b *samples.Block, r region, dwell int32) {
	c := &m.fill
	c.run(b, r.size*r.size, func(w *samples.Warp, base int) {
		w.Do(c.place...)
		w.Mem(c.store, func(lane int) uint64 { return m.image.At(m.pixel(r, base+lane)) })
		w.Lanes(func(lane int) { m.pixels[m.pixel(r, base+lane)] = dwell })
	})
}

// pixelCode computes one pixel a thread: its iterations, its place and address as
// fillCode, a store.
type pixelCode struct {
	*childCode
	dwell dwellCode
	place []samples.Op
	store samples.Op
}

func newPixel(p *samples.Program) pixelCode {
	c := pixelCode{childCode: newChild(p, "pixel")}
	c.dwell = newDwell(c.Code)
	c.place, c.store = newPlace(c.Code, c.item, c.dwell.count)
	c.end()
	return c
}

func (m *mandel) pixelCTA(b *samples.Block, r region) {
	c := &m.each
	c.run(b, r.size*r.size, func(w *samples.Warp, base int) {
		at := func(lane int) int { return m.pixel(r, base+lane) }
		w.Lanes(func(lane int) { m.pixels[at(lane)] = m.dwell(at(lane)%m.size, at(lane)/m.size) })
		c.dwell.run(w, m.iterations, func(lane int) int32 { return m.pixels[at(lane)] })
		w.Do(c.place...)
		w.Mem(c.store, func(lane int) uint64 { return m.image.At(at(lane)) })
	})
}
