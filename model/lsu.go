package model

import (
	"math/bits"

	"gpureplay/trace"
)

// lsu is the load/store unit of an SM with its shared memory and L1. An access
// is timed in one call when it issues: each stage of its way gives a time.
type lsu struct {
	s       *sm
	l1      *cache
	caches  map[int]*cache // by size: the L1 gets what shared memory leaves
	free    Time           // from when the unit takes the next instruction
	queue   []Time         // start times of the instructions in the operand collectors
	oldest  int
	wb      slots     // write-back port: fills, merged misses and results of shared memory
	pending timeQueue // fill times of the misses on their way
	co      coalescer
	tlb     *cache           // nil: every access hits
	page    uint             // logarithm of sectors per page
	banks   [maxBanks]uint16 // sectors per L1 bank of the current access
	depth   Time             // cycles between issue and the unit
	stats   l1Stats
	rec     AccessRecord
}

const maxBanks = 64

// l1Stats counts sector accesses of the L1.
type l1Stats struct {
	reads, hits, misses, writes uint64
}

// l1Extra is what a dependent instruction waits beyond the L1's latency.
const l1Extra = 4

func (u *lsu) init(s *sm) {
	c := s.m.cfg
	u.s = s
	u.caches = make(map[int]*cache)
	u.queue = make([]Time, c.SM.OperandCollectors)
	u.wb = newSlots(sameClock)
	if n := c.TLB.Entries; n > 0 {
		u.tlb = newCache(n*c.TLB.PageBytes, c.TLB.PageBytes, n, false)
		u.page = uint(bits.TrailingZeros(uint(c.TLB.PageBytes >> sectorShift)))
	}
}

// translate returns when the address of a sector that its bank takes at a time
// is known: at once, or when the walk that its page needs has ended.
func (u *lsu) translate(sector uint64, at Time) Time {
	if u.tlb == nil {
		return at
	}
	tag := sector >> u.page
	if id := u.tlb.find(tag); id != noLine {
		u.tlb.touch(id)
		return max(at, u.tlb.filled(id, 0))
	}
	walked := at + Time(u.s.m.cfg.TLB.MissLatency)
	if id := u.tlb.victim(tag, at); id != noLine {
		u.tlb.replace(id, tag)
		u.tlb.put(id, 0, walked, 0)
	}
	return walked
}

// size gives the L1 a capacity.
func (u *lsu) size(bytes int) {
	c := &u.s.m.cfg.L1
	if bytes < c.LineBytes {
		u.l1 = nil
		return
	}
	l1 := u.caches[bytes]
	if l1 == nil {
		ways := c.Ways
		if c.Unified > 0 && c.Bytes > 0 {
			ways = max(1, c.Ways*bytes/c.Bytes) // sets stay, ways follow the capacity
		}
		l1 = newCache(bytes, c.LineBytes, ways, false)
		u.caches[bytes] = l1
	}
	u.l1 = l1
}

// enter prepares the empty SM for the CTAs of another kernel: the L1 is flushed
// and takes what the kernel's shared memory leaves of a unified store.
func (u *lsu) enter(k *kernelRun) {
	u.size(u.s.m.cfg.l1Bytes(k))
	if u.l1 != nil {
		u.l1.flush()
	}
}

// l1Bytes returns the capacity of the L1 while CTAs of k fill an SM: a unified
// store gives shared memory the smallest carve-out that they fit in.
func (c *Config) l1Bytes(k *kernelRun) int {
	if c.L1.Unified == 0 {
		return c.L1.Bytes
	}
	ctas, _ := c.Residency(&k.tk)
	need := ctas * k.res.SharedBytes
	for _, size := range c.L1.Carveouts {
		if size >= need {
			return max(0, min(c.L1.Bytes, c.L1.Unified-size))
		}
	}
	return max(0, c.L1.Unified-c.SM.SharedBytes)
}

// takes returns from when the unit accepts an instruction: operand collectors
// hold those that wait for it.
func (u *lsu) takes() Time {
	if len(u.queue) == 0 {
		return 0
	}
	return u.queue[u.oldest]
}

// begin accepts an instruction in cycle t that keeps the unit for a number of
// cycles, and returns when it starts.
func (u *lsu) begin(t, cycles Time) Time {
	start := max(t, u.free)
	u.free = start + cycles
	if len(u.queue) > 0 {
		u.queue[u.oldest] = start
		if u.oldest++; u.oldest == len(u.queue) {
			u.oldest = 0
		}
	}
	return start
}

