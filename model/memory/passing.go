package memory

// passing is an access on its way through the unit, a request after the other.
type passing struct {
	way    way
	co     *Coalescer
	at     Time   // the cycle in which its banks take requests
	taken  uint64 // banks, in that
	left   int    // requests that are not timed
	done   Time
	load   int32 // its number among those that wait for fills
	tried  bool  // the request at hand has its bank
	known  Time  // and its address
	absent bool  // and the L1 does not have its line
}

// open brings an access to the unit in cycle t.
func (u *LSU) open(p *passing, t Time) {
	p.at, p.taken, p.tried, p.absent, p.load = u.begin(t, 0), 0, false, false, noLoad
	p.done = p.at + 1
	p.co.ascend()
	if p.left = len(p.co.Sectors); p.left > 8 && u.mem.net == nil && u.l1.tags != nil && !p.way.passes() {
		u.look(p.co.Sectors)
	}
	if u.l1.block > 0 {
		p.co.group(u.l1.block)
		p.left = len(p.co.requests)
	}
}

// look brings what finds the lines of sectors, and the places that those take which are
// not there, into the host's caches, all at a time: they would wait for memory one after
// another. Where requests move on their own, it is too early: a unit that has stopped does
// so for each of them ([LSU.bringNext]).
func (u *LSU) look(sectors []uint64) {
	c, m := u.l1.tags, u.mem
	if c.narrow.sets != nil {
		return
	}
	u.absent = c.wide.look(c, sectors, u.l1.per, u.absent[:0])
	for _, s := range u.absent {
		slice := &m.slices[m.mapping.slice(s)]
		slice.tags.bring(s >> (slice.per & 63))
	}
}

// pass times the next request of an access through L1, crossbar, L2 and DRAM; there is
// one. The L1's banks take them from the last address to the
// first, each one a cycle: one whose bank is taken waits for the next cycle, and those
// behind it too. What passes by the L1 goes one a cycle. Where the L1 fetches more than
// a sector, what a warp asks of a block goes as one.
func (u *LSU) pass(p *passing) {
	p.left--
	r := u.requestOf(p, p.left)
	u.turnTo(p, r)
	u.asking = p
	p.done = max(p.done, u.request(p.way, r, u.translate(r.sector, p.at)))
}

// turnTo finds the cycle in which a bank takes a request.
func (u *LSU) turnTo(p *passing, r *request) {
	bank := uint64(1) << (r.sector >> (u.l1.block & 7) & u.l1.bankMask & (maxBanks - 1))
	if p.taken&bank != 0 || p.taken != 0 && p.way.passes() {
		p.at++
		p.taken = 0
	}
	p.taken |= bank
}

// close lets the unit take the next instruction behind an access.
func (u *LSU) close(p *passing) {
	u.free = max(u.free, p.at+1)
	if p.load != noLoad {
		u.waiters.loads[p.load].said = p.done
	}
}

func (u *LSU) requestOf(p *passing, i int) *request {
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

// kind is what an instruction needs that stays on its SM.
type kind uint8

const (
	nothing  kind = iota // a slot
	fixed                // cycles, and the latency of shared memory
	returned             // and the write-back port
)

// local times an instruction that stays on its SM, unless it is behind one that waits.
func (u *LSU) local(k kind, cycles, t Time) Time {
	if len(u.line) > 0 {
		h := u.queueUp()
		*h = queued{own: h.own, kind: k, cycles: cycles, passing: passing{load: noLoad}}
		u.entry = t + 1
		u.promise(h)
		return Unknown
	}
	return u.onSM(&u.through, k, cycles, t)
}

// onSM times an instruction that stays on its SM, from when the unit takes it.
func (u *LSU) onSM(p *passing, k kind, cycles, t Time) Time {
	start := u.begin(t, cycles)
	if k == nothing {
		return start + 1
	}
	if k == returned && u.results.on {
		return u.enters(p, start+cycles)
	}
	done := start + cycles - 1 + Time(u.cfg.Shared.Latency+u.cfg.Shared.Writeback)
	if k == returned {
		done = u.wb.take(done)
	}
	return done
}
