package reference

import (
	"slices"
	"strings"

	"gpureplay/model"
	"gpureplay/trace"
)

// nCollectors are the operand collectors of an SM where they serve all pipes (`sm.pipeline`), as GPGPU-Sim has
// them: behind each scheduler a register of each pipe, its collector units, and before each pipe another register.
// An instruction with nothing in its way is at its pipe in the cycle of its issue: times are less than GPGPU-Sim's
// by the stages between.
type nCollectors struct {
	n       *Machine
	s       *nSM
	scheds  []nCollecting
	buses   map[model.Time]int // results that leave pipes, by cycle
	issued  int                // instructions so far
	open    int                // of them that no pipe has taken
	still   bool
	ordered int // those that have got a unit
}

// nCollecting is a scheduler's share of them.
type nCollecting struct {
	behind [nPipes]*nOperands // issue
	units  []*nOperands
	freed  []bool             // units that were given back in the last step
	before [nPipes]*nOperands // the pipes
	stood  [nPipes]bool       // something before a pipe, at the end of the last step
	pipes  [nPipes]model.Time // from when a pipe takes another
	kept   [nPipes]*nOperands // late ones for which a bus is kept
	read   map[int]bool       // banks, in the last step
	writes map[nWrite]bool
}

// nWrite is a bank into which a result is written.
type nWrite struct {
	at   model.Time
	bank int
}

// nOperands is an instruction on its way to its pipe.
type nOperands struct {
	sched, pipe int
	issued      int         // its place among all
	ordered     int         // and among those that have got a unit
	fresh       bool        // it got its unit in the first step of this cycle
	late        bool        // it may go before its pipe in that step
	registers   int         // that it reads
	left        map[int]int // those that it has not read, of each bank
	every       model.Time
	latency     model.Time
	take        func(at model.Time)
}

// Pipes, in the order in which their instructions get units.
const (
	nSinglePipe = iota
	nSFUPipe
	nMemoryPipe
	nDoublePipe
	nIntPipe
	nControlPipe
	nTexturePipe
	nTensorPipe
	nUniformPipe
	nPipes
)

// pipeOf is the pipe of an instruction; one without a pipe uses the integer pipe.
func (n *Machine) pipeOf(in *trace.Inst) int {
	switch n.pipe(in) {
	case trace.ClassFP16, trace.ClassFP32:
		return nSinglePipe
	case trace.ClassSFU:
		return nSFUPipe
	case trace.ClassMemory:
		return nMemoryPipe
	case trace.ClassFP64:
		return nDoublePipe
	case trace.ClassControl:
		return nControlPipe
	case nTexture:
		return nTexturePipe
	case trace.ClassTensor:
		return nTensorPipe
	case trace.ClassUniform:
		return nUniformPipe
	}
	return nIntPipe
}

func (c *nCollectors) init(n *Machine, s *nSM) {
	c.n, c.s, c.buses = n, s, map[model.Time]int{}
	if !n.collects() {
		return
	}
	for range n.cfg.SM.Schedulers {
		each := n.cfg.SM.OperandCollectors / n.cfg.SM.Schedulers
		c.scheds = append(c.scheds, nCollecting{
			units: make([]*nOperands, each), freed: make([]bool, each),
			read: map[int]bool{}, writes: map[nWrite]bool{},
		})
	}
}

// collects: collectors serve all pipes.
func (n *Machine) collects() bool { return n.cfg.SM.Collectors() }

// room: the register of an instruction's pipe behind issue is empty.
func (c *nCollectors) room(sched int, in *trace.Inst) bool {
	return c.scheds[sched].behind[c.n.pipeOf(in)] == nil
}

// banks are a scheduler's register banks.
func (c *nCollectors) banks() int { return c.n.cfg.SM.RegisterBanks / c.n.cfg.SM.Schedulers }

