package children

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"gpureplay/samples"
	"gpureplay/trace"
)

var bhtRules = rules{dragonli: shape{128, 128}, klap: shape{1, 32}, arguments: 5}

func init() { samples.Register(bhtGenerator) }

func bhtGenerator() samples.Generator {
	return samples.Generator{
		Name:    "dp-bht",
		Machine: "k20c",
		Title:   "Barnes-Hut forces: a walk of the tree per body, a child for a long list of interactions",
		Source: "DTBL table 4 (BHT, random points); force kernel of LonestarGPU's Barnes-Hut (65 x 256), rule of " +
			"dragon_li's BFS",
		Params: append([]samples.Param{
			samples.Int("bodies", 1024, 2, 1<<18, "point masses"),
			samples.Int("steps", 1, 1, 1000, "time steps"),
			samples.Int("opening", 50, 1, 200, "opening criterion, size over distance, in hundredths"),
			samples.Choice("distribution", "of the bodies: in the cube, or in Plummer's cluster, dense in the middle",
				"uniform", "plummer"),
			samples.Seed(),
		}, bhtRules.params()...),
		Generate: func(w samples.Writer, p samples.Params) error {
			r, err := bhtRules.parse(p)
			if err != nil {
				return err
			}
			s := &barnesHut{theta: float64(p.Int("opening")) / 100}
			s.bodies = randomBodies(p.Int("bodies"), p.Text("distribution") == "plummer", p.Seed())
			return s.run(w, p.Int("steps"), r)
		},
	}
}

// softening keeps forces of close bodies finite, squared.
const softening = 1e-6

// timeStep is the length of a step.
const timeStep = 1e-3

// randomBodies draws bodies of equal mass in the unit cube.
func randomBodies(n int, plummer bool, seed uint64) []body {
	r := rand.New(rand.NewPCG(seed, 1986))
	out := make([]body, n)
	for i := range out {
		b := body{mass: 1 / float64(n), x: r.Float64(), y: r.Float64(), z: r.Float64()}
		if plummer {
			u := 0.02 + 0.97*r.Float64()
			radius := 0.05 / math.Sqrt(math.Pow(u, -2./3)-1)
			cos, phi := 2*r.Float64()-1, 2*math.Pi*r.Float64()
			sin := math.Sqrt(1 - cos*cos)
			b.x, b.y, b.z = inCube(0.5+radius*sin*math.Cos(phi)), inCube(0.5+radius*sin*math.Sin(phi)), inCube(0.5+radius*cos)
		}
		out[i] = b
	}
	return out
}

// inCube brings a coordinate into the cube.
func inCube(v float64) float64 { return min(max(v, 0), 0.999999) }

// barnesHut computes the forces on all bodies. The parent's thread walks the tree for one body and writes the list
// of nodes that act on it, far ones whole and near ones down to bodies. Its child adds their forces, a thread for
// each. A second kernel moves the bodies.
//
//  1. LonestarGPU builds the tree on the device with barriers across CTAs; the host builds it here before each step
//     and copies it.
//  2. The DTBL program is not public: the list is the nested work, of a length that varies by body, and the rule is
//     dragon_li's for BFS.
//  3. Arithmetic is in double precision here; instructions are those of single.
type barnesHut struct {
	theta  float64
	bodies []body

	p                               *samples.Program
	nodes                           []node
	lists                           [][]int32
	starts                          []int
	forces                          [][3]float64
	nodeAt, linkAt, listAt          samples.Array
	positionAt, velocityAt, forceAt samples.Array
	parent                          walkCode
	child                           forceCode
	move                            moveCode
}

