package reserve

import (
	"math/bits"
	"slices"

	"gpureplay/model/memory"
	"gpureplay/model/memory/coalesce"
	"gpureplay/model/memory/tags"
	"gpureplay/model/memory/timing"
	"gpureplay/model/memory/unit"
	"gpureplay/trace"
)

// Unit is the load/store unit of an SM in the reserve engine. An access is timed when it issues.
type Unit struct {
	unit.LSU
	mem       *System
	ports     *smPorts
	wb        timing.Reservations // write-back port: fills, merged misses and results of shared memory
	pending   outstandingMisses   // fill times of the L1's misses
	lineHints []int32             // lines of the sectors of an access, where they have been looked for; or noLine
	through   unit.Access         // at hand
}

func (u *Unit) init(m *System, sm int) {
	u.LSU.Init(&m.Base, sm)
	u.mem, u.ports = m, &m.ports[sm]
	u.wb, u.pending = timing.NewReservations(&m.Tables, timing.SameClock), newOutstandingMisses(&m.Tables)
}

// Enter is of [memory.Port].
func (u *Unit) Enter(l1Bytes int, _ Time) { u.L1.Resize(l1Bytes) }

// Takes is of [memory.Port].
func (u *Unit) Takes(t Time) bool { return u.Free <= t }

// Opens is of [memory.Port].
func (u *Unit) Opens(t Time) Time { return max(u.Free, t+1) }

// WriteBack is of [memory.Port]: the engine has a write-back port instead of a register.
func (u *Unit) WriteBack(Time) []memory.Done { return nil }

// Registers is of [memory.Port].
func (u *Unit) Registers(memory.RegisterFile) {}

// Known is of [memory.Port]: each access is known when it issues.
func (u *Unit) Known() []memory.Done { return nil }

// Into is of [memory.Port]: results find their banks free.
func (u *Unit) Into(memory.Destination) {}

// Horizon is of [memory.Port].
func (u *Unit) Horizon() Time { return Never }

// Constant is of [memory.Port].
func (u *Unit) Constant(t Time) (done Time, load int32) {
	return u.Begin(t, 1) + u.SharedLatency(), memory.NoLoad
}

// Nothing is of [memory.Port].
func (u *Unit) Nothing(t Time) (done Time, load int32) { return u.Begin(t, 1) + 1, memory.NoLoad }

// Shared is of [memory.Port]. The result of a load takes the write-back port.
func (u *Unit) Shared(cycles Time, loads bool, t Time) (done Time, load int32) {
	done = u.Begin(t, cycles) + cycles - 1 + u.SharedLatency()
	if loads {
		done = u.wb.Take(done)
	}
	return done, memory.NoLoad
}

// Global is of [memory.Port].
func (u *Unit) Global(w *memory.Traffic, space trace.Space, flags trace.InstFlags, t Time) (done Time, load int32) {
	before, p := u.L1.Stats, &u.through
	u.mem.work = w
	p.Path, p.Co = u.PathOf(space, flags), u.Co
	u.Open(p, t)
	if len(p.Co.Sectors) > 8 && u.L1.Tags != nil && !p.Path.Bypasses() {
		u.prefetch(p.Co.Sectors)
	}
	u.pass(p)
	u.Free = max(u.Free, p.At+1)
	u.mem.work = &u.mem.others
	u.Count(w, &before)
	return p.Done, memory.NoLoad
}

// prefetch has the host load the lines of sectors, and the places that missing lines take, all at a time. Otherwise the
// host would wait for one after another. It keeps the lines that it finds in lineHints.
func (u *Unit) prefetch(sectors []uint64) {
	c, m, last := u.L1.Tags, u.mem, tags.NoTag
	if c.Narrow.Sets != nil {
		return
	}
	u.lineHints = slices.Grow(u.lineHints[:0], len(sectors))[:len(sectors)]
	c.Wide.Look(c, sectors, u.L1.Per, u.lineHints)
	for i, s := range sectors {
		if tag := s >> (u.L1.Per & 63); u.lineHints[i] == tags.NoLine && tag != last {
			last = tag
			at := &m.slices[m.Mapping.Slice(s)]
			at.Tags.Prefetch(s >> (at.Per & 63))
		}
	}
}

// pass times the requests of an access through L1, crossbar, L2 and DRAM.
func (u *Unit) pass(p *unit.Access) {
	switch p.Path {
	case unit.PathLoad:
		u.passLoads(p)
	case unit.PathStore:
		for p.Left > 0 {
			r, at := u.next(p)
			u.keepStore(r, at)
			p.Done = max(p.Done, u.mem.write(u.ports, r, u.queued(at, u.L1.Latency)))
		}
	default:
		for p.Left > 0 {
			r, at := u.next(p)
			p.Done = max(p.Done, u.bypass(p.Path, r, u.queued(at, u.L1.Bypass)))
		}
	}
	u.lineHints = u.lineHints[:0]
}

// next returns the next request of an access, and the cycle in which its bank takes it. The L1's banks take requests
// from the last address to the first, one a cycle each. A request whose bank is taken waits for the next cycle, and so
// do those behind it. Requests past the L1 go one a cycle. Where the L1 fetches more than a sector, one request is for
// a block.
func (u *Unit) next(p *unit.Access) (*coalesce.Request, Time) {
	p.Left--
	r := u.Request(p, p.Left)
	u.NextBank(p, r.Sector)
	return r, u.Translate(r.Sector, p.At)
}

