package exec

import (
	"gpureplay/model/clock"
	"gpureplay/model/memory"
	"gpureplay/model/program"
	"gpureplay/trace"
)

// collectors are the operand collectors of an SM where they serve all pipes (docs/model,
// "Collectors"; GPGPU-Sim's opndcoll_rfu_t): behind issue a register of each pipe of a
// scheduler, the scheduler's units, and a register before each pipe. What finds nothing in
// its way is at its pipe in the cycle in which it issues and is never here; the rest moves
// at the end of a cycle, when all schedulers have acted.
type collectors struct {
	s        *SM
	lanes    [mostSchedulers]*lane // as many as there are schedulers
	behind   [numPipes]laneQueue   // with something of a pipe behind issue, in order of issue
	some     uint16                // pipes of which there is something
	fresh    uint16                // lanes with units given in the first half of this step
	active   uint16                // lanes in which something moves in the next
	stands   uint16                // lanes in which something stands before a pipe of theirs
	asks     uint16                // lanes in which something stands before that of memory
	order    uint64                // of issue, and of units
	past     [numPipes]uint8       // instructions of each pipe that met nothing in cycle at
	at       Time
	held     int  // instructions that are here
	memory   int  // those for the load/store unit
	standing int  // those before other pipes
	shared   int  // those for what SMs share
	next     Time // when one may move
	spare    []*operands
	longest  Time // latency of which a result's write stops reads
	buses    buses
	soon     []soonWritten
}

// pipe of a scheduler, or that of memory, which the schedulers share.
type pipeNumber uint8

// The pipes are in the order in which their instructions get units (GPGPU-Sim's
// shader_core_ctx::create_exec_pipeline).
const (
	pipeSP pipeNumber = iota
	pipeSFU
	pipeMemory
	pipeDP
	pipeInt
	pipeBranch
	pipeTexture
	pipeTensor
	pipeUniform
	numPipes
)

// pipeOf is the pipe of each unit.
var pipeOf = [16]pipeNumber{
	program.UnitInt: pipeInt, program.UnitNone: pipeInt,
	program.UnitFP16: pipeSP, program.UnitFP32: pipeSP, program.UnitFP64: pipeDP,
	program.UnitSFU: pipeSFU, program.UnitTensor: pipeTensor, program.UnitUniform: pipeUniform,
	program.UnitControl: pipeBranch, program.UnitTexture: pipeTexture, program.UnitMemory: pipeMemory,
	program.UnitGone: numPipes,
}

// unitOf is the unit of each pipe by which schedulers know it.
var unitOf = func() (unit [numPipes]program.Unit) {
	for u := range program.UnitGone {
		unit[pipeOf[u]] = u
	}
	return unit
}()

// operands is an instruction on its way to its pipe.
type operands struct {
	lateLoad
	asked
	own   trace.Access
	list  []uint64 // its addresses
	lane  *lane
	pipe  pipeNumber
	order uint64
}

func newCollectors(s *SM) *collectors {
	sm := &s.Config.SM
	if !sm.Collectors() {
		return nil
	}
	c := &collectors{s: s, next: clock.Never, longest: s.Timing.Exit}
	for u := range program.UnitMemory {
		c.longest = max(c.longest, s.Timing.Latency[u])
	}
	c.longest = min(c.longest, mostAheadWritten)
	c.buses.init(sm.ResultBuses, c.longest)
	for i := range sm.Schedulers {
		c.lanes[i] = &lane{}
		c.lanes[i].init(i, sm.OperandCollectors/sm.Schedulers, c.longest)
	}
	return c
}

// mostAheadWritten is for how many cycles ahead results are noted as written: one of a
// longer latency stops no read, and takes no bus (docs/model, "Collectors").
const mostAheadWritten = 4000

// issue issues the next instruction of w, o, in cycle t. It returns when w may issue again.
func (c *collectors) issue(sc *scheduler, w *Warp, o *program.Op, t Time) Time {
	s, l, p := c.s, c.lanes[sc.number&(mostSchedulers-1)], pipeOf[o.Unit&15]
	c.order++
	if s.watched && p != pipeMemory {
		s.tellInst(w, w.Code, w.Path[w.PC], t, t)
	}
	at, through := c.through(l, p, o, t)
	if p == pipeMemory {
		if through {
			c.passes(l, p, t, t)
		}
		return c.access(sc, w, o, t, through)
	}
	var every, latency Time
	if through {
		every, latency = c.timing(o)
		through = c.bus(at, latency, c.held-c.memory+len(s.sched))
	}
	if through {
		c.passes(l, p, at, t)
		l.free[p] = at + every
		if !nameless(o) {
			if at+latency > t+memory.WrittenAhead {
				c.write(l, o.Writes, at, latency)
			} else { // its pipe takes it at the end of the cycle
				c.soon = append(c.soon, soonWritten{l, o.Writes, at, latency, t})
			}
			done := max(at+latency, t+1)
			w.last = max(w.last, done)
			o.Write(w.Regs, done<<1)
		}
	} else {
		c.put(sc, l, w, o, p)
		if !nameless(o) {
			c.promise(w, o, 0)
		}
	}
	w.PC++
	if o.Class == trace.ClassLaunch {
		return s.ask(w, t)
	}
	return t + 1
}

