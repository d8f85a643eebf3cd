package memory

import (
	"math/bits"

	"gpureplay/model/hardware"
)

// slice is one slice of the L2, with a limit on misses and on requests that merge
// into one; at a limit it takes nothing more.
type slice struct {
	// What each request needs lies together.
	tags     *cache
	ctl      *controller // nil: the channel does not schedule in the order of time (fills.go)
	chan_    *channel
	fills    *fills
	rop      Time
	blocked  Time  // the slice takes nothing before this
	asked    int32 // requests that it has given to its channel and that wait there before all others
	room     int32 // most of them
	unknown  int   // fetches of which nobody knows when they come
	mshrs    int
	merge    int
	waitsFor int32 // the fetch that the answer at hand waits for
	number   int32
	per      uint // logarithm of sectors per line
	stood    bool // the last request waited for a fill, and is a hit
	stands   bool // it does not take its first request
	direct   bool // the request at hand is a unit's of the machine, which does not wait
	evicts   bool // stores go through to DRAM

	drives  uint  // sectors that the request at hand has driven out
	in      slots // requests that the slice takes
	stats   Record
	pending flights
	port    slots // of the crossbar: requests
	out     slots // answers

	inChannel int
	ahead     Time // a sector is there for others so long before the answer of its fill
	owed      Time // as an SM's port
	waiting   ring // requests that wait for in
	misses    ring // that wait for the channel
}

func newSlice(t *tables, c *hardware.Config, where *mapping, ch *channel) slice {
	icnt, l2 := NewRatio(c.Clock.IcntMHz, c.Clock.CoreMHz), NewRatio(c.Clock.L2MHz, c.Clock.CoreMHz)
	s := slice{
		port: newSlots(t, icnt), in: newSlots(t, l2), out: newSlots(t, icnt), waiting: newRing(t, c.L2.Queue+c.Icnt.Queue),
		tags:  newMappedCache(t, c.L2.Bytes/c.L2.Slices, c.L2.LineBytes, c.L2.SectorBytes, c.L2.Ways, where),
		chan_: ch, rop: Time(c.L2.Latency), evicts: !c.L2.WriteBack,
		mshrs: c.L2.MSHRs, pending: newFlights(t, c.CycleMemory()), misses: newRing(t, c.L2.MissQueue), merge: c.L2.Merge,
		per: uint(bits.TrailingZeros(uint(c.L2.LineBytes >> hardware.SectorShift))),
	}
	if c.CycleMemory() {
		s.ahead = 1
	}
	return s
}

// read returns when the slice has the sectors of mask, from one on, that are asked
// for at t.
func (s *slice) read(sector uint64, mask uint8, t Time) Time {
	n := uint64(bits.OnesCount8(mask))
	s.stats.Accesses += n
	s.stats.ReadSectors += n
	t += s.rop
	id, bit := s.lookup(sector)
	if id != noLine {
		if s.tags.lines[id].readable(bit, mask) {
			s.stats.Hits += n
			return s.hit(id, bit, mask, t)
		}
	}
	s.stats.Misses += n
	return s.fetch(id, sector, bit, t) + 1
}

// hit answers from sectors that are present or on their way.
func (s *slice) hit(id int32, bit uint, mask uint8, t Time) Time {
	if s.ctl != nil {
		if f := s.tags.expected(id, bit, mask); f >= 0 {
			if s.direct {
				return t + s.ctl.alone() + 1
			}
			return s.wait(f, id, bit)
		}
	}
	fill := s.tags.filled(id, bit, mask)
	if fill-s.ahead <= t {
		return t + 1
	}
	if !s.tags.merge(id, bit, s.merge) { // it waits at the head of the slice
		s.blocked, s.stood = max(s.blocked, fill-s.rop), true
		return fill - s.ahead + 1
	}
	return fill + 1
}

// fetch reads the block of a sector from DRAM and returns when it is filled.
func (s *slice) fetch(id int32, sector uint64, bit uint, t Time) Time {
	if s.mshrs > 0 {
		t = s.admit(t)
	}
	n := s.tags.block.sectors()
	if s.ctl != nil && !s.direct {
		return s.ask(id, sector, bit, t)
	}
	fill := s.send(sector&^uint64(n-1), n, t, false)
	if s.mshrs > 0 {
		s.pending.push(fill)
	}
	if id == noLine {
		if id = s.allocate(sector, t); id == noLine {
			return fill
		}
	}
	s.tags.fill(id, bit, fill, 1)
	return fill
}

// admit returns when an MSHR takes a miss; until then the slice takes nothing.
func (s *slice) admit(t Time) Time {
	free := s.pending.admit(t, max(1, s.mshrs-s.unknown))
	if free > t {
		s.blocked = max(s.blocked, free-s.rop)
	}
	return free
}

