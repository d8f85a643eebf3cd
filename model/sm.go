package model

import (
	"math/bits"

	"gpureplay/model/hardware"
	"gpureplay/model/memory"
	"gpureplay/model/program"
)

// sm is one streaming multiprocessor: resident CTAs and warps, warp schedulers,
// the load/store unit, shared memory and the L1.
type sm struct {
	m       *Machine
	timing  *program.Timing
	sched   []scheduler
	warps   []warp // by hardware slot
	now     Time   // the cycle that it is in, or was in last
	ends    Time   // the earliest of ending
	issued  uint64
	width   int  // instructions that a scheduler issues in a cycle, of one warp
	acting  bool // it is in a cycle
	ahead   bool // of the machine
	paged   bool // accesses may have to wait for pages
	watched bool // somebody is told of each instruction
	turns   [mostSchedulers]*scheduler
	at      [mostSchedulers]turn
	lsu     memory.LSU
	held    []heldAccess // of this cycle, not timed
	loads   []lateLoad   // that wait for fills, by their number
	told    AccessRecord

	id     int
	free   uint64 // slots without a warp
	used   hardware.Resources
	ctas   []*ctaRun
	holder uint32 // kernel id of the CTA placed last
	order  uint64 // its program order
	ending []ending
	age    uint64

	resident     uint64 // warps
	settled      Time
	warpCycles   uint64
	activeCycles uint64
	threadInsts  uint64 // of CTAs that have ended
}

// ending is a CTA whose warps have exited and whose last store is acknowledged
// at t.
type ending struct {
	t, post Time // post: of its post-profiler
	cta     *ctaRun
}

// warp is one warp on an SM. What each instruction needs comes first.
type warp struct {
	cta           *ctaRun
	op            *program.Op // the next instruction; nil: it has none
	sched         uint8
	bit           uint8
	unit          program.Unit // of the next instruction
	reason        Stall
	fenced        bool // ready when all that it issued is done
	id            uint32
	ready         Time // operands of the next instruction
	last          Time // everything that it issued is done, stores acknowledged
	program.Stack      // its programs
	began         Time
	bank          []Time     // registers of its own program
	home          *Residence // nil: an ordinary warp
	place         int        // its number there
	_             [56]byte   // a warp begins with a line of the host's caches
}

func newSM(m *Machine, id int, t *program.Timing) *sm {
	c := &m.cfg.SM
	s := &sm{m: m, id: id, timing: t, sched: make([]scheduler, c.Schedulers), warps: make([]warp, c.MaxWarps), holder: NoKernel, ends: never}
	_, paged := m.policy.Dependency.(AccessDependency)
	s.width, s.watched, s.paged = c.IssueWidth, m.issued != nil, paged
	s.free = 1<<c.MaxWarps - 1
	for i := range s.at {
		s.at[i] = noTurn
	}
	for i := range s.sched {
		s.sched[i].init(s, i)
		s.turns[i] = &s.sched[i]
	}
	s.lsu.Init(m.mem, id)
	return s
}

// fits reports whether one more CTA of k has room now.
func (s *sm) fits(k *kernelRun) bool { return s.m.cfg.Fits(s.used, k.res) }

// start places a CTA in cycle t.
func (s *sm) start(c *ctaRun, t Time) {
	k := c.kernel
	s.settle(t)
	if len(s.ctas) == 0 && s.order != k.Order {
		s.lsu.Enter(s.m.cfg.L1Bytes(&k.tk))
	}
	s.holder, s.order = k.ID, k.Order
	s.ctas = append(s.ctas, c)
	s.used = s.used.Plus(k.res)
	c.sm = s
	c.rec.SM, c.rec.Dispatch, c.rec.Start, c.rec.End = uint32(s.id), t, Unset, Unset
	c.rec.WarpInsts, c.rec.Active, c.rec.StallTimes = 0, 0, [NumStalls]Time{}
	c.live = len(c.cta.Warps)
	at := t + Time(s.m.cfg.SM.CTALaunchLatency)
	for i := range c.cta.Warps {
		s.startWarp(c, i, at+Time(i*s.m.cfg.SM.WarpLaunchGap))
	}
	if c.inferred > 0 {
		if c.until = at + c.inferred; c.live == 0 {
			s.hold(c, t)
			return
		}
	}
	s.resident += uint64(c.live)
	s.m.tasks.warp(c.live)
	s.m.sum.Warps += uint64(c.live)
	if s.m.placed != nil {
		s.m.placed.Placed(&c.rec)
	}
	if c.live == 0 {
		s.end(c, at+1, s.exited(c, t))
	}
}

// hold keeps the place of a CTA whose work is inferred.
func (s *sm) hold(c *ctaRun, t Time) {
	c.held = true
	s.m.ctas.bulk.held++
	s.resident += uint64(c.kernel.res.Warps)
	s.m.sum.Warps += uint64(c.kernel.res.Warps)
	if s.m.placed != nil && !s.m.bulk {
		s.m.placed.Placed(&c.rec)
	}
	s.end(c, c.until, s.exited(c, t))
}

// takeSlot gives a warp the first free hardware slot; it is the youngest of its
// scheduler.
func (s *sm) takeSlot() (slot int, w *warp) {
	slot = bits.TrailingZeros64(s.free)
	s.free &^= 1 << slot
	w = &s.warps[slot]
	w.sched, w.bit = uint8(slot%len(s.sched)), uint8(slot/len(s.sched))
	s.age++
	s.sched[w.sched].age[w.bit] = s.age
	return slot, w
}