// put has an instruction of a scheduler behind issue; its pipe takes it by take.
func (c *nCollectors) put(sched int, in *trace.Inst, every, latency model.Time, take func(at model.Time)) {
	c.issued++
	c.open++
	o := &nOperands{sched: sched, pipe: c.n.pipeOf(in), issued: c.issued, left: map[int]int{}, every: every,
		latency: latency}
	o.take = func(at model.Time) {
		c.open--
		take(at)
	}
	var seen []trace.Reg
	for _, r := range in.Src {
		if r < trace.RegUniform && !slices.Contains(seen, r) && len(seen) < 4 {
			seen = append(seen, r)
			o.left[int(r)%c.banks()]++
			o.registers++
		}
	}
	c.scheds[sched].behind[o.pipe] = o
}

// step moves issued instructions at the end of a cycle. The last ones go through GPGPU-Sim's next cycle, in which
// they get a unit in one of two steps. All go through the two steps of the cycle behind that.
func (c *nCollectors) step() {
	if c.n.cfg.CycleMemory() {
		c.s.lsu.register.step(&c.s.lsu)
	}
	if c.still && c.open == 0 {
		return // nothing has been on its way in the cycle before either
	}
	c.still = c.open == 0
	c.allocate(true)
	for i := range c.scheds {
		x := &c.scheds[i]
		c.reads(x, func(o *nOperands) bool { return o.fresh })
		c.dispatchEarly(x)
	}
	c.allocate(false)
	for i := range c.scheds {
		x := &c.scheds[i]
		x.dispatch(false)
		clear(x.read)
		for b := range c.banks() {
			x.read[b] = x.writes[nWrite{c.n.t + 2, b}]
			delete(x.writes, nWrite{c.n.t + 2, b})
		}
		c.reads(x, func(*nOperands) bool { return true })
		clear(x.freed)
		x.dispatch(true)
		clear(x.read)
		c.reads(x, func(*nOperands) bool { return true })
		for p := range x.before {
			x.stood[p] = x.before[p] != nil
		}
	}
	c.execute()
}

// allocate gives units to issued instructions, of each pipe in turn to the oldest of all schedulers. Where the
// oldest finds none, no other gets one. In the first step, units that were given back in the step before are not
// free yet.
func (c *nCollectors) allocate(first bool) {
	for i := range c.scheds {
		for _, o := range c.scheds[i].units {
			if o != nil {
				o.fresh = false
			}
		}
	}
	for range 8 {
		for p := range nPipes {
			var o *nOperands
			for i := range c.scheds {
				if b := c.scheds[i].behind[p]; b != nil && (o == nil || b.issued < o.issued) {
					o = b
				}
			}
			if o == nil {
				continue
			}
			x := &c.scheds[o.sched]
			for u := range x.units {
				if x.units[u] == nil && !(first && x.freed[u]) {
					c.ordered++
					o.ordered, o.fresh = c.ordered, first
					x.behind[p], x.units[u] = nil, o
					break
				}
			}
		}
	}
}

// dispatchEarly is the rest of the second dispatch of the cycle before: of instructions that have just got a unit
// and read no register, and of those that waited to see whether one has got a unit before theirs.
func (c *nCollectors) dispatchEarly(x *nCollecting) {
	var gone [nPipes]bool
	for u, o := range x.units {
		if o == nil || !o.late && !(o.fresh && o.registers == 0) {
			continue
		}
		o.late = false
		if p := o.pipe; !x.stood[p] && !gone[p] {
			gone[p], x.units[u] = true, nil
			if k := x.kept[p]; k != nil {
				c.buses[c.n.t-1+k.latency]--
			}
			c.early(x, o)
		}
	}
	clear(x.kept[:])
}

// early takes instructions that read no register from their units to their pipes a cycle sooner.
func (c *nCollectors) early(x *nCollecting, o *nOperands) {
	if at := c.n.t - 1; o.pipe != nMemoryPipe && x.pipes[o.pipe] <= at && c.bus(o, at) {
		x.pipes[o.pipe] = at + o.every
		o.take(at)
		return
	}
	x.before[o.pipe] = o
}

