package memory

import (
	"math/bits"

	"gpureplay/model/hardware"
	"gpureplay/trace"
)

// Front is the load/store unit of an SM up to its L1: the order of its instructions, the TLB and the L1's tags.
type Front struct {
	times  Signals
	free   Time // from when the unit takes the next instruction
	co     *Coalescer
	cfg    *hardware.Config
	queue  []Time // start times of the accesses that wait before the unit (direct pipeline)
	oldest int
	l1     l1
	sm     int
	tlb    *cache  // nil: every access hits
	page   uint    // logarithm of sectors per page
	one    request // where the L1 fetches sectors
	widest uint64  // bytes of a lane that count for conflicts in shared memory
}

const maxBanks = 64

// l1Extra is what a dependent instruction waits beyond the L1's latency.
const l1Extra = 4

func (u *Front) init(m *Base, sm int) {
	c := m.cfg
	u.cfg, u.co, u.sm, u.times.Due = c, &m.co, sm, Never
	u.widest = widestShared[c.Shared.Wide]
	m.l1s[sm] = &u.l1
	u.l1.init(&m.tables, &c.L1)
	if !c.SM.Collectors() {
		u.queue = make([]Time, c.SM.OperandCollectors)
	}
	if n := c.TLB.Entries; n > 0 {
		u.tlb = newCache(&m.tables, n*c.TLB.PageBytes, c.TLB.PageBytes, 1<<hardware.SectorShift, n, false)
		u.page = uint(bits.TrailingZeros(uint(c.TLB.PageBytes >> hardware.SectorShift)))
	}
}

// translate returns when the address of a sector that its bank takes at a time
// is known: at once, or when the walk that its page needs has ended.
func (u *Front) translate(sector uint64, at Time) Time {
	if u.tlb == nil {
		return at
	}
	return u.walk(sector, at)
}

func (u *Front) walk(sector uint64, at Time) Time {
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

// begin accepts an instruction in cycle t that keeps the unit for a number of
// cycles, and returns when it starts.
func (u *Front) begin(t, cycles Time) Time {
	start := max(t, u.free)
	u.free = start + cycles
	if len(u.queue) > 0 {
		u.queue[u.oldest] = start
		if u.oldest++; u.oldest == len(u.queue) {
			u.oldest = 0
		}
		u.times.Full = u.queue[u.oldest]
	}
	return start
}

// Signals is of [Port].
func (u *Front) Signals() *Signals { return &u.times }

// sharedCycles is for how many cycles an access to shared memory keeps the unit.
func (u *Front) sharedCycles(a *trace.Access, lists []uint64, width uint64) Time {
	return Time(conflicts(a, lists, min(width, u.widest), u.cfg.Shared.Banks))
}

// sharedLatency is that of shared memory, with the way to the registers.
func (u *Front) sharedLatency() Time { return Time(u.cfg.Shared.Latency + u.cfg.Shared.Writeback) }

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
func (u *Front) wayOf(space trace.Space, flags trace.InstFlags) way {
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

// access is an access on its way through the unit, a request after the other.
type access struct {
	way   way
	co    *Coalescer
	at    Time   // the cycle in which its banks take requests
	taken uint64 // banks, in that
	left  int    // requests that are not timed
	done  Time
}

// open brings an access to the unit in cycle t.
func (u *Front) open(p *access, t Time) {
	p.at, p.taken = u.begin(t, 0), 0
	p.done = p.at + 1
	p.co.ascend()
	p.left = len(p.co.Sectors)
	if u.l1.block > 0 {
		p.co.group(u.l1.block)
		p.left = len(p.co.requests)
	}
}

// turnTo finds the cycle in which a bank takes a request for a sector.
func (u *Front) turnTo(p *access, sector uint64) {
	bank := uint64(1) << (sector >> (u.l1.block & 7) & u.l1.bankMask & (maxBanks - 1))
	if p.taken&bank != 0 || p.taken != 0 && p.way.passes() {
		p.at++
		p.taken = 0
	}
	p.taken |= bank
}

func (u *Front) requestOf(p *access, i int) *request {
	if u.l1.block > 0 {
		return &p.co.requests[i]
	}
	r := &u.one
	r.sector, r.mask, r.bytes[0] = p.co.Sectors[i], 1, p.co.bytes[i]
	if p.way == wayAtomic {
		r.turns = p.co.turns[i]
	}
	return r
}

// book adds what the L1 has counted since.
func (u *Front) book(w *Traffic, before *l1Stats) {
	now := &u.l1.stats
	w.L1Accesses += now.reads - before.reads + now.writes - before.writes
	w.L1Hits += now.hits - before.hits
}