// access times one memory instruction that issues in cycle t and returns when a
// dependent instruction may issue (for stores: when it is acknowledged).
func (u *lsu) access(w *warp, o *op, t Time) Time {
	var a *trace.Access
	if o.mem {
		a = &w.mem[w.nextMem]
		w.nextMem++
	}
	switch {
	case a == nil || o.space == trace.SpaceConstant || o.space == trace.SpaceNone:
		return u.begin(t, 1) + Time(u.s.m.cfg.Shared.Latency) + l1Extra
	case o.space == trace.SpaceShared:
		return u.shared(a, w.lists, o, t)
	case a.Count == 0:
		return u.begin(t, 1) + 1 // predicated off: it takes a slot and nothing else
	}
	if o.space == trace.SpaceLocal {
		u.spread(w, a, o)
	} else {
		u.co.coalesce(a, w.lists, uint64(o.width))
	}
	done := u.global(o, t)
	if u.s.m.accessed != nil && o.space != trace.SpaceLocal {
		u.tellAccess(w, o, a, t, done)
	}
	return done
}

// shared times an access to shared memory: as many cycles as the most distinct
// words of one bank.
func (u *lsu) shared(a *trace.Access, lists []uint64, o *op, t Time) Time {
	c := &u.s.m.cfg.Shared
	cycles := Time(conflicts(a, lists, uint64(o.width), c.Banks))
	done := u.begin(t, cycles) + cycles - 1 + Time(c.Latency) + l1Extra
	if o.flags&trace.InstLoad == 0 {
		return done
	}
	return u.wb.take(done)
}

// spread gives the sectors of a local access: captures have one address for all
// lanes, the hardware interleaves the threads' words.
func (u *lsu) spread(w *warp, a *trace.Access, o *op) {
	u.co.sectors, u.co.bytes = u.co.sectors[:0], u.co.bytes[:0]
	base := a.Base
	if a.List != 0 {
		base = w.lists[a.List-1]
	}
	slot := uint64(u.s.id)<<8 | uint64(w.bit)<<4 | uint64(w.sched)
	word := localWindow | slot<<24 | (base&(1<<17-1))>>2<<7
	for n := max(1, uint64(o.width)/4); n > 0; n-- {
		for s := range uint64(4) {
			if lanes := w.mask >> (8 * s) & 0xff; lanes != 0 {
				u.co.append(word>>sectorShift+s, spreadLanes(lanes))
			}
		}
		word += 128
	}
}

// spreadLanes returns the bits of the words of 4 bytes that eight lanes touch.
func spreadLanes(lanes uint32) (bytes uint32) {
	for ; lanes != 0; lanes &= lanes - 1 {
		bytes |= 0xf << (4 * bits.TrailingZeros32(lanes))
	}
	return bytes
}

// localWindow keeps local memory apart from every address of a trace.
const localWindow = 1 << 62

// global times the sectors of u.co through L1, crossbar, L2 and DRAM.
func (u *lsu) global(o *op, t Time) Time {
	cycles := u.bankCycles()
	start := u.begin(t, cycles)
	done := start + 1
	banks := uint64(max(1, u.s.m.cfg.L1.Banks))
	clear(u.banks[:banks])
	for i, sector := range u.co.sectors {
		b := sector & (banks - 1)
		at := start + Time(u.banks[b])
		u.banks[b]++
		done = max(done, u.sector(o, sector, at, u.co.full(i)))
	}
	return done
}

// bankCycles returns how many cycles the L1's banks need for u.co.sectors.
func (u *lsu) bankCycles() Time {
	banks := uint64(max(1, u.s.m.cfg.L1.Banks))
	clear(u.banks[:banks])
	most := uint16(1)
	for _, s := range u.co.sectors {
		b := s & (banks - 1)
		u.banks[b]++
		most = max(most, u.banks[b])
	}
	return Time(most)
}

// sector times one sector from the cycle in which its bank takes it.
func (u *lsu) sector(o *op, sector uint64, at Time, full bool) Time {
	c := &u.s.m.cfg.L1
	at = u.translate(sector, at)
	switch {
	case o.flags&trace.InstAtomic != 0:
		u.invalidate(sector)
		return u.s.m.mem.atomic(u.s.id, sector, u.queued(at))
	case o.flags&trace.InstStore != 0:
		return u.store(sector, at, full)
	case u.l1 == nil || o.flags&trace.InstBypassL1 != 0 || !c.GlobalLoads && o.space != trace.SpaceLocal:
		return u.s.m.mem.read(u.s.id, sector, u.queued(at))
	}
	return u.load(sector, at)
}