// reads has each bank that has done nothing else give a register to the unit that has
// asked it for the longest.
func (c *nCollectors) reads(x *nCollecting, which func(o *nOperands) bool) {
	for b := range c.banks() {
		var first *nOperands
		for _, o := range x.units {
			if o != nil && o.left[b] > 0 && which(o) && (first == nil || o.ordered < first.ordered) {
				first = o
			}
		}
		if first == nil || x.read[b] {
			continue
		}
		x.read[b] = true
		if first.left[b]--; first.left[b] == 0 {
			delete(first.left, b)
		}
	}
}

// dispatch moves instructions that have all their registers before their pipes, the first unit first. In the second
// dispatch of a cycle one for arithmetic waits if another can get a unit before its own meanwhile.
func (x *nCollecting) dispatch(second bool) {
	var waits [nPipes]bool
	for u, o := range x.units {
		if o == nil || len(o.left) > 0 || x.before[o.pipe] != nil || waits[o.pipe] {
			continue
		}
		if second && o.pipe != nMemoryPipe && x.room(u) {
			o.late, waits[o.pipe] = true, true
			continue
		}
		x.before[o.pipe], x.units[u], x.freed[u] = o, nil, true
	}
}

// room: a unit before unit u has been empty since the last dispatch.
func (x *nCollecting) room(u int) bool {
	for v := range u {
		if x.units[v] == nil && !x.freed[v] {
			return true
		}
	}
	return false
}

// execute has the pipes take the instructions before them, in the order in which they get buses,
// and the load/store unit the oldest.
func (c *nCollectors) execute() {
	delete(c.buses, c.n.t-2)
	for _, p := range []int{nSinglePipe, nDoublePipe, nIntPipe, nSFUPipe, nControlPipe, nTexturePipe, nTensorPipe,
		nUniformPipe} {
		for i := range c.scheds {
			x := &c.scheds[i]
			if o := x.before[p]; o != nil && x.pipes[p] <= c.n.t && c.bus(o, c.n.t) {
				x.pipes[p], x.before[p] = c.n.t+o.every, nil
				o.take(c.n.t)
			}
			for _, o := range x.units { // the pipe takes it or the one that goes before it
				if o != nil && o.late && o.pipe == p && x.pipes[p] <= c.n.t && c.limits(o) && c.bus(o, c.n.t) {
					x.kept[p] = o
				}
			}
		}
	}
	var oldest *nOperands
	for i := range c.scheds {
		if o := c.scheds[i].before[nMemoryPipe]; o != nil && (oldest == nil || o.issued < oldest.issued) {
			oldest = o
		}
	}
	if oldest != nil && c.s.lsu.open() {
		c.scheds[oldest.sched].before[nMemoryPipe] = nil
		oldest.take(c.n.t)
	}
}

// bus gives an instruction that its pipe takes in a cycle a bus for its result, if one is
// left in the cycle of that (`sm.result_buses`).
func (c *nCollectors) bus(o *nOperands, at model.Time) bool {
	if !c.limits(o) {
		return true
	}
	if c.buses[at+o.latency] >= c.n.cfg.SM.ResultBuses {
		return false
	}
	c.buses[at+o.latency]++
	return true
}

// limits: buses limit when a pipe takes it.
func (c *nCollectors) limits(o *nOperands) bool {
	return c.n.cfg.SM.ResultBuses > 0 && o.latency <= 4000
}

// wrote notes the banks into which a result of a scheduler will be written, if its pipe
// takes 4,000 cycles at most.
func (c *nCollectors) wrote(sched int, in *trace.Inst, at, latency model.Time) {
	if latency > 4000 {
		return
	}
	for _, r := range in.Dst {
		if r < trace.RegUniform {
			c.scheds[sched].writes[nWrite{at + latency, int(r) % c.banks()}] = true
		}
	}
}