// timing returns for how long an instruction keeps its pipe, and when its result is there.
// An EXIT, and what needs an issue slot alone, keep it for a cycle.
func (c *collectors) timing(o *program.Op) (every, latency Time) {
	t := c.s.Timing
	switch {
	case o.Class == trace.ClassExit:
		return 1, t.Exit
	case o.Unit == program.UnitNone:
		return 1, t.Latency[program.UnitNone]
	}
	return t.Every[o.Unit&15], t.Latency[o.Unit&15]
}

// nameless reports whether nobody waits for an instruction: it has no result, and its warp
// is not kept by it.
func nameless(o *program.Op) bool { return o.Unit == program.UnitNone && o.Dst == 0 }

// promise notes that nobody knows when the result of o is there.
func (c *collectors) promise(w *Warp, o *program.Op, memoryFlag Time) {
	w.open++
	w.CTA.open++
	o.Write(w.Regs, memory.Unknown<<1|memoryFlag)
}

// access issues an instruction for the load/store unit.
func (c *collectors) access(sc *scheduler, w *Warp, o *program.Op, t Time, through bool) Time {
	s := c.s
	if through {
		s.lsu.Hand(o.Written, sc.number)
		from := s.accessed(w, o, t, s.access(w, o, t))
		s.due(t)
		return from
	}
	if s.watched {
		s.tellInst(w, w.Code, w.Path[w.PC], t, t)
	}
	e := c.put(sc, c.lanes[sc.number&(mostSchedulers-1)], w, o, pipeMemory)
	e.ask(s, w, o)
	if s.Accesses != nil && e.global(o) {
		s.watch(w, o, e.a, t)
		s.tellAccess(t)
	}
	e.keep()
	c.promise(w, o, 1)
	e.holds = o.Flags&trace.InstAtomic != 0 && s.atomicHolds(w, o)
	w.PC++
	if e.holds {
		w.held, s.holding = true, true
		return memory.Unknown
	}
	return t + 1
}

// keep keeps what it asks: the program of a warp may make room for the next.
func (e *operands) keep() {
	if e.a == nil {
		return
	}
	e.own = *e.a
	if a := &e.own; a.List != 0 {
		e.list = append(e.list[:0], e.lists[a.List-1:][:a.Count]...)
		e.lists, a.List = e.list, 1
	}
	e.a = &e.own
}

// through reports whether an instruction of a lane meets nothing on its way to its pipe,
// and when that takes it: in the cycle in which it issues or, if it reads no register, in
// the one before.
func (c *collectors) through(l *lane, p pipeNumber, o *program.Op, t Time) (at Time, ok bool) {
	if c.s.width > 1 || l.stuck > 0 || c.some>>p&1 != 0 || l.stands>>p&1 != 0 || o.Crowded || l.at == t-1 && l.given == l.all {
		return t, false
	}
	if p == pipeMemory {
		if c.memory > 0 || !c.s.lsu.Takes(t) {
			return t, false
		}
		return t, true
	}
	if o.Reads == 0 && l.passed[p] != t-1 && l.free[p] < t {
		return t - 1, true
	}
	return t, l.free[p] <= t
}

// passes notes that an instruction of a pipe, which takes it in cycle at, is not here: in its
// turn it has got a unit, and the instructions here have their turns behind it.
func (c *collectors) passes(l *lane, p pipeNumber, at, t Time) {
	if c.at != t {
		c.at, c.past = t, [numPipes]uint8{}
	}
	if c.past[p]++; at == t {
		l.passed[p] = t
	}
}

// put puts an instruction behind its scheduler.
func (c *collectors) put(sc *scheduler, l *lane, w *Warp, o *program.Op, p pipeNumber) *operands {
	e := c.take()
	e.set(w, o)
	e.lane, e.pipe, e.order = l, p, c.order
	l.behind[p] = e
	l.stuck++
	c.behind[p].push(l.number)
	c.some |= 1 << p
	c.held++
	if p == pipeMemory {
		c.memory++
	}
	if o.Shared {
		c.shared++
	}
	sc.block(p)
	c.wake(c.s.now)
	return e
}

func (c *collectors) take() *operands {
	if n := len(c.spare); n > 0 {
		e := c.spare[n-1]
		c.spare = c.spare[:n-1]
		return e
	}
	return &operands{}
}

// wake lets what is here move at the end of cycle t.
func (c *collectors) wake(t Time) {
	c.next = min(c.next, t)
	c.s.closeAt(t)
}

// write notes into which banks the result of an instruction is written that its pipe takes
// in cycle at.
func (c *collectors) write(l *lane, banks uint32, at, latency Time) {
	if banks != 0 && latency <= c.longest {
		l.write(banks, at+latency, c.s.now)
	}
}

// block keeps a scheduler from issuing to a pipe.
func (sc *scheduler) block(p pipeNumber) {
	u := unitOf[p] & 15
	sc.busy |= 1 << u
	sc.pipes[u].free = clock.Never
}

// open lets the scheduler of an SM issue to a pipe again from cycle t on, the next for all of
// them.
func (sc *scheduler) open(s *SM, p pipeNumber, t Time) {
	u := unitOf[p] & 15
	sc.busy &^= 1 << u
	x := &sc.pipes[u]
	x.free = t
	if x.needs&sc.ready != 0 {
		at := &s.at[sc.number&(mostSchedulers-1)]
		*at = min(*at, s.turnOf(t, sc.number))
	}
}