func (s *sm) startWarp(c *ctaRun, i int, t Time) {
	slot, w := s.takeSlot()
	c.slots |= 1 << slot
	w.cta, w.id, w.last, w.began, w.Callers = c, c.cta.Warps[i].ID, t, t, w.Callers[:0]
	w.Frame = c.program(i)
	n := w.Code.Count
	if cap(w.bank) < n {
		w.bank = make([]Time, n)
	}
	w.Regs = w.bank[:n]
	clear(w.Regs)
	if x := c.kernel.merged; x != nil && x.Prologue != nil {
		s.m.children.prologue(w, x)
	}
	s.prepare(w, t)
	s.schedule(w, t)
}

// program returns the program of warp i of c.
func (c *ctaRun) program(i int) program.Frame {
	if c.counted {
		return c.counts.Program(i)
	}
	return program.NewFrame(c.code, &c.cta.Warps[i])
}

// schedule makes w a candidate of its scheduler from cycle t on.
func (s *sm) schedule(w *warp, t Time) {
	if !s.acting {
		s.now = s.m.now
	}
	s.sched[w.sched].add(s, w, t)
	s.wake(t)
}

// wake makes the SM act at t, unless it acts before.
func (s *sm) wake(t Time) {
	if !s.acting { // or else it says itself when it acts next
		s.m.wake(s.id, t)
	}
}

// exit takes a warp that has issued its last instruction in cycle t off the SM.
func (s *sm) exit(w *warp, t Time) {
	if w.home != nil {
		w.home.ended(w, t)
		return
	}
	c := w.cta
	s.settle(t + 1)
	s.resident--
	s.m.tasks.warp(-1)
	slot := s.slot(w)
	s.free |= 1 << slot
	if u := s.m.children; u.watcher != nil && c.launch() != nil {
		u.watcher.WarpEnded(t, t+1-w.began)
	}
	c.slots &^= 1 << slot
	c.acked = max(c.acked, w.last, t+1)
	c.live--
	if c.live == 0 {
		s.end(c, max(c.acked, c.until), s.exited(c, t))
		return
	}
	if c.waiting > 0 {
		s.checkBarriers(c, t)
	}
	if c.stranded() {
		s.suspend(c)
	}
}

// exited tells the dependency that the warps of c have exited, and returns how much
// longer c holds its place for it.
func (s *sm) exited(c *ctaRun, t Time) Time {
	if s.m.access == nil {
		return 0
	}
	return s.m.access.Exited(c.kernel.Order, &c.cta, t)
}

// end notes that c, whose work is done at t, ends so many cycles later.
func (s *sm) end(c *ctaRun, t, post Time) {
	t += post
	s.ending = append(s.ending, ending{t, post, c})
	s.ends = min(s.ends, t)
	s.wake(t)
}

// finishCTAs frees what the CTAs that end in cycle t hold.
func (s *sm) finishCTAs(t Time) {
	kept := s.ending[:0]
	s.ends = never
	for _, e := range s.ending {
		if e.t > t {
			kept, s.ends = append(kept, e), min(s.ends, e.t)
			continue
		}
		s.finishCTA(e.cta, t)
	}
	s.ending = kept
}

func (s *sm) remove(c *ctaRun) {
	for i, r := range s.ctas {
		if r == c {
			s.ctas = append(s.ctas[:i], s.ctas[i+1:]...)
			return
		}
	}
}

func (s *sm) finishCTA(c *ctaRun, t Time) {
	s.remove(c)
	if c.held {
		s.settle(t)
		s.resident -= uint64(c.kernel.res.Warps)
	}
	if c.home == nil {
		s.used = s.used.Minus(c.kernel.res)
	}
	c.stall(t, StallMemory)
	c.rec.End = t
	k := c.kernel
	if s.m.access != nil {
		s.m.access.Ended(k.Order, c.rec.CTA, t)
	}
	k.rec.Work.book(&c.rec, k.res.Warps)
	k.rec.WarpInsts += c.rec.WarpInsts
	k.rec.ThreadInsts += c.threadInsts
	s.threadInsts += c.threadInsts
	s.m.sum.CTAs++
	if c.rec.Held = c.held; !c.held || !s.m.bulk {
		s.m.obs.CTA(&c.rec)
	}
	if c.task != nil {
		s.m.taskCTAEnded(c, t)
		return
	}
	s.m.ctas.ended(c, t)
	if c.finished = c.children > 0; !c.finished {
		s.m.spareCTAs = append(s.m.spareCTAs, c)
	}
}

// stall books the cycles since the CTA's last issue, up to t, on a reason.
func (c *ctaRun) stall(t Time, why Stall) {
	from := c.lastAt + 1
	if c.lastAt == Unset {
		from = c.rec.Dispatch
	}
	if t > from {
		c.rec.StallTimes[why] += t - from
	}
}

// settle brings the sums over resident warps up to t.
func (s *sm) settle(t Time) {
	if d := t - s.settled; d > 0 {
		s.warpCycles += s.resident * uint64(d)
		if s.resident > 0 {
			s.activeCycles += uint64(d)
		}
		s.settled = t
	}
}

func trailing(w uint64) int { return bits.TrailingZeros64(w) }
