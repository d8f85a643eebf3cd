package memory

import (
	"math/bits"
	"slices"
)

// passing is an access on its way through the unit, a request after the other.
type passing struct {
	way   way
	co    *Coalescer
	at    Time   // the cycle in which its banks take requests
	taken uint64 // banks, in that
	left  int    // requests that are not timed
	done  Time
	load  int32 // its number among those that wait for fills
	tried bool  // the request at hand has its bank
	known Time  // and its address
}

// open brings an access to the unit in cycle t.
func (u *LSU) open(p *passing, t Time) {
	p.at, p.taken, p.tried, p.load = u.begin(t, 0), 0, false, noLoad
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
// another. What it finds is kept in places. Where requests move on their own, it is too
// early: a unit that has stopped does so for each of them ([LSU.bringNext]).
func (u *LSU) look(sectors []uint64) {
	c, m, last := u.l1.tags, u.mem, noTag
	if c.narrow.sets != nil {
		return
	}
	u.places = slices.Grow(u.places[:0], len(sectors))[:len(sectors)]
	c.wide.look(c, sectors, u.l1.per, u.places)
	for i, s := range sectors {
		if tag := s >> (u.l1.per & 63); u.places[i] == noLine && tag != last {
			last = tag
			at := &m.slices[m.mapping.slice(s)]
			at.tags.bring(s >> (at.per & 63))
		}
	}
}

// pass times the requests of an access through L1, crossbar, L2 and DRAM.
func (u *LSU) pass(p *passing) {
	switch p.way {
	case wayLoad:
		u.passLoads(p)
	case wayStore:
		for p.left > 0 {
			r, at := u.next(p)
			u.keep(r, at)
			p.done = max(p.done, u.mem.write(u.port, r, u.queued(at, u.l1.latency)))
		}
	default:
		for p.left > 0 {
			r, at := u.next(p)
			p.done = max(p.done, u.past(p.way, r, u.queued(at, u.l1.bypass)))
		}
	}
	u.places = u.places[:0]
}

// next returns the next request of an access, and the cycle in which its bank takes it.
// The L1's banks take them from the last address to the first, each one a cycle: one whose
// bank is taken waits for the next cycle, and those behind it too. Requests past the L1 go one
// a cycle. Where the L1 fetches more than a sector, a warp asks for a block in one request.
func (u *LSU) next(p *passing) (*request, Time) {
	p.left--
	r := u.requestOf(p, p.left)
	u.turnTo(p, r.sector)
	return r, u.translate(r.sector, p.at)
}

// passLoads is pass for loads through the L1. Those of a line come one after another: it is
// looked for once.
func (u *LSU) passLoads(p *passing) {
	l1, c := &u.l1, u.l1.tags
	before, id := noTag, noLine
	for p.left > 0 {
		p.left--
		sector, mask := p.co.Sectors[p.left], uint8(1)
		if l1.block > 0 {
			sector, mask = p.co.requests[p.left].sector, p.co.requests[p.left].mask
		}
		u.turnTo(p, sector)
		at := u.translate(sector, p.at)
		tag, bit := sector>>(l1.per&63), uint(sector)&l1.last
		if tag != before {
			if before, id = tag, u.placeOf(p.left, tag); id != noLine {
				c.touch(id)
			}
		}
		n, done := uint64(bits.OnesCount8(mask)), at+l1.latency+l1Extra
		l1.stats.reads += n
		if id == noLine || !c.lines[id].readable(bit, mask) {
			l1.stats.misses += n
			id, done = u.miss(id, sector, at)
		} else {
			l1.stats.hits += n
			fill := c.filled(id, bit, mask)
			if u.mem.watcher != nil {
				u.mem.watcher.Hit(&Hit{u.sm, sector, fill})
			}
			if fill > done {
				done = u.join(id, bit, fill)
			}
		}
		p.done = max(p.done, done)
	}
}

// placeOf returns the L1's line with a tag, that of request i of the access at hand, or noLine.
func (u *LSU) placeOf(i int, tag uint64) int32 {
	c := u.l1.tags
	if i < len(u.places) {
		if id := u.places[i]; id != noLine && c.lines[id].tag == tag { // or else another line has it, or it is of another request
			return id
		}
	}
	return c.find(tag)
}

// turnTo finds the cycle in which a bank takes a request for a sector.
func (u *LSU) turnTo(p *passing, sector uint64) {
	bank := uint64(1) << (sector >> (u.l1.block & 7) & u.l1.bankMask & (maxBanks - 1))
	if p.taken&bank != 0 || p.taken != 0 && p.way.passes() {
		p.at++
		p.taken = 0
	}
	p.taken |= bank
}

// close lets the unit take the next instruction behind an access.
func (u *LSU) close(p *passing) {
	u.free = max(u.free, p.at+1)
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
	if k == returned && u.mem.net != nil {
		return u.enters(p, start+cycles)
	}
	done := start + cycles - 1 + Time(u.cfg.Shared.Latency+u.cfg.Shared.Writeback)
	if k == returned {
		done = u.wb.take(done)
	}
	return done
}