func (u *lsu) load(sector uint64, at Time) Time {
	c := &u.s.m.cfg.L1
	u.stats.reads++
	hit := at + Time(c.Latency) + l1Extra
	tag, bit := u.split(sector)
	id := u.l1.find(tag)
	if id != noLine {
		u.l1.touch(id)
		if u.l1.lines[id].valid>>bit&1 != 0 {
			u.stats.hits++
			return u.hit(id, bit, at, hit)
		}
	}
	u.stats.misses++
	at = u.admitMiss(at)
	fill := u.s.m.mem.read(u.s.id, sector, u.queued(at))
	if u.s.m.cfg.L1.MSHRs > 0 {
		u.pending.push(fill)
	}
	if id == noLine {
		if id = u.l1.victim(tag, at); id == noLine {
			return u.wb.take(fill) // every line of the set is on its way: not kept
		}
		u.l1.replace(id, tag)
	}
	u.l1.put(id, bit, fill, 1)
	return u.wb.take(fill)
}

// hit returns when a sector that is present or on its way is there. A miss has
// room for a number of requests; the one beyond waits for the fill, and the unit
// with it.
func (u *lsu) hit(id int32, bit uint, at, hit Time) Time {
	fill := u.l1.filled(id, bit)
	if fill <= hit {
		return hit
	}
	l := &u.l1.lines[id]
	if limit := u.s.m.cfg.L1.Merge; limit > 0 && int(l.merges[bit]) >= limit {
		u.free = max(u.free, fill)
		return fill + Time(u.s.m.cfg.L1.Latency) + l1Extra
	}
	if l.merges[bit] < maxMerge {
		l.merges[bit]++
	}
	return u.wb.take(fill)
}

// queued returns when a request that its bank takes at a time is in the miss
// queue; while that is full the unit waits.
func (u *lsu) queued(at Time) Time {
	ready := at + Time(u.s.m.cfg.L1.Latency)
	room := u.s.m.mem.admit(u.s.id, ready)
	if room > ready {
		u.free = max(u.free, at+room-ready)
	}
	return room
}

// admitMiss returns when an MSHR takes a miss; until then the unit waits.
func (u *lsu) admitMiss(at Time) Time {
	limit := u.s.m.cfg.L1.MSHRs
	if limit == 0 {
		return at
	}
	u.pending.drop(at)
	if u.pending.n >= limit {
		at = max(at, u.pending.pop())
		u.free = max(u.free, at)
	}
	return at
}

// store sends a sector through to the L2. An L1 that allocates on writes keeps a
// sector that is written whole; otherwise its copy is dropped.
func (u *lsu) store(sector uint64, at Time, full bool) Time {
	u.stats.writes++
	if !full || !u.s.m.cfg.L1.WriteAllocate || !u.keep(sector, at) {
		u.invalidate(sector)
	}
	return u.s.m.mem.write(u.s.id, sector, u.queued(at), full)
}

// keep makes a written sector present in the L1.
func (u *lsu) keep(sector uint64, at Time) bool {
	if u.l1 == nil {
		return false
	}
	tag, bit := u.split(sector)
	id := u.l1.find(tag)
	if id == noLine {
		if id = u.l1.victim(tag, at); id == noLine {
			return false
		}
		u.l1.replace(id, tag)
	}
	u.l1.touch(id)
	if u.l1.lines[id].valid>>bit&1 == 0 {
		u.l1.put(id, bit, at, 0)
	}
	return true
}

// split returns the line and the sector in the line.
func (u *lsu) split(sector uint64) (tag uint64, bit uint) {
	c := &u.s.m.cfg.L1
	per := uint(bits.TrailingZeros(uint(c.LineBytes >> sectorShift)))
	return sector >> per, uint(sector) & (1<<per - 1)
}

func (u *lsu) invalidate(sector uint64) {
	if u.l1 == nil {
		return
	}
	tag, bit := u.split(sector)
	if id := u.l1.find(tag); id != noLine {
		u.l1.lines[id].valid &^= 1 << bit
	}
}