func (s *barnesHut) run(w samples.Writer, steps int, r rule) error {
	p := samples.NewProgram(w)
	s.p = p
	n := len(s.bodies)
	if err := s.prepare(); err != nil {
		return err
	}
	room := 0
	for _, l := range s.lists {
		room = max(room, len(l))
	}
	room += room/4 + 8 // lists of later steps may be longer
	if err := fits("interactions", room*n); err != nil {
		return err
	}
	for i := range n {
		s.starts = append(s.starts, i*room)
	}
	s.nodeAt = p.Array("node", (deepest+2)*n, 16, trace.ArrayInput)
	s.linkAt = p.Array("link", (deepest+2)*n, 8, trace.ArrayInput)
	s.listAt = p.Array("list", room*n, 4, 0)
	s.positionAt = p.Array("position", n, 16, trace.ArrayInput|trace.ArrayOutput)
	s.velocityAt = p.Array("velocity", n, 16, trace.ArrayInput)
	s.forceAt = p.Array("force", n, 16, 0)
	s.child = newForce(p)
	s.parent = newWalk(p, r, s.child.childCode)
	s.move = newMove(p)

	p.FileRead(s.positionAt, s.velocityAt)
	p.Put(s.positionAt)
	p.Put(s.velocityAt)
	for i := range steps {
		if i > 0 {
			if err := s.prepare(); err != nil {
				return err
			}
		}
		for _, l := range s.lists {
			if len(l) > room {
				return badParam("steps", steps, "the bodies come together so much that interaction lists outgrow their room; "+
					"choose fewer")
			}
		}
		s.step()
	}
	p.Get(s.positionAt)
	p.FileWrite(s.positionAt)
	return p.Err()
}

// prepare builds the tree and finds the lists, unless they are too long.
func (s *barnesHut) prepare() error {
	s.nodes = buildOctree(s.bodies, 1)
	s.lists = s.lists[:0]
	total := 0
	s.forces = make([][3]float64, len(s.bodies))
	for i := range s.bodies {
		var list []int32
		for at := int32(0); int(at) < len(s.nodes); {
			if s.accept(i, at) {
				list = append(list, at)
				at = s.nodes[at].skip
			} else {
				at++
			}
		}
		s.lists = append(s.lists, list)
		total += len(list)
		if err := fits("interactions", total); err != nil {
			return err
		}
	}
	return nil
}

// accept reports whether a node acts on a body as a whole.
func (s *barnesHut) accept(body int, at int32) bool {
	n, b := &s.nodes[at], &s.bodies[body]
	dx, dy, dz := n.x-b.x, n.y-b.y, n.z-b.z
	return n.leaf || n.size*n.size < s.theta*s.theta*(dx*dx+dy*dy+dz*dz)
}

// step copies the tree and runs both kernels.
func (s *barnesHut) step() {
	for _, a := range []samples.Array{s.nodeAt, s.linkAt} {
		s.p.Host(trace.HostOp{Kind: trace.OpCopyH2D, Array: a.Index, Addr: a.Base, Bytes: a.Elem * uint64(len(s.nodes))})
	}
	s.p.Memset(s.forceAt)
	shape := grid{65, 256}
	s.p.Launch(shape.kernel(s.parent.Code, 40), s.walkCTA)
	s.p.Launch(shape.kernel(s.move.Code, 24), s.moveCTA)
	s.p.Sync()
}

// walkCode is the parent. Per body: an address and the load of its position. Per node a comparison and a branch,
// two addresses, the loads of its centre and mass and of its size and link, and three differences. Then their
// squares' sum, a product, a comparison and a branch. An accepted node's address, store and count, and the next
// node (a selection); the request.
type walkCode struct {
	*loopCode
	address         []samples.Op
	position        samples.Op
	test, addresses []samples.Op
	node, link      samples.Op
	distance        []samples.Op
	append          []samples.Op
	store           samples.Op
	next            samples.Op
	nest            *nest
}

func newWalk(p *samples.Program, r rule, child *childCode) walkCode {
	c := walkCode{loopCode: newLoop(p, "walk")}
	a, own, at, b, d, n, link, count, to := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	x, y, z, sum, more := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Pred()
	c.address = []samples.Op{c.Op("IMAD.WIDE", a, c.item)}
	c.position = c.Load("LDG.E.128", 16, own, a)
	c.test = []samples.Op{c.Op("ISETP.LT", more, at), c.Op("BRA", samples.NoReg, more)}
	c.addresses = []samples.Op{c.Op("IMAD.WIDE", b, at), c.Op("IMAD.WIDE", d, at)}
	c.node, c.link = c.Load("LDG.E.128", 16, n, b), c.Load("LDG.E.64", 8, link, d)
	c.distance = []samples.Op{
		c.Op("FADD", x, n, own), c.Op("FADD", y, n, own), c.Op("FADD", z, n, own), c.Op("FMUL", sum, x, x),
		c.Op("FFMA", sum, y, y, sum),
		c.Op("FFMA", sum, z, z, sum), c.Op("FMUL", sum, sum), c.Op("FSETP.LT", more, link, sum),
		c.Op("BRA", samples.NoReg, more),
	}
	c.append = []samples.Op{c.Op("IMAD.WIDE", to, count), c.Op("IADD3", count, count)}
	c.store = c.Store("STG.E", 4, to, at)
	c.next = c.Op("SEL", at, at, link, more)
	c.nest = newNest(p, r, c.Code, count, child, 28)
	c.nest.synced(c.Code)
	c.end()
	return c
}

