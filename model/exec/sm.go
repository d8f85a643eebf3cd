package exec

import (
	"math/bits"

	"gpureplay/model/clock"
	"gpureplay/model/hardware"
	"gpureplay/model/memory"
	"gpureplay/model/memory/coalesce"
	"gpureplay/model/program"
)

// SM is one streaming multiprocessor: resident CTAs and warps, warp schedulers,
// the load/store unit, shared memory and the L1.
type SM struct {
	Setup
	d Device
	schedulers
	many        int    // of them
	warps       []Warp // by hardware slot
	now         Time   // the cycle that it is in, or was in last
	ends        Time   // the earliest of ending
	Issued      uint64
	width       int    // instructions that a scheduler issues in a cycle, of one warp
	rotates     bool   // its schedulers take turns in acting first in a cycle
	mask        uint64 // how many schedulers there are, less one, if that is a power of two; or 0
	stalling    bool   // a dependency may keep a warp back
	acting      bool   // it is in a cycle
	ahead       bool   // of the device
	watched     bool   // an observer sees each instruction
	port        memory.Port
	times       *memory.Signals // of the port
	co          *coalesce.Coalescer
	shared      coalesce.Shared
	closing     Time // when something is to be done behind all schedulers
	current     turn // that it is in, or was in last
	began       Time // and the cycle are how many cycles with a CTA there were before
	cycles      Time // with one, when it had its last
	persistents int
	leaving     uint64 // slots of their warps that leave a task in this cycle
	pipe        Pipeline
	held        []*heldInst // by the number that the pipeline gives
	fetch       fetching
	loads       []unresolved // that wait for fills, by their number
	holding     bool         // the warp that has just issued is held for an unknown time
	record      AccessRecord

	ID      int
	free    uint64             // slots that a warp may take
	keeps   bool               // a CTA keeps the slots of its warps that have exited
	Used    hardware.Resources // by CTAs and persistents
	CTAs    []*CTA
	Holder  uint32 // kernel of the CTA placed last
	Order   uint64 // its program order
	fresh   uint64 // program order of the kernel whose stores before it the L1 was flushed for
	bytes   int    // of the L1
	ending  []ending
	started uint64 // warps so far

	Resident     uint64 // warps
	Settled      Time   // up to when these sums are: over cycles, of warps, and of those with a warp
	WarpCycles   uint64
	ActiveCycles uint64
	ThreadInsts  uint64 // of CTAs that have ended
}

// Setup is the configuration of an SM.
type Setup struct {
	Config   *hardware.Config
	Timing   *program.Timing
	Library  *program.Library
	Memory   memory.System
	Warps    WarpScheduler
	Accesses AccessObserver // nil: accesses are not observed
	Insts    InstObserver   // nil: nor of instructions
	Keeps    bool           // the device may keep accesses back
	Detached bool           // a wait for children waits for nothing
	Marks    bool           // warps have points at which they wait, or pass a trigger
}

// Device is the machine that an SM is part of. The SM reports the events of its CTAs to it
// and requests decisions of other units. It is called in the SM's cycle, t.
type Device interface {
	Now() Time
	Wake(sm int, t Time) // has the SM act at t, unless it acts before
	Fail(err error)      // ends the run
	// Horizon returns up to when nothing happens to an SM that it does not do itself, as
	// seen from t; no later than t: it does not run ahead. It acts next in a cycle next.
	Horizon(s *SM, t, next Time) Time
	// Blocked reports whether the next access of w, to sectors, is kept back. The device
	// has noted w then and schedules it again.
	Blocked(s *SM, w *Warp, sectors []uint64) bool
	// Waits reports whether w, at the point where it waits, is kept back, as Blocked does. Passed tells that a warp has
	// passed its trigger, or has exited without it.
	Waits(s *SM, w *Warp) bool
	Passed(c *CTA, t Time)
	// Launch makes the launch call at a step of w and returns from when w goes on; 0: the
	// device schedules it again.
	Launch(s *SM, w *Warp, at int, t Time) (Time, error)

	Placed(c *CTA)                // its record says where
	Exited(c *CTA, began, t Time) // a warp of it, which began then
	Drained(c *CTA, t Time) Time  // all warps; for how much longer it holds its place
	Ended(c *CTA, t Time)         // it holds nothing any more
	Suspended(c *CTA, t Time)     // all its warps wait for children: it has given back its resources
	Resumed(c *CTA, t Time)       // and holds it again
}