// open reports whether the unit takes an access in this cycle.
func (u *nLSU) open() bool {
	if c := &u.n.cfg.L1; u.n.cfg.CycleMemory() && len(u.n.mem.net.banks[u.s.id][c.Banks]) > c.BypassLatency {
		return false // requests of the last access are not at the crossbar
	}
	return len(u.line) == 0 && u.free <= u.n.t
}

// take brings an access from the collectors to the unit.
func (u *nLSU) take(h *nHeld, book func(done model.Time)) {
	if !u.n.cfg.CycleMemory() {
		u.now = u.n.t
		h.begin()
		for _, step := range h.steps {
			step()
		}
		book(h.done)
		return
	}
	h.result = book
	if u.accessInTurn(h) {
		h.result = nil
		book(h.done)
	}
}

// collect issues the next instruction of w to the collectors. Its completion is unknown until it is at its pipe.
func (w *nWarp) collect(n *Machine, sched int, in *trace.Inst) {
	c, frame, memory := &w.cta.sm.coll, w.nFrame, n.pipe(in) == trace.ClassMemory
	_, tell := w.result(n, in)
	h, holds := &nHeld{}, false
	if memory {
		h = c.s.lsu.parts(n, w, in)
		h.sched, h.banksWritten = sched, n.written(in)
		holds = in.Flags&trace.InstAtomic != 0 && n.cfg.SM.AtomicsHoldWarp && (in.Width == 0 || w.w.Mem[w.mem-1].Count > 0)
	}
	w.pc++
	w.from = n.t + 1
	holds = holds && w.inst(n) != nil
	latency, every := n.timing(n.pipe(in))
	latency += model.Time(n.cfg.SM.PipelineDepth)
	switch {
	case in.Class == trace.ClassExit:
		latency, every = model.Time(n.cfg.SM.ExitLatency), 1
	case in.Class == trace.ClassFence && strings.HasPrefix(in.Opcode, "DEPBAR"):
		latency, every = n.timing(trace.ClassInt)
		latency += model.Time(n.cfg.SM.PipelineDepth)
	}
	book := w.answers(h, in, frame, holds)
	c.put(sched, in, every, latency, func(at model.Time) {
		if memory {
			c.s.lsu.take(h, book)
			return
		}
		c.wrote(sched, in, at, latency)
		book(max(at+latency, n.t+1))
	})
	if in.Class == trace.ClassLaunch {
		w.ask(n)
	}
	tell(n.t)
	w.goOn(n, in)
}

// fetchWidth is 0 where a warp always has its next instruction.
func (n *Machine) fetchWidth() int {
	if n.collects() {
		return n.cfg.SM.FetchWidth
	}
	return 0
}

// fetch gives warps that have none left their next two instructions (`sm.fetch_width`).
func (s *nSM) fetch(n *Machine) {
	for i := range n.fetchWidth() {
		var next *nWarp
		for j := range s.slots {
			slot := (s.fetched + 1 + j) % len(s.slots)
			if next == nil {
				s.exited[slot].lookedAt(n.t)
			}
			if w := s.slots[slot]; next == nil && w != nil && w.buffer == 0 && w.began <= n.t {
				next = w
			}
		}
		if next == nil {
			return
		}
		next.buffer, next.buffered = 2, n.t+1
		if i == n.fetchWidth()-1 {
			next.buffered++
		}
		s.fetched = next.slot
	}
}

// lookedAt takes w, which has exited, off its SM if all that it issued is done.
func (w *nWarp) lookedAt(t model.Time) {
	if w != nil && w.last <= t && w.cta.open[w.id] == 0 {
		w.gone = true
	}
}

// passedOver: a warp of c has exited and no fetch has come to it since it was done.
func (c *nCTA) passedOver(n *Machine) bool {
	for _, slot := range c.kept {
		if n.fetchWidth() > 0 && !c.sm.exited[slot].gone {
			return true
		}
	}
	return false
}

// hasInst: w has been given its next instruction.
func (w *nWarp) hasInst(n *Machine) bool {
	return n.fetchWidth() == 0 || w.buffer > 0 && w.buffered <= n.t
}
