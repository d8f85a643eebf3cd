package model

import "math/bits"

// slice is one slice of the L2: write-back, sectored, with a limit on misses
// and on requests that merge into one; at a limit it takes nothing more.
type slice struct {
	in      slots // requests
	out     slots // answers
	waiting ring  // requests that wait for in
	tags    *cache
	chan_   *channel
	rop     Time
	mshrs   int
	merge   int
	per     uint // logarithm of sectors per line
	pending flights
	misses  ring // that wait for the channel
	blocked Time // the slice takes nothing before this
	stats   MemoryRecord
}

func newSlice(c *Config, ch *channel) slice {
	icnt, l2 := newRatio(c.Clock.IcntMHz, c.Clock.CoreMHz), newRatio(c.Clock.L2MHz, c.Clock.CoreMHz)
	return slice{
		in: newSlots(l2), out: newSlots(icnt), waiting: newRing(c.L2.Queue),
		tags: newCache(c.L2.Bytes/c.L2.Slices, c.L2.LineBytes, c.L2.Ways, true), chan_: ch, rop: Time(c.L2.Latency),
		mshrs: c.L2.MSHRs, pending: newFlights(), misses: newRing(c.L2.MissQueue), merge: c.L2.Merge, per: uint(bits.TrailingZeros(uint(c.L2.LineBytes >> sectorShift))),
	}
}

// read returns when the slice has a sector that is asked for at t.
func (s *slice) read(sector uint64, t Time) Time {
	s.stats.Accesses++
	s.stats.ReadSectors++
	t += s.rop
	id, bit := s.lookup(sector)
	if id != noLine {
		if s.tags.lines[id].readable(bit) {
			s.stats.Hits++
			return s.hit(id, bit, t)
		}
	}
	s.stats.Misses++
	return s.fetch(id, sector, bit, t) + 1
}

// hit answers from a sector that is present or on its way.
func (s *slice) hit(id int32, bit uint, t Time) Time {
	fill := s.tags.filled(id, bit)
	if fill <= t {
		return t + 1
	}
	if !s.tags.lines[id].merge(bit, s.merge) {
		s.blocked = max(s.blocked, fill-s.rop) // it waits at the head of the slice
	}
	return fill + 1
}

// fetch reads a sector from DRAM and returns when it is filled.
func (s *slice) fetch(id int32, sector uint64, bit uint, t Time) Time {
	if s.mshrs > 0 {
		t = s.admit(t)
	}
	fill := s.send(sector, t, false)
	if s.mshrs > 0 {
		s.pending.push(fill)
	}
	if id == noLine {
		if id = s.allocate(sector, t); id == noLine {
			return fill
		}
	}
	s.tags.put(id, bit, fill, 1)
	return fill
}

// admit returns when an MSHR takes a miss; until then the slice takes nothing.
func (s *slice) admit(t Time) Time {
	free := s.pending.admit(t, s.mshrs)
	if free > t {
		s.blocked = max(s.blocked, free-s.rop)
	}
	return free
}

// send gives a request to the channel when that has room, and returns when its
// data is there. A slice whose miss queue is full takes nothing more.
func (s *slice) send(sector uint64, t Time, write bool) Time {
	if room := s.misses.room(t); room > t {
		t = room
		s.blocked = max(s.blocked, t-s.rop)
	}
	t = s.chan_.admit(t)
	s.misses.put(t)
	return s.chan_.access(sector, t, write)
}

// write takes bytes of a sector, a bit each, and returns when it is done.
func (s *slice) write(sector uint64, t Time, bytes uint32) Time {
	s.stats.Accesses++
	s.stats.WriteSectors++
	t += s.rop
	id, bit := s.lookup(sector)
	if id == noLine {
		if id = s.allocate(sector, t); id == noLine {
			s.stats.Misses++
			return s.send(sector, t, true)
		}
	}
	if s.tags.write(id, bit, bytes, t) {
		s.stats.Hits++
	} else {
		s.stats.Misses++
	}
	s.tags.lines[id].dirty |= 1 << (bit & 7)
	return t + 1
}

// warm makes n sectors of a line present, as a copy that goes through the L2 does.
func (s *slice) warm(sector uint64, n uint, t Time) {
	id, first := s.lookup(sector)
	if id == noLine {
		if id = s.allocate(sector, t); id == noLine {
			return
		}
	}
	l := &s.tags.lines[id]
	for bit := first; bit < first+n; bit++ {
		s.tags.put(id, bit, t, 0)
		l.dirty |= 1 << (bit & 7)
	}
}

// atomic reads, modifies and writes a sector in the slice.
func (s *slice) atomic(sector uint64, t Time) Time {
	done := s.read(sector, t)
	if id, bit := s.lookup(sector); id != noLine {
		s.tags.lines[id].dirty |= 1 << (bit & 7)
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
// every line of the set is on its way.
func (s *slice) allocate(sector uint64, t Time) int32 {
	id, was, dirty := s.tags.insert(sector>>(s.per&63), t)
	for d := dirty; d != 0; d &= d - 1 {
		s.send(was<<(s.per&63)+uint64(bits.TrailingZeros8(d)), t, true)
	}
	return id
}
