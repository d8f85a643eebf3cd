package memory

import (
	"math/bits"

	"gpureplay/model/hardware"
	"gpureplay/trace"
)

// LSU is the load/store unit of an SM with its shared memory and L1. An access
// is timed when it issues: each stage of the way of a request gives a time; with
// `icnt.in_turn` up to the crossbar.
type LSU struct {
	Full Time // until then the operand collectors are
	Due  Time // when the write-back register acts next

	// Where requests reach the slices in order of time (inturn.go):
	line     []*queued // instructions that wait: the unit has stopped
	bank     int32     // the bank for whose room it has stopped; noBank: none
	again    bool      // it goes on at the end of the cycle
	telling  bool      // of loads that are known
	unknown  int       // pending misses
	fetches  fetches
	loads    loads
	mem      *System
	out      *outbox
	port     *smPort
	sm       int
	l1       l1
	wb       slots   // write-back port: fills, merged misses and results of shared memory
	results  results // where they wait for a register instead
	register writeback
	hand     destination
	work     *Traffic // of the access at hand
	free     Time     // from when the unit takes the next instruction

	Coalescer *Coalescer
	cfg       *hardware.Config
	queue     []Time // start times of the instructions in the operand collectors
	oldest    int
	collects  bool      // it takes instructions when they are at its pipe: [LSU.Takes]
	tlb       *cache    // nil: every access hits
	page      uint      // logarithm of sectors per page
	one       request   // where the L1 fetches sectors
	places    []int32   // lines of the sectors of an access, where they have been looked for; or noLine
	through   passing   // of an access that is timed as it issues
	spare     []*queued // of line
	conflicts conflictRule
	widest    uint64 // bytes of a lane that count for conflicts in shared memory
}

const maxBanks = 64

// l1Extra is what a dependent instruction waits beyond the L1's latency.
const l1Extra = 4

// Init makes the unit of an SM.
func (u *LSU) Init(m *System, sm int) {
	c := m.cfg
	u.cfg, u.mem, u.Coalescer, u.port, u.sm, u.conflicts = c, m, &m.co, &m.ports[sm], sm, conflictRules[c.SM.AtomicConflicts]
	u.widest = widestShared[c.Shared.Wide]
	m.l1s[sm] = &u.l1
	u.fetches = newFetches()
	if m.net != nil {
		u.out = &m.net.sms[sm]
		u.out.unit = u
	}
	u.l1.init(&m.tables, &c.L1, m.net != nil)
	u.Due, u.through.load, u.bank = Never, noLoad, noBank
	if u.collects = c.SM.Collectors(); !u.collects {
		u.queue = make([]Time, c.SM.OperandCollectors)
	}
	u.wb = newSlots(&m.tables, sameClock)
	u.initResults()
	if n := c.TLB.Entries; n > 0 {
		u.tlb = newCache(&m.tables, n*c.TLB.PageBytes, c.TLB.PageBytes, 1<<hardware.SectorShift, n, false)
		u.page = uint(bits.TrailingZeros(uint(c.TLB.PageBytes >> hardware.SectorShift)))
	}
}

// translate returns when the address of a sector that its bank takes at a time
// is known: at once, or when the walk that its page needs has ended.
func (u *LSU) translate(sector uint64, at Time) Time {
	if u.tlb == nil {
		return at
	}
	return u.walk(sector, at)
}

func (u *LSU) walk(sector uint64, at Time) Time {
	tag := sector >> (u.page & 63)
	if id := u.tlb.find(tag); id != noLine {
		u.tlb.touch(id)
		return max(at, u.tlb.filled(id, 0, 1))
	}
	walked := at + Time(u.cfg.TLB.MissLatency)
	if id, _, _ := u.tlb.insert(tag, at); id != noLine {
		u.tlb.put(id, 0, walked, 0)
	}
	return walked
}

// Enter prepares the unit of an empty SM for the CTAs of another kernel: the L1 is
// flushed and has the bytes that the kernel's shared memory leaves of a unified store.
func (u *LSU) Enter(bytes int) { u.l1.resize(bytes) }

// begin accepts an instruction in cycle t that keeps the unit for a number of
// cycles, and returns when it starts.
func (u *LSU) begin(t, cycles Time) Time {
	start := max(t, u.free)
	u.free = start + cycles
	if len(u.queue) > 0 {
		u.queue[u.oldest] = start
		if u.oldest++; u.oldest == len(u.queue) {
			u.oldest = 0
		}
		u.Full = u.queue[u.oldest]
	}
	return start
}