// WarpScheduler decides which ready warp issues.
type WarpScheduler interface {
	// Pick returns the bit of one of the warps in ready, which are two or more: a
	// warp that is alone issues without being requested. last is
	// the bit that the scheduler issued from before (-1: none), age[b] orders
	// the warps by their start, the oldest first.
	Pick(ready uint64, last int, age *[64]uint64) int
}

// New returns an idle SM.
func New(d Device, id int, setup Setup) *SM {
	c := &setup.Config.SM
	s := &SM{Setup: setup, d: d, ID: id, many: c.Schedulers, warps: make([]Warp, c.MaxWarps),
		ends: clock.Never}
	s.width, s.watched, s.stalling = c.IssueWidth, setup.Insts != nil, setup.Keeps || setup.Marks
	if c.Schedulers&(c.Schedulers-1) == 0 {
		s.mask = uint64(c.Schedulers - 1)
	}
	s.free = 1<<c.MaxWarps - 1
	s.port, s.co = setup.Memory.Port(id), setup.Memory.Coalescer()
	s.times, s.shared = s.port.Signals(), coalesce.NewShared(&setup.Config.Shared)
	s.fetch = fetching{cycle: clock.Unset, next: clock.Never, full: clock.Unset}
	s.Gates.Init(c.Schedulers, len(s.warps))
	s.choosePipeline()
	s.initSchedulers(c.Schedulers)
	s.closing = clock.Never
	return s
}

// Schedulers is how many warp schedulers it has.
func (s *SM) Schedulers() int { return s.many }

// Fits reports whether one more CTA of k has room now.
func (s *SM) Fits(k *Kernel) bool { return s.Config.Fits(s.Used, k.Resources) }

// Start places a CTA in cycle t.
func (s *SM) Start(c *CTA, t Time) {
	k := c.Kernel
	s.Settle(t)
	s.TurnTo(k, len(s.CTAs) == 0, t)
	s.CTAs = append(s.CTAs, c)
	s.Used = s.Used.Plus(k.Resources)
	c.place(s, t)
	c.Live = len(c.Trace.Warps)
	at := t + Time(s.Config.SM.CTALaunchLatency)
	for i := range c.Trace.Warps {
		s.startWarp(c, i, at+Time(i*s.Config.SM.WarpLaunchGap))
	}
	if c.Hold > 0 {
		if c.until = at + c.Hold; c.Live == 0 {
			s.hold(c, t)
			return
		}
	}
	s.Resident += uint64(c.Live)
	s.d.Placed(c)
	if c.Live == 0 {
		s.End(c, at+1, s.d.Drained(c, t))
	}
}

// TurnTo notes that the next CTA, in cycle t, is of a kernel. empty: the SM holds no other.
func (s *SM) TurnTo(k *Kernel, empty bool, t Time) {
	if empty {
		s.occupy(t)
	}
	if empty && s.Order != k.Order {
		bytes := s.Config.L1Bytes(k.Header, s.Config.Share(k.Header))
		if !k.Ahead || bytes != s.bytes {
			s.bytes = bytes
			s.port.Enter(bytes, t)
		}
		if !k.Ahead {
			s.fresh = k.Order
		}
	}
	s.Holder, s.Order = k.ID, k.Order
}