func (s *barnesHut) walkCTA(b *samples.Block) {
	c := &s.parent
	c.runThen(b, len(s.bodies), func(w *samples.Warp, base int) {
		var at, count items
		w.Do(c.address...)
		w.Affine(c.position, s.positionAt.At(base), 16)
		for in := w.Mask(); in != 0; {
			w.Under(in, func() { w.Do(c.test...) })
			in = within(w, in, func(lane int) bool { return at[lane] < len(s.nodes) })
			w.Under(in, func() {
				w.Do(c.addresses...)
				w.Mem(c.node, func(lane int) uint64 { return s.nodeAt.At(at[lane]) })
				w.Mem(c.link, func(lane int) uint64 { return s.linkAt.At(at[lane]) })
				w.Do(c.distance...)
				taken := w.Where(func(lane int) bool { return s.accept(base+lane, int32(at[lane])) })
				w.Under(taken, func() {
					w.Do(c.append...)
					w.Mem(c.store, func(lane int) uint64 { return s.listAt.At(s.starts[base+lane] + count[lane]) })
					w.Lanes(func(lane int) { count[lane]++ })
				})
				w.Do(c.next)
				w.Lanes(func(lane int) {
					if at[lane]++; taken>>lane&1 != 0 {
						at[lane] = int(s.nodes[at[lane]-1].skip)
					}
				})
			})
		}
		c.nest.ask(w, &count, func(lane, first, count int) func(*samples.Block) {
			i := base + lane
			return func(b *samples.Block) { s.forceCTA(b, i, first, count) }
		})
	}, c.nest.wait)
}

// forceCode adds one node's force a thread: an addition and an address, the load of the node's number, an address,
// its load, the load of the body's position. Three differences, their squares' sum with the softening, a reciprocal
// root, three products for mass over distance cubed, three for the force. The threads of a warp add up their forces
// by shuffles, five rounds of a shuffle and an addition for each axis (NVIDIA, "Faster Parallel Reductions on
// Kepler", 2014). All have the same body, and atomics of one address go one by one. The first thread, found by an
// AND and a comparison, makes the three atomic additions. The flat form adds up in three registers and stores them
// once.
type forceCode struct {
	*childCode
	address  []samples.Op
	number   samples.Op
	place    []samples.Op
	node     samples.Op
	position samples.Op
	force    []samples.Op
	fold     []samples.Op
	add      [3]samples.Op
}

func newForce(p *samples.Program) forceCode {
	c := forceCode{childCode: newChild(p, "force")}
	at, a, n, b, v, own, sum, inverse, part, first := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(),
		c.Reg(), c.Reg(), c.Pred()
	d := c.Regs(3)
	c.address = []samples.Op{c.Op("IADD3", at, c.item), c.Op("IMAD.WIDE", a, at)}
	c.number = c.Load("LDG.E", 4, n, a)
	c.place = []samples.Op{c.Op("IMAD.WIDE", b, n)}
	c.node, c.position = c.Load("LDG.E.128", 16, v, b), c.Load("LDG.E.128", 16, own)
	for _, r := range d {
		c.force = append(c.force, c.Op("FADD", r, v, own))
	}
	c.force = append(c.force, c.Op("FFMA", sum, d[0], d[0]), c.Op("FFMA", sum, d[1], d[1], sum),
		c.Op("FFMA", sum, d[2], d[2], sum),
		c.Op("MUFU.RSQ", inverse, sum), c.Op("FMUL", sum, inverse, inverse), c.Op("FMUL", sum, sum, inverse),
		c.Op("FMUL", sum, sum, v))
	for _, r := range d {
		c.force = append(c.force, c.Op("FMUL", r, r, sum))
	}
	for range bits.Len(samples.WarpSize - 1) {
		for _, r := range d {
			c.fold = append(c.fold, c.Op("SHFL.DOWN", part, r), c.Op("FADD", r, r, part))
		}
	}
	c.fold = append(c.fold, c.Op("LOP3", at, c.item), c.Op("ISETP.NE", first, at))
	for i := range c.add {
		c.add[i] = c.Atomic("RED.E.ADD.F32", 4, samples.NoReg, d[i])
	}
	c.end()
	total := c.Regs(3)
	for i, op := range c.fold {
		if i < len(total) {
			c.Flat(op, c.Op("FADD", total[i], total[i], d[i]))
		} else {
			c.Flat(op)
		}
	}
	for i, op := range c.add {
		c.Flat(op)
		c.FlatLast(op, c.Store("STG.E", 4, total[i]))
	}
	return c
}