// send gives a request for n sectors to the channel when that has room, and returns
// when its data is there. A slice whose miss queue is full takes nothing more.
func (s *slice) send(sector uint64, n uint, t Time, write bool) Time {
	if s.ctl != nil {
		return s.request(sector, n, t, write)
	}
	if room := s.misses.room(t); room > t {
		t = room
		s.blocked = max(s.blocked, t-s.rop)
	}
	t = s.chan_.admit(t)
	s.misses.put(t)
	return s.chan_.access(sector, n, t, write)
}

// write takes what a request writes and returns when it is done.
func (s *slice) write(r *request, t Time) Time {
	n := uint64(bits.OnesCount8(r.mask))
	s.stats.Accesses += n
	s.stats.WriteSectors += n
	t += s.rop
	id, bit := s.lookup(r.sector)
	if s.evicts {
		return s.pass(r, id, bit, t)
	}
	if id == noLine {
		if id = s.allocate(r.sector, t); id == noLine {
			return s.pass(r, id, bit, t)
		}
	}
	for m := r.mask; m != 0; m &= m - 1 {
		i := uint(bits.TrailingZeros8(m)) & (maxSectors - 1)
		if s.tags.write(id, bit+i, r.bytes[i], t) {
			s.stats.Hits++
		} else {
			s.stats.Misses++
		}
	}
	s.dirty(&s.tags.lines[id], bit, r.mask)
	return t + 1
}

// pass sends what a request writes on to DRAM. A block that is there whole is
// dropped; one on its way comes (GPGPU-Sim 3's data_cache::access).
func (s *slice) pass(r *request, id int32, bit uint, t Time) Time {
	n := uint64(bits.OnesCount8(r.mask))
	s.stats.Misses += n
	if id != noLine {
		l := &s.tags.lines[id]
		there := l.valid & (s.tags.block.whole() << (s.tags.block.first(bit) & 7))
		if there != 0 && s.tags.filled(id, 0, there) <= t {
			s.stats.Hits += n
			s.stats.Misses -= n
			s.tags.drop(id, there)
		}
	}
	first, carries := carried(r.mask)
	if s.ctl != nil && !s.direct {
		s.waitsFor = s.fills.open(s.number)
		s.ctl.put(s, r.sector+uint64(first), carries, t, true, s.waitsFor)
		return Unknown
	}
	return s.send(r.sector+uint64(first), carries, t, true)
}

// warm makes n sectors of a line present, as a copy that goes through the L2 does.
func (s *slice) warm(sector uint64, n uint, t Time) {
	if s.ctl != nil {
		t += s.rop // as far as the channel is
	}
	id, first := s.lookup(sector)
	if id == noLine {
		if id = s.allocate(sector, t); id == noLine {
			return
		}
	}
	l := &s.tags.lines[id]
	for bit := first; bit < first+n; bit++ {
		s.tags.put(id, bit, t, 0)
		s.dirty(l, bit, 1)
	}
}

// dirty marks the sectors of mask from bit on. Where stores go through to DRAM
// nothing is.
func (s *slice) dirty(l *line, bit uint, mask uint8) {
	if !s.evicts {
		l.dirty |= mask << (bit & 7)
	}
}

// atomic reads, modifies and writes the sectors of a request in the slice.
func (s *slice) atomic(r *request, t Time) Time {
	done := s.read(r.sector, r.mask, t)
	if id, bit := s.lookup(r.sector); id != noLine {
		s.dirty(&s.tags.lines[id], bit, r.mask)
	}
	return done
}

func (s *slice) lookup(sector uint64) (int32, uint) {
	id := s.tags.find(sector >> (s.per & 63))
	if id != noLine {
		s.tags.touch(id)
	}
	return id, uint(sector) & (1<<(s.per&63) - 1)
}

// allocate makes room for a line and writes back what it drives out; noLine if
// every line of the set is on its way. A channel that schedules in the order of time gets it
// as one request.
func (s *slice) allocate(sector uint64, t Time) int32 {
	id, was, dirty := s.tags.insert(sector>>(s.per&63), t)
	if dirty == 0 {
		return id
	}
	b, line, lowest := s.tags.block, was<<(s.per&63), uint(bits.TrailingZeros8(dirty))
	for s.drives = 0; dirty != 0; s.drives += b.sectors() {
		first := b.first(uint(bits.TrailingZeros8(dirty)))
		if s.ctl == nil {
			s.send(line+uint64(first), b.sectors(), t, true)
		}
		dirty &^= b.whole() << (first & 7)
	}
	if s.ctl != nil {
		s.ctl.put(s, line+uint64(b.first(lowest)), s.drives, t, true, noFetch)
	}
	return id
}