// hold keeps the place of a CTA whose work is inferred.
func (s *SM) hold(c *CTA, t Time) {
	c.Rec.Held = true
	s.Resident += uint64(c.Kernel.Resources.Warps)
	s.d.Placed(c)
	s.End(c, c.until, s.d.Drained(c, t))
}

// takeSlot gives a warp the first free hardware slot; it is the youngest of its
// scheduler.
func (s *SM) takeSlot() (slot int, w *Warp) {
	slot = bits.TrailingZeros64(s.free)
	s.free &^= 1 << slot
	w = &s.warps[slot]
	w.sched, w.slot, w.posted = uint8(slot%s.many), uint8(slot), 0
	s.started++
	s.age[slot] = s.started
	return slot, w
}

func (s *SM) startWarp(c *CTA, i int, t Time) {
	slot, w := s.takeSlot()
	c.slots |= 1 << slot
	w.CTA, w.ID, w.last, w.began = c, c.Trace.Warps[i].ID, t, t
	w.open, w.held, w.parked, w.floor, w.copies = 0, false, false, 0, nil
	w.points = Points{NoPoint, NoPoint}
	if c.Points != nil {
		w.points = c.Points[i]
	}
	w.Begin(c.program(i))
	n := w.Code.Count
	if cap(w.bank) < n {
		w.bank = make([]Time, n)
	}
	w.Regs = w.bank[:n]
	clear(w.Regs)
	if c.Prologue != nil {
		c.Prologue(w)
	}
	s.begin(w, t)
}

// begin lets w, which has a program, issue from cycle t on.
func (s *SM) begin(w *Warp, t Time) {
	s.prepare(w, t)
	if s.fetch.width == 0 {
		s.schedule(w, t)
		return
	}
	w.starved, w.parked = false, true
	s.starve(w, t)
}

// schedule makes w a candidate of its scheduler from cycle t on.
func (s *SM) schedule(w *Warp, t Time) {
	if !s.acting {
		s.now = s.d.Now()
	}
	s.add(w, t)
	if t < memory.Unknown {
		s.wake(t)
	}
}

// Resume lets a held warp go on from cycle t on, and books the reason.
func (s *SM) Resume(w *Warp, why Stall, t Time) {
	w.reason = why
	if w.starved {
		w.kept = max(w.kept, t)
	} else {
		w.floor = t
	}
	s.schedule(w, max(w.ready, t))
}

// wake makes the SM act at t, unless it acts before.
func (s *SM) wake(t Time) {
	if !s.acting { // or else it says itself when it acts next
		s.d.Wake(s.ID, t)
	}
}

// exit takes a warp that has issued its last instruction in cycle t off the SM.
func (s *SM) exit(w *Warp, t Time) {
	if w.persistent != nil {
		w.persistent.ended(w, t)
		return
	}
	c := w.CTA
	s.Settle(t + 1)
	s.Resident--
	slot := s.Slot(w)
	if s.keeps {
		c.kept |= 1 << slot
		s.fetch.exited |= 1 << slot
		w.last = max(w.last, t+1)
	} else {
		s.free |= 1 << slot
	}
	s.d.Exited(c, w.began, t)
	if w.points.Trigger != NoPoint {
		s.pass(w, t)
	}
	c.slots &^= 1 << slot
	c.acked, c.posted = max(c.acked, w.last, t+1), max(c.posted, w.posted)
	c.Live--
	if c.Live == 0 {
		s.End(c, max(c.acked, c.until), s.d.Drained(c, t))
		return
	}
	if c.Waiting > 0 {
		s.checkBarriers(c, t)
	}
	if c.stranded() {
		s.suspend(c)
	}
}

// Settle brings the sums over resident warps up to t.
func (s *SM) Settle(t Time) {
	if d := t - s.Settled; d > 0 {
		s.WarpCycles += s.Resident * uint64(d)
		if s.Resident > 0 {
			s.ActiveCycles += uint64(d)
		}
		s.Settled = t
	}
}

func trailing(w uint64) int { return bits.TrailingZeros64(w) }
