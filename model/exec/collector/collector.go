package collector

import (
	"gpureplay/model/clock"
	"gpureplay/model/exec/gate"
	"gpureplay/model/hardware"
	"gpureplay/model/memory"
	"gpureplay/model/program"
	"gpureplay/trace"
)

// Time is in cycles of the SM clock.
type Time = clock.Time

// SM is the part of an SM that its collectors act on.
type SM interface {
	// CloseAt calls Close at the end of cycle t.
	CloseAt(t Time)
	// Booked sets the time at which a held instruction's result is there.
	Booked(held int32, done Time)
	// Take hands a held memory instruction to the load/store unit in cycle t.
	Take(held int32, t Time)
	// Returned books the accesses whose completion time is known in cycle t.
	Returned(done []memory.Done, t Time)
}

// Pipeline has the collectors of an SM. It holds only instructions with something in their
// way. They move at the end of a cycle, when all schedulers have acted.
type Pipeline struct {
	sm       SM
	gates    *gate.Gates // shut where an instruction is in the input register of a pipe
	port     memory.Port
	signals  *memory.Signals
	timing   *program.Timing
	cores    [mostCores]*subcore // as many as there are schedulers
	count    int                 // of sub-cores
	dual     bool                // a scheduler may issue two instructions in a cycle
	inputs   [16]coreQueue       // sub-cores with an instruction in the input register of a pipe, in order of issue
	filled   uint16              // pipes with such a sub-core
	idle     uint16              // sub-cores with such an instruction that reads none, in the first half of this step
	late     uint16              // sub-cores with units whose second dispatch of the last cycle is in this step
	active   uint16              // sub-cores in which something moves in the next step
	lent     uint16              // sub-cores with a unit that an instruction leaves in this step that bypasses
	plan     passing             // of the instruction at hand
	enters   bool                // others of its sub-core see it
	outputs  uint16              // sub-cores with an instruction in an output register, memory's apart
	memory   uint16              // sub-cores with one in memory's output register
	outOrder [mostCores]uint64   // the order of issue of each of these
	order    uint64              // last number in order of issue, and of allocation
	bypassed [16]uint8           // instructions of each pipe that bypassed in cycle at, or got a unit as they issued
	at       Time
	now      Time
	held     int   // instructions
	accesses int   // of them, for the load/store unit
	standing int   // of them, in output registers, memory's apart
	waiting  int   // late ones
	shared   int   // of them, for units that SMs share
	next     Time  // cycle in which one may move
	numbers  int32 // given to instructions
	spare    *inst
	longest  Time // results of a longer latency delay no read
	buses    buses
	soon     []soonWritten
}

// mostCores is how many sub-cores an SM has at most.
const mostCores = 16

// pipe is an execution pipe of a sub-core, or memory's, which the sub-cores share.
type pipe uint8

