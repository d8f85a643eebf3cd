package unit

import (
	"math/bits"

	"gpureplay/model/hardware"
	"gpureplay/model/memory"
	"gpureplay/model/memory/coalesce"
	"gpureplay/model/memory/tags"
	"gpureplay/trace"
)

// LSU is the load/store unit of an SM up to its L1: the order of its instructions, the TLB and the L1's tags.
type LSU struct {
	Times  memory.Signals
	Free   Time // from when the unit takes the next instruction
	Co     *coalesce.Coalescer
	Cfg    *hardware.Config
	Queue  []Time // start times of the accesses that wait before the unit (direct pipeline)
	Oldest int
	L1     tags.L1
	Sm     int
	Tlb    *tags.Cache      // nil: every access hits
	page   uint             // logarithm of sectors per page
	one    coalesce.Request // where the L1 fetches sectors
}

// L1Extra is the wait of a dependent instruction beyond the L1's latency, in cycles.
const L1Extra = 4

func (u *LSU) Init(m *Base, sm int) {
	c := m.Cfg
	u.Cfg, u.Co, u.Sm, u.Times.Due, u.Times.Wake = c, &m.Co, sm, Never, Never
	m.l1s[sm] = &u.L1
	u.L1.Init(&m.Tables, &c.L1)
	if !c.SM.Collectors() {
		u.Queue = make([]Time, c.SM.OperandCollectors)
	}
	if n := c.TLB.Entries; n > 0 {
		u.Tlb = tags.New(&m.Tables, n*c.TLB.PageBytes, c.TLB.PageBytes, 1<<hardware.SectorShift, n, false)
		u.page = uint(bits.TrailingZeros(uint(c.TLB.PageBytes >> hardware.SectorShift)))
	}
}

// Translate returns when the address of a sector that its bank takes at a time
// is known: at once, or when the walk that its page needs has ended.
func (u *LSU) Translate(sector uint64, at Time) Time {
	if u.Tlb == nil {
		return at
	}
	return u.walk(sector, at)
}

func (u *LSU) walk(sector uint64, at Time) Time {
	tag := sector >> (u.page & 63)
	if id := u.Tlb.Find(tag); id != tags.NoLine {
		u.Tlb.Touch(id)
		return max(at, u.Tlb.Filled(id, 0, 1))
	}
	walked := at + Time(u.Cfg.TLB.MissLatency)
	if id, _, _ := u.Tlb.Insert(tag, at); id != tags.NoLine {
		u.Tlb.Put(id, 0, walked, 0)
	}
	return walked
}

// Begin accepts an instruction in cycle t that keeps the unit for a number of
// cycles, and returns when it starts.
func (u *LSU) Begin(t, cycles Time) Time {
	start := max(t, u.Free)
	u.Free = start + cycles
	if len(u.Queue) > 0 {
		u.Queue[u.Oldest] = start
		if u.Oldest++; u.Oldest == len(u.Queue) {
			u.Oldest = 0
		}
		u.Times.Full = u.Queue[u.Oldest]
	}
	return start
}

// Signals is of [memory.Port].
func (u *LSU) Signals() *memory.Signals { return &u.Times }

// SharedLatency is shared memory's latency, with the way to the registers.
func (u *LSU) SharedLatency() Time { return Time(u.Cfg.Shared.Latency + u.Cfg.Shared.Writeback) }

// Path is the path of an instruction's sectors: L1, bypass, store, atomic.
type Path uint8

const (
	PathLoad   Path = iota // through the L1
	PathBypass             // from the L2
	PathStore
	PathHit         // of a packet: a load that goes no further than the L1
	PathStoreBypass // to the L2 alone
	PathAtomic
)

// Bypasses reports whether the sectors pass by the L1.
func (w Path) Bypasses() bool { return w == PathBypass || w >= PathStoreBypass }

// Stores reports whether a request is a store.
func (w Path) Stores() bool { return w == PathStore || w == PathStoreBypass }

// PathOf returns the path of an instruction's sectors in a space.
func (u *LSU) PathOf(space trace.Space, flags trace.InstFlags) Path {
	switch {
	case flags&trace.InstAtomic != 0:
		return PathAtomic
	case flags&trace.InstStore != 0:
		if !u.L1.Cfg.GlobalLoads && space != trace.SpaceLocal {
			return PathStoreBypass
		}
		return PathStore
	case u.L1.Tags == nil || flags&trace.InstBypassL1 != 0 || !u.L1.Cfg.GlobalLoads && space != trace.SpaceLocal:
		return PathBypass
	}
	return PathLoad
}

// Access is an access on its way through the unit, a request after the other.
type Access struct {
	Path  Path
	Co    *coalesce.Coalescer
	At    Time   // the cycle in which its banks take requests
	Taken uint64 // banks, in that
	Left  int    // requests that are not timed
	Done  Time
}

// Open brings an access to the unit in cycle t.
func (u *LSU) Open(p *Access, t Time) {
	p.At, p.Taken = u.Begin(t, 0), 0
	p.Done = p.At + 1
	p.Co.Ascend()
	p.Left = len(p.Co.Sectors)
	if u.L1.Block > 0 {
		p.Co.Group(u.L1.Block)
		p.Left = len(p.Co.Requests)
	}
}

// NextBank finds the cycle in which a bank takes a request for a sector.
func (u *LSU) NextBank(p *Access, sector uint64) {
	bank := u.L1.Bank(sector)
	if p.Taken&bank != 0 || p.Taken != 0 && p.Path.Bypasses() {
		p.At++
		p.Taken = 0
	}
	p.Taken |= bank
}

func (u *LSU) Request(p *Access, i int) *coalesce.Request {
	if u.L1.Block > 0 {
		return &p.Co.Requests[i]
	}
	r := &u.one
	r.Sector, r.Mask, r.Bytes[0] = p.Co.Sectors[i], 1, p.Co.Bytes[i]
	if p.Path == PathAtomic {
		r.Turns = p.Co.Turns[i]
	}
	return r
}

// Count adds the L1's counts since.
func (u *LSU) Count(w *memory.Traffic, before *tags.L1Stats) {
	now := &u.L1.Stats
	w.L1Accesses += now.Reads - before.Reads + now.Writes - before.Writes
	w.L1Hits += now.Hits - before.Hits
}
