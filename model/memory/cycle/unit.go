package cycle

import (
	"math"
	"slices"

	"gpureplay/model/memory"
	"gpureplay/model/memory/coalesce"
	"gpureplay/model/memory/mshr"
	"gpureplay/model/memory/timing"
	"gpureplay/model/memory/unit"
	"gpureplay/trace"
)

// Unit is the load/store unit of an SM in the cycle-level engine: requests wait in the banks of its L1, or past them,
// until they get on.
type Unit struct {
	unit.LSU
	mem           *System
	inject        injection
	stalled       []*stalledInst   // instructions that wait: the unit has stopped
	spare         []*stalledInst   // of line
	stalledBank   int32            // the bank for whose room it has stopped; noBank: none
	again         bool             // it goes on at the end of the cycle
	refused       bool             // an access waits while it pushes requests
	named         bool             // of accesses that are known
	collects      bool             // it takes accesses from operand collectors
	left          Time             // for how many cycles one without a result is in it behind its last cycle
	pendingMisses int              // pending misses
	mostMisses    int              // and most of them, with those whose MSHRs are not free
	freeAt        timing.FillTimes // when the MSHRs of known ones are free
	mshrs         mshr.Table
	loads         loads
	results       writebackQueues
	register      writebackRegister
	to            memory.Destination // of the result of the next access, or of that at hand
	work          *memory.Traffic    // of the access at hand
	through       access             // the access that is at hand as it issues
}

// access is an access on its way through the unit.
type access struct {
	unit.Access
	load  int32 // its number, where its completion is not known
	tried bool  // the request at hand has its bank
	known Time  // and its address
}

// stalledInst is an instruction at which the unit has stopped, or one behind it.
type stalledInst struct {
	access
	own    coalesce.Coalescer
	begun  bool // the unit has stopped at it
	global bool
	kind   kind // of one that is not
	cycles Time
	work   *memory.Traffic
}

func (u *Unit) init(m *System, sm int) {
	u.LSU.Init(&m.Base, sm)
	u.L1.Keeps = m.Cfg.L1.WriteRatio
	n, c := m.xbar, m.Cfg
	u.mem, u.collects = m, c.SM.Collectors()
	depth := int32(max(1, c.L1.Latency))
	u.inject = injection{
		inPort: &n.inPorts[n.portOf(sm)], banks: slices.Repeat([]l1Bank{{left: -1}}, max(1, c.L1.Banks)), depth: depth,
		port: timing.NewReservations(&m.Tables, n.icnt), past: timing.NewReservations(&m.Tables, n.icnt),
		mostBypass: max(depth, int32(c.L1.BypassLatency)),
	}
	// An instruction enters the unit 3 cycles behind its issue, and leaves it in the next. Two more of the depth are
	// the way back of a result (GPGPU-Sim's ldst_unit::cycle).
	u.left = Time(max(1, c.SM.PipelineDepth-1))
	if u.mostMisses = u.L1.Mshrs; u.mostMisses == 0 {
		u.mostMisses = math.MaxInt
	}
	u.mshrs, u.through.load, u.stalledBank = mshr.New(), memory.NoLoad, noBank
	u.initResults()
}

// Into is of [memory.Port].
func (u *Unit) Into(to memory.Destination) { u.to = to }

// Global is of [memory.Port].
func (u *Unit) Global(w *memory.Traffic, space trace.Space, flags trace.InstFlags, t Time) (done Time, load int32) {
	p := &u.through
	p.Path, p.Co = u.PathOf(space, flags), u.Co
	begun := len(u.stalled) == 0
	if begun {
		u.work = w
		u.open(p, t)
		if u.takes(p, t) {
			return u.leave(p), u.numbered()
		}
	}
	h := u.queueUp()
	h.access, h.begun, h.global, h.work = *p, begun, true, w
	if !begun {
		h.load, h.At = memory.NoLoad, t
	}
	h.own, *u.Co = *u.Co, h.own // the sectors of the access are kept
	h.Co = &h.own
	u.promise(h)
	return memory.Unknown, u.numbered()
}

// numbered returns the number of the access at hand, or NoLoad.
func (u *Unit) numbered() int32 {
	load := u.through.load
	u.through.load = memory.NoLoad
	return load
}

// open brings an access to the unit in cycle t.
func (u *Unit) open(p *access, t Time) {
	u.LSU.Open(&p.Access, t)
	p.tried, p.load = false, memory.NoLoad
}

// queueUp adds an instruction to those that wait for the unit.
func (u *Unit) queueUp() *stalledInst {
	var h *stalledInst
	if n := len(u.spare); n > 0 {
		h, u.spare = u.spare[n-1], u.spare[:n-1]
	} else {
		h = &stalledInst{own: u.mem.Co.Twin()}
	}
	u.stalled = append(u.stalled, h)
	u.inject.stopped = true
	return h
}

// promise numbers an instruction that waits for the unit.
func (u *Unit) promise(h *stalledInst) {
	u.refill()
	u.loadOf(&h.access).work = h.work
	u.through.load = h.load
}

// refill finds when a collector is free: those that wait hold one each.
func (u *Unit) refill() {
	n, waiting := len(u.Queue), len(u.stalled)
	if waiting > 0 && u.stalled[0].begun {
		waiting--
	}
	switch {
	case n == 0:
	case waiting >= n:
		u.Times.Full = Never
	default:
		u.Times.Full = u.Queue[(u.Oldest+waiting)%n]
	}
}