// Constant times an access to constant memory, or one that leaves the SM for no sector.
func (u *LSU) Constant(t Time) (done Time) { return u.local(fixed, 1, t) }

// Nothing times an access of no lane: it takes a slot and nothing else.
func (u *LSU) Nothing(t Time) (done Time) { return u.local(nothing, 1, t) }

// Shared times an access of so many bytes a lane to shared memory: as many cycles as the
// most distinct words of one bank. What loads takes the write-back port.
func (u *LSU) Shared(a *trace.Access, lists []uint64, width uint64, loads bool, t Time) (done Time) {
	k := fixed
	if loads {
		k = returned
	}
	return u.local(k, Time(conflicts(a, lists, min(width, u.widest), u.cfg.Shared.Banks)), t)
}

// way is what the sectors of an instruction do.
type way uint8

const (
	wayLoad   way = iota // through the L1
	wayBypass            // from the L2
	wayStore
	wayHit       // of a packet: a load that goes no further than the L1
	wayStorePast // to the L2 alone
	wayAtomic
)

// passes reports whether the sectors pass by the L1.
func (w way) passes() bool { return w == wayBypass || w >= wayStorePast }

// wayOf is what the sectors of an instruction in a space do.
func (u *LSU) wayOf(space trace.Space, flags trace.InstFlags) way {
	switch {
	case flags&trace.InstAtomic != 0:
		return wayAtomic
	case flags&trace.InstStore != 0:
		if !u.l1.cfg.GlobalLoads && space != trace.SpaceLocal {
			return wayStorePast
		}
		return wayStore
	case u.l1.tags == nil || flags&trace.InstBypassL1 != 0 || !u.l1.cfg.GlobalLoads && space != trace.SpaceLocal:
		return wayBypass
	}
	return wayLoad
}

// past times a request that passes by the L1, from the miss queue on.
func (u *LSU) past(w way, r *request, t Time) Time {
	switch w {
	case wayStorePast:
		return u.mem.write(u.port, r, t)
	case wayAtomic:
		u.l1.invalidate(r.sector)
		return u.wb.take(u.mem.atomic(u.port, r, t))
	}
	return u.wb.take(u.mem.read(u.port, r.sector, r.mask, t))
}

// miss fetches the block of a sector that an L1 does not have in its line, whose place it has
// or noLine. It returns the line's place, and when the request is served.
func (u *LSU) miss(id int32, sector uint64, at Time) (int32, Time) {
	l1 := &u.l1
	at = u.admitMiss(at)
	fill := u.mem.read(u.port, sector, l1.block.whole(), u.queued(at, l1.latency))
	if l1.mshrs > 0 {
		l1.pending.push(fill)
	}
	if id == noLine {
		if id, _, _ = l1.tags.insert(sector>>(l1.per&63), at); id == noLine {
			return noLine, u.wb.take(fill) // every line of the set is on its way: not kept
		}
	}
	l1.tags.fill(id, uint(sector)&l1.last, fill, 1)
	return id, u.wb.take(fill)
}

// join returns when sectors are there that are on their way. A miss has room for a number of
// requests; the one beyond waits for the fill, and the unit with it.
func (u *LSU) join(id int32, bit uint, fill Time) Time {
	if !u.l1.tags.merge(id, bit, u.l1.cfg.Merge) {
		u.free = max(u.free, fill)
		return fill + u.l1.latency + l1Extra
	}
	return u.wb.take(fill)
}

// Load returns the number of the load that has just been timed if it waits for fills, or
// else a negative one.
func (u *LSU) Load() int32 {
	load := u.through.load
	u.through.load = noLoad
	return load
}

// queued returns when a request that its bank takes at a time is in the miss
// queue, a latency later; while that is full the unit waits.
func (u *LSU) queued(at, latency Time) Time {
	ready := at + latency
	room := u.port.room(ready)
	if room > ready {
		u.free = max(u.free, at+room-ready)
	}
	return room
}

// admitMiss returns when an MSHR takes a miss; until then the unit waits.
func (u *LSU) admitMiss(at Time) Time {
	l1 := &u.l1
	if l1.mshrs == 0 {
		return at
	}
	free := l1.pending.admit(at, l1.mshrs)
	if free > at {
		u.free = max(u.free, free)
	}
	return free
}

// keep has an L1 that allocates on writes keep what a store writes; another drops its
// copy of the block.
func (u *LSU) keep(r *request, at Time) {
	u.l1.stats.writes += uint64(bits.OnesCount8(r.mask))
	if u.l1.cfg.WriteAllocate {
		u.l1.write(r, at)
	} else {
		u.l1.invalidate(r.sector)
	}
}