func (s *barnesHut) forceCTA(b *samples.Block, i, first, count int) {
	c := &s.child
	list := s.lists[i][first : first+count]
	c.run(b, count, func(w *samples.Warp, base int) {
		w.Do(c.address...)
		w.Affine(c.number, s.listAt.At(s.starts[i]+first+base), 4)
		w.Do(c.place...)
		w.Mem(c.node, func(lane int) uint64 { return s.nodeAt.At(int(list[base+lane])) })
		w.Same(c.position, s.positionAt.At(i))
		w.Do(c.force...)
		w.Do(c.fold...)
		w.Predicated(w.Mask()&-w.Mask(), func() {
			for axis := range c.add {
				w.Same(c.add[axis], s.forceAt.At(i)+4*uint64(axis))
			}
		})
		w.Lanes(func(lane int) {
			n, own := &s.nodes[list[base+lane]], &s.bodies[i]
			dx, dy, dz := n.x-own.x, n.y-own.y, n.z-own.z
			f := n.mass / math.Pow(dx*dx+dy*dy+dz*dz+softening, 1.5)
			s.forces[i][0] += f * dx
			s.forces[i][1] += f * dy
			s.forces[i][2] += f * dz
		})
	})
}

// moveCode moves a body. Per body: three addresses, the loads of force, velocity
// and position, six fused multiply-adds, the stores of velocity and position.
type moveCode struct {
	*loopCode
	address                   []samples.Op
	force, velocity, position samples.Op
	move                      []samples.Op
	storeV, storeP            samples.Op
}

func newMove(p *samples.Program) moveCode {
	c := moveCode{loopCode: newLoop(p, "integrate")}
	a, b, d, f, v, x := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	c.address = []samples.Op{c.Op("IMAD.WIDE", a, c.item), c.Op("IMAD.WIDE", b, c.item), c.Op("IMAD.WIDE", d, c.item)}
	c.force, c.velocity, c.position = c.Load("LDG.E.128", 16, f, a), c.Load("LDG.E.128", 16, v, b),
		c.Load("LDG.E.128", 16, x, d)
	for range 3 {
		c.move = append(c.move, c.Op("FFMA", v, f, v), c.Op("FFMA", x, v, x))
	}
	c.storeV, c.storeP = c.Store("STG.E.128", 16, b, v), c.Store("STG.E.128", 16, d, x)
	c.end()
	return c
}

func (s *barnesHut) moveCTA(b *samples.Block) {
	c := &s.move
	c.run(b, len(s.bodies), func(w *samples.Warp, base int) {
		w.Do(c.address...)
		w.Affine(c.force, s.forceAt.At(base), 16)
		w.Affine(c.velocity, s.velocityAt.At(base), 16)
		w.Affine(c.position, s.positionAt.At(base), 16)
		w.Do(c.move...)
		w.Affine(c.storeV, s.velocityAt.At(base), 16)
		w.Affine(c.storeP, s.positionAt.At(base), 16)
		w.Lanes(func(lane int) {
			body, f := &s.bodies[base+lane], &s.forces[base+lane]
			body.vx, body.vy, body.vz = body.vx+timeStep*f[0], body.vy+timeStep*f[1], body.vz+timeStep*f[2]
			body.x, body.y, body.z = inCube(body.x+timeStep*body.vx), inCube(body.y+timeStep*body.vy),
				inCube(body.z+timeStep*body.vz)
		})
	})
}