// passLoads is pass for loads through the L1. Loads of a line come one after another: it is looked for once.
func (u *Unit) passLoads(p *unit.Access) {
	l1, c := &u.L1, u.L1.Tags
	before, id := tags.NoTag, tags.NoLine
	at, taken, reads, hits := p.At, p.Taken, uint64(0), uint64(0)
	for i := p.Left - 1; i >= 0; i-- {
		sector, mask, n := p.Co.Sectors[i], uint8(1), uint64(1)
		if l1.Block > 0 {
			sector, mask = p.Co.Requests[i].Sector, p.Co.Requests[i].Mask
			n = uint64(bits.OnesCount8(mask))
		}
		bank := l1.Bank(sector) // as [unit.LSU.NextBank]
		if taken&bank != 0 {
			at, taken = at+1, 0
		}
		taken |= bank
		tag, bit, begins := sector>>(l1.Per&63), uint(sector)&l1.Last, u.Translate(sector, at)
		if tag != before {
			if before, id = tag, u.placeOf(i, tag); id != tags.NoLine {
				c.Touch(id)
			}
		}
		reads += n
		if id == tags.NoLine || !c.Lines[id].Readable(bit, mask) {
			var done Time
			id, done = u.miss(id, sector, begins)
			p.Done = max(p.Done, done)
			continue
		}
		hits += n
		fill, done := c.Base+Time(c.Lines[id].Fill[bit&3]), begins+l1.Latency+unit.L1Extra
		if mask != 1 || u.mem.Watcher != nil {
			fill = u.filled(id, sector, mask)
		}
		if fill > done {
			done = u.join(id, bit, fill)
		}
		p.Done = max(p.Done, done)
	}
	p.At, p.Taken, p.Left = at, taken, 0
	l1.Stats.Reads += reads
	l1.Stats.Hits += hits
	l1.Stats.Misses += reads - hits
}

// filled returns when sectors of a line are filled, and tells the watcher of the hit.
func (u *Unit) filled(id int32, sector uint64, mask uint8) Time {
	fill := u.L1.Tags.Filled(id, uint(sector)&u.L1.Last, mask)
	u.mem.TellHit(u.Sm, sector, fill)
	return fill
}

// placeOf returns the L1's line with a tag, of request i of the access at hand, or noLine.
func (u *Unit) placeOf(i int, tag uint64) int32 {
	c := u.L1.Tags
	if i < len(u.lineHints) {
		if id := u.lineHints[i]; id != tags.NoLine && c.Lines[id].Tag == tag { // else it is stale
			return id
		}
	}
	return c.Find(tag)
}

// bypass times a request that passes by the L1, from the miss queue on.
func (u *Unit) bypass(w unit.Path, r *coalesce.Request, t Time) Time {
	switch w {
	case unit.PathStoreBypass:
		return u.mem.write(u.ports, r, t)
	case unit.PathAtomic:
		u.L1.Invalidate(r.Sector)
		return u.wb.Take(u.mem.atomic(u.ports, r, t))
	}
	return u.wb.Take(u.mem.read(u.ports, r.Sector, r.Mask, t))
}

// miss fetches the block of a sector that an L1 does not have in its line, whose place it has
// or noLine. It returns the line's place, and when the request is served.
func (u *Unit) miss(id int32, sector uint64, at Time) (int32, Time) {
	l1 := &u.L1
	at = u.admitMiss(at)
	fill := u.mem.read(u.ports, sector, l1.Block.Whole(), u.queued(at, l1.Latency))
	if l1.Mshrs > 0 {
		u.pending.push(fill)
	}
	if id == tags.NoLine {
		if id, _, _ = l1.Tags.Insert(sector>>(l1.Per&63), at); id == tags.NoLine {
			return tags.NoLine, u.wb.Take(fill) // every line of the set is on its way: not kept
		}
	}
	l1.Tags.Fill(id, uint(sector)&l1.Last, fill, 1)
	return id, u.wb.Take(fill)
}

// join returns when sectors are there that are on their way. A miss has room for a number of
// requests; the one beyond waits for the fill, and the unit with it.
func (u *Unit) join(id int32, bit uint, fill Time) Time {
	if !u.L1.Tags.Merge(id, bit, u.L1.Cfg.Merge) {
		u.Free = max(u.Free, fill)
		return fill + u.L1.Latency + unit.L1Extra
	}
	return u.wb.Take(fill)
}

// queued returns when a request that its bank takes at a time is in the miss
// queue, a latency later; while that is full the unit waits.
func (u *Unit) queued(at, latency Time) Time {
	ready := at + latency
	room := u.ports.room(ready)
	if room > ready {
		u.Free = max(u.Free, at+room-ready)
	}
	return room
}

// admitMiss returns when an MSHR takes a miss; until then the unit waits.
func (u *Unit) admitMiss(at Time) Time {
	if u.L1.Mshrs == 0 {
		return at
	}
	free := u.pending.admit(at, u.L1.Mshrs)
	if free > at {
		u.Free = max(u.Free, free)
	}
	return free
}

// keepStore stores into an L1 that allocates on writes; another drops its copy of the block.
func (u *Unit) keepStore(r *coalesce.Request, at Time) {
	u.L1.Stats.Writes += uint64(bits.OnesCount8(r.Mask))
	if u.L1.Cfg.WriteAllocate {
		u.L1.Write(r, at)
	} else {
		u.L1.Invalidate(r.Sector)
	}
}