// The pipes are in the order in which their instructions get units (GPGPU-Sim's
// shader_core_ctx::create_exec_pipeline).
const (
	pipeSP pipe = iota
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
var pipeOf = [16]pipe{
	program.UnitInt: pipeInt, program.UnitNone: pipeInt,
	program.UnitFP16: pipeSP, program.UnitFP32: pipeSP, program.UnitFP64: pipeDP,
	program.UnitSFU: pipeSFU, program.UnitTensor: pipeTensor, program.UnitUniform: pipeUniform,
	program.UnitControl: pipeBranch, program.UnitTexture: pipeTexture, program.UnitMemory: pipeMemory,
	program.UnitGone: numPipes,
}

// unitOf is the unit that stands for each pipe at the schedulers.
var unitOf = func() (unit [16]program.Unit) {
	for u := range program.UnitGone {
		unit[pipeOf[u]] = u
	}
	return unit
}()

// inst is an instruction that is held.
type inst struct {
	o      *program.Op
	next   *inst  // of those that are spare
	order  uint64 // of issue
	given  uint64 // the order in which it got its unit
	left   uint32 // registers that it has to read, four bits a bank
	number int32
	pipe   pipe
}

// New makes the collectors of an SM.
func New(c *hardware.SMConfig, t *program.Timing, port memory.Port, g *gate.Gates, sm SM) *Pipeline {
	p := &Pipeline{sm: sm, gates: g, port: port, signals: port.Signals(), timing: t, count: c.Schedulers,
		dual: c.IssueWidth > 1, next: clock.Never, longest: t.Exit}
	for u := range program.UnitMemory {
		p.longest = max(p.longest, t.Latency[u])
	}
	p.longest = min(p.longest, mostAheadWritten)
	p.buses.init(c.ResultBuses, p.longest)
	for i := range c.Schedulers {
		p.cores[i] = &subcore{}
		p.cores[i].init(i, c.OperandCollectors/c.Schedulers, p.longest)
	}
	return p
}

// mostAheadWritten is for how many cycles ahead results are noted as written: one of a
// longer latency delays no read, and takes no bus (docs/model, "Collectors").
const mostAheadWritten = 4000

// Units returns the unit that each unit shares its pipe with.
func (c *Pipeline) Units() (all [16]program.Unit) {
	for u := range all {
		if all[u] = program.Unit(u); u < int(program.UnitGone) {
			all[u] = unitOf[pipeOf[u]]
		}
	}
	return all
}

// Late reports that results of a cycle are booked at its end.
func (c *Pipeline) Late() bool { return true }

// Issue takes instruction o of a sub-core's scheduler in cycle t. An instruction with
// nothing in its way is at its pipe at once; any other is held under a number.
func (c *Pipeline) Issue(scheduler uint8, o *program.Op, t Time) (done, last, completed Time, held int32) {
	s, p := c.cores[scheduler&(mostCores-1)], pipeOf[o.Unit&15]
	c.now = t
	c.order++
	if c.held > 0 && c.meets(s, p) {
		return 0, 0, t, c.hold(s, o, p, t)
	}
	at, ok := c.bypasses(s, p, o, t)
	if p == pipeMemory {
		if !ok {
			return 0, 0, t, c.hold(s, o, p, t)
		}
		c.bypass(s, p, t, t)
		c.port.Into(memory.Destination{Banks: o.Written, Subcore: scheduler})
		return 0, 0, t, notHeld
	}
	if !ok {
		return 0, 0, t, c.hold(s, o, p, t)
	}
	every, latency := c.times(o)
	if !c.bus(at, latency, c.held-c.accesses+c.count) {
		return 0, 0, t, c.hold(s, o, p, t)
	}
	c.bypass(s, p, at, t)
	s.free[p] = at + every
	done = max(at+latency, t+1)
	if at+latency > t+memory.WrittenAhead {
		c.write(s, o.Writes, at, latency)
	} else { // its pipe takes it at the end of the cycle
		c.soon = append(c.soon, soonWritten{s, o.Writes, at, latency, t})
	}
	return done, done, t, notHeld
}

// notHeld is in place of the number of an instruction that is not held.
const notHeld = -1

// times returns for how many cycles an instruction keeps its pipe, and after how many its
// result is there. EXIT, and an instruction that needs an issue slot alone, keep it for one.
func (c *Pipeline) times(o *program.Op) (every, latency Time) {
	t := c.timing
	switch {
	case o.Class == trace.ClassExit:
		return 1, t.Exit
	case o.Copy == program.CopiesAwaited: // GPGPU-Sim takes DEPBAR for arithmetic
		return t.Every[program.UnitInt], t.Latency[program.UnitInt]
	case o.Unit == program.UnitNone:
		return 1, t.Latency[program.UnitNone]
	}
	return t.Every[o.Unit&15], t.Latency[o.Unit&15]
}

// hold keeps an instruction that issues in cycle t and returns its number. With nothing before it, it gets its unit at
// once; or else it is in the input register of its pipe.
func (c *Pipeline) hold(s *subcore, o *program.Op, p pipe, t Time) int32 {
	e := c.spare
	if e == nil {
		e = &inst{number: c.numbers}
		c.numbers++
	}
	c.spare = e.next
	e.o, e.pipe, e.order, e.left = o, p, c.order, o.Reads
	c.held++
	if p == pipeMemory {
		c.accesses++
	}
	if o.Shared {
		c.shared++
	}
	if unit := c.unitNow(s, p, t); unit != 0 {
		c.take(s, e, unit)
		c.freshly(s, e, unit)
		c.turn(p, t)
	} else {
		s.input[p&15] = e
		s.filled |= 1 << (p & 15)
		c.inputs[p&15].push(s.number)
		c.filled |= 1 << (p & 15)
		c.gates.Shut(s.number, unitOf[p&15])
	}
	c.wake(t)
	return e.number
}

// unitNow returns the unit, a bit, that an instruction which issues in cycle t gets in the first half of the step,
// whatever else issues in the cycle: none is before it in its sub-core or at its pipe. 0: that is not so.
func (c *Pipeline) unitNow(s *subcore, p pipe, t Time) uint8 {
	if c.dual || s.filled|c.filled>>p&1 != 0 || c.at == t && c.bypassed[p&15] >= allocations {
		return 0
	}
	free := s.all &^ s.taken
	if s.at == t-1 {
		free &^= s.freed
	}
	return free & -free
}

// wake moves the held instructions at the end of cycle t.
func (c *Pipeline) wake(t Time) {
	if t < c.next {
		c.next = t
		c.sm.CloseAt(t)
	}
}

// write notes into which banks a result is written of an instruction that its pipe takes in
// cycle at.
func (c *Pipeline) write(s *subcore, banks uint32, at, latency Time) {
	if banks != 0 && latency <= c.longest {
		s.write(banks, at+latency, c.now)
	}
}

// Again resumes held instructions for memory in cycle t, if there are any: the load/store
// unit takes instructions again.
func (c *Pipeline) Again(t Time) Time {
	if c.accesses == 0 {
		return clock.Never
	}
	c.wake(t)
	return t
}

// Stops reports whether Close would hand an instruction to a unit that SMs share.
func (c *Pipeline) Stops(t Time) bool { return c.next <= t && c.shared > 0 }
