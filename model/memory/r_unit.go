package memory

import (
	"math/bits"
	"slices"

	"gpureplay/trace"
)

// rUnit is the load/store unit of an SM in the reserve engine. An access is timed when it issues.
type rUnit struct {
	Front
	mem     *rSystem
	port    *smPort
	wb      slots   // write-back port: fills, merged misses and results of shared memory
	pending flights // fill times of the L1's misses
	places  []int32 // lines of the sectors of an access, where they have been looked for; or noLine
	through access  // at hand
}

func (u *rUnit) init(m *rSystem, sm int) {
	u.Front.init(&m.Base, sm)
	u.mem, u.port = m, &m.ports[sm]
	u.wb, u.pending = newSlots(&m.tables, sameClock), newFlights(&m.tables)
}

// Enter is of [Port].
func (u *rUnit) Enter(l1Bytes int, _ Time) { u.l1.resize(l1Bytes) }

// Takes is of [Port].
func (u *rUnit) Takes(t Time) bool { return u.free <= t }

// Opens is of [Port].
func (u *rUnit) Opens(t Time) Time { return max(u.free, t+1) }

// WriteBack is of [Port]: the engine has a write-back port instead of a register.
func (u *rUnit) WriteBack(RegisterFile, Time) []Done { return nil }

// Known is of [Port]: each access is known when it issues.
func (u *rUnit) Known() []Done { return nil }

// Into is of [Port]: results find their banks free.
func (u *rUnit) Into(Destination) {}

// Horizon is of [Port].
func (u *rUnit) Horizon() Time { return Never }

// Constant is of [Port].
func (u *rUnit) Constant(t Time) (done Time, load int32) {
	return u.begin(t, 1) + u.sharedLatency(), NoLoad
}

// Nothing is of [Port].
func (u *rUnit) Nothing(t Time) (done Time, load int32) { return u.begin(t, 1) + 1, NoLoad }

// Shared is of [Port]. The result of a load takes the write-back port.
func (u *rUnit) Shared(a *trace.Access, lists []uint64, width uint64, loads bool, t Time) (done Time, load int32) {
	cycles := u.sharedCycles(a, lists, width)
	done = u.begin(t, cycles) + cycles - 1 + u.sharedLatency()
	if loads {
		done = u.wb.take(done)
	}
	return done, NoLoad
}

// Global is of [Port].
func (u *rUnit) Global(w *Traffic, space trace.Space, flags trace.InstFlags, t Time) (done Time, load int32) {
	before, p := u.l1.stats, &u.through
	u.mem.work = w
	p.way, p.co = u.wayOf(space, flags), u.co
	u.open(p, t)
	if len(p.co.Sectors) > 8 && u.l1.tags != nil && !p.way.passes() {
		u.look(p.co.Sectors)
	}
	u.pass(p)
	u.free = max(u.free, p.at+1)
	u.mem.work = &u.mem.others
	u.book(w, &before)
	return p.done, NoLoad
}

// look brings what finds the lines of sectors, and the places that those take which are
// not there, into the host's caches, all at a time: they would wait for memory one after
// another. What it finds is kept in places.
func (u *rUnit) look(sectors []uint64) {
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
func (u *rUnit) pass(p *access) {
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
func (u *rUnit) next(p *access) (*request, Time) {
	p.left--
	r := u.requestOf(p, p.left)
	u.turnTo(p, r.sector)
	return r, u.translate(r.sector, p.at)
}

// passLoads is pass for loads through the L1. Those of a line come one after another: it is
// looked for once.
func (u *rUnit) passLoads(p *access) {
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
func (u *rUnit) placeOf(i int, tag uint64) int32 {
	c := u.l1.tags
	if i < len(u.places) {
		if id := u.places[i]; id != noLine && c.lines[id].tag == tag { // or else another line has it, or it is of another request
			return id
		}
	}
	return c.find(tag)
}

// past times a request that passes by the L1, from the miss queue on.
func (u *rUnit) past(w way, r *request, t Time) Time {
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
func (u *rUnit) miss(id int32, sector uint64, at Time) (int32, Time) {
	l1 := &u.l1
	at = u.admitMiss(at)
	fill := u.mem.read(u.port, sector, l1.block.whole(), u.queued(at, l1.latency))
	if l1.mshrs > 0 {
		u.pending.push(fill)
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
func (u *rUnit) join(id int32, bit uint, fill Time) Time {
	if !u.l1.tags.merge(id, bit, u.l1.cfg.Merge) {
		u.free = max(u.free, fill)
		return fill + u.l1.latency + l1Extra
	}
	return u.wb.take(fill)
}

// queued returns when a request that its bank takes at a time is in the miss
// queue, a latency later; while that is full the unit waits.
func (u *rUnit) queued(at, latency Time) Time {
	ready := at + latency
	room := u.port.room(ready)
	if room > ready {
		u.free = max(u.free, at+room-ready)
	}
	return room
}

// admitMiss returns when an MSHR takes a miss; until then the unit waits.
func (u *rUnit) admitMiss(at Time) Time {
	if u.l1.mshrs == 0 {
		return at
	}
	free := u.pending.admit(at, u.l1.mshrs)
	if free > at {
		u.free = max(u.free, free)
	}
	return free
}

// keep has an L1 that allocates on writes keep what a store writes; another drops its
// copy of the block.
func (u *rUnit) keep(r *request, at Time) {
	u.l1.stats.writes += uint64(bits.OnesCount8(r.mask))
	if u.l1.cfg.WriteAllocate {
		u.l1.write(r, at)
	} else {
		u.l1.invalidate(r.sector)
	}
}