// takes times the requests of an access, up to the first that has to wait. It reports whether none has to.
func (u *Unit) takes(p *access, now Time) bool {
	before, hits := u.L1.Stats, p.Path == unit.PathLoad
	for ; p.Left > 0; p.Left-- {
		if hits && !p.tried {
			left := p.Left
			if u.takeHits(p) {
				break
			}
			hits = p.Left < left // or else there may be none at all
		}
		r := u.Request(&p.Access, p.Left-1)
		if !p.tried {
			u.NextBank(&p.Access, r.Sector)
			p.known = u.Translate(r.Sector, p.At)
		}
		if p.tried = !u.enqueue(p, r, max(p.At, p.known), now); p.tried {
			break
		}
	}
	u.Count(u.work, &before)
	return p.Left == 0
}

// leave lets the unit take the next instruction, and returns when the access is done, or Unknown.
func (u *Unit) leave(p *access) Time {
	u.Free = max(u.Free, p.At+1)
	if p.load == memory.NoLoad {
		return p.Done
	}
	l := &u.loads.all[p.load]
	l.closed, l.done = true, max(l.done, p.Done)
	if l.open == 0 {
		return l.done
	}
	if l.ripe() {
		u.ripens()
	}
	return memory.Unknown
}

// Enter is of [memory.Port]. A unit that an access of a suspended CTA has stopped looks again, since the lines and
// fetches that it may have waited for are gone.
func (u *Unit) Enter(l1Bytes int, t Time) {
	u.keepHits(t)
	u.L1.Resize(l1Bytes)
	u.inject.crowded, u.inject.starved = 0, 0
	if u.inject.blocked { // there is a line for it now
		u.mem.xbar.wake(u, t)
	}
	if len(u.stalled) == 0 {
		return
	}
	for _, h := range u.stalled {
		if h.Path == unit.PathLoad && u.L1.Tags == nil {
			h.Path = unit.PathBypass // the kernel leaves the L1 nothing
		}
	}
	if u.stalled[0].Path.Bypasses() != (int(u.stalledBank) == int(u.L1.BankMask)+1) {
		u.stalledBank = noBank
	}
	u.mem.xbar.wake(u, t)
}

// resume lets the unit go on in cycle t. It reports whether it may take instructions again.
func (u *Unit) resume(t Time) bool {
	u.again = false
	n := 0
	for n < len(u.stalled) && u.goOn(u.stalled[n], t) {
		u.spare = append(u.spare, u.stalled[n])
		n++
	}
	if n > 0 {
		u.stalled = append(u.stalled[:0], u.stalled[n:]...)
		u.inject.stopped = len(u.stalled) > 0
		u.refill()
	}
	if u.Times.Wake < Never {
		u.nameSM()
	}
	return u.opens(n > 0)
}

// goOn takes an instruction that waits, in cycle t, and reports whether it has passed.
func (u *Unit) goOn(h *stalledInst, t Time) bool {
	p := &h.access
	if !h.global {
		if done := u.onSM(p, h.kind, h.cycles, t); done < memory.Unknown {
			l := u.loadOf(p)
			l.done, l.closed = done, true
			u.settle(p.load)
		}
		return true
	}
	u.work = h.work
	if load := p.load; h.begun {
		p.At = max(p.At, t)
	} else {
		u.open(p, max(p.At, t))
		h.begun, p.load = true, load
	}
	if !u.takes(p, t) {
		return false
	}
	if u.leave(p) < memory.Unknown {
		u.settle(p.load)
	}
	return true
}

// enqueue times a request from the cycle in which its bank takes it up to the crossbar, and reports whether it could.
func (u *Unit) enqueue(p *access, r *coalesce.Request, at, now Time) bool {
	if p.Path == unit.PathLoad {
		return u.enqueueLoad(p, r, at, now)
	}
	bank := u.bankOf(p.Path, r.Sector)
	if !u.inject.hasRoom(bank) {
		u.stalledBank = int32(bank)
		return false
	}
	ready, flits := at+u.L1.Bypass, u.mem.MaskFlits[r.Mask&(1<<coalesce.MaxSectors-1)]
	switch p.Path {
	case unit.PathBypass:
		flits = uint8(u.mem.DataFlits[0])
	case unit.PathStore:
		ready = at + u.L1.Latency
		u.inject.unsure++
	}
	u.loadOf(p).open++
	of, rest := p.load, p.Path == unit.PathAtomic || p.Path.Stores() && r.Partial()
	if rest {
		of = u.mem.xbar.rests.keep(r, p.load)
	}
	k := u.mem.xbar.send(u, bank, r.Sector, ready, now)
	k.of, k.way, k.mask, k.rest, k.flits = of, p.Path, r.Mask, rest, flits
	return true
}

// bankOf returns the bank of the L1 that a request goes through; the one behind the last is past it.
func (u *Unit) bankOf(w unit.Path, sector uint64) int {
	if w.Bypasses() {
		return int(u.L1.BankMask) + 1
	}
	return int(sector >> (u.L1.Block & 7) & u.L1.BankMask)
}

// workOf is the traffic on which an answer is booked.
func (u *Unit) workOf(w unit.Path, load int32) *memory.Traffic {
	if w == unit.PathLoad {
		load = u.mshrs.All[load].Load
	}
	return u.loads.all[load].work
}

const noBank = -1

// able reports whether a unit that has stopped may go on in cycle t. A request that has
// waited for its bank comes to it then, and has the latency of the L1 before it.
func (u *Unit) able(t Time) bool {
	if u.stalledBank == noBank {
		return true
	}
	if !u.inject.hasRoom(int(u.stalledBank)) {
		return false
	}
	p := &u.stalled[0].access
	if p.At < t { // else banks have taken the requests before it in that cycle
		p.At, p.Taken = t, 1<<(u.stalledBank&(coalesce.MaxBanks-1))
	}
	u.stalledBank = noBank
	return true
}
