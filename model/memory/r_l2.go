package memory

import (
	"math/bits"

	"gpureplay/model/hardware"
)

// rSlice is one slice of the L2, with a limit on misses and on requests that merge into one; at a limit it takes
// nothing more.
type rSlice struct {
	l2Tags
	chan_   *channel
	rop     Time
	blocked Time // the slice takes nothing before this
	mshrs   int
	merge   int
	in      slots // requests that the slice takes
	pending flights
	port    slots // of the crossbar: requests
	out     slots // replies
	owed    Time  // as an SM's port
	waiting ring  // requests that wait for in
	misses  ring  // that wait for the channel
}

func newRSlice(t *tables, c *hardware.Config, where *mapping, ch *channel) rSlice {
	icnt, l2 := NewRatio(c.Clock.IcntMHz, c.Clock.CoreMHz), NewRatio(c.Clock.L2MHz, c.Clock.CoreMHz)
	return rSlice{
		l2Tags: newL2Tags(t, c, where),
		port:   newSlots(t, icnt), in: newSlots(t, l2), out: newSlots(t, icnt), waiting: newRing(t, c.L2.Queue+c.Icnt.Queue),
		chan_: ch, rop: Time(c.L2.Latency), mshrs: c.L2.MSHRs, merge: c.L2.Merge,
		pending: newFlights(t), misses: newRing(t, c.L2.MissQueue),
	}
}

// read returns when the slice has the sectors of mask, from one on, that are asked
// for at t.
func (s *rSlice) read(sector uint64, mask uint8, t Time) Time {
	n := s.countRead(mask)
	t += s.rop
	id, bit := s.lookup(sector)
	if id != noLine && s.tags.lines[id].readable(bit, mask) {
		s.stats.Hits += n
		return s.hit(id, bit, mask, t)
	}
	s.stats.Misses += n
	return s.fetch(id, sector, bit, t) + 1
}

// hit answers from sectors that are present or on their way.
func (s *rSlice) hit(id int32, bit uint, mask uint8, t Time) Time {
	fill := s.tags.filled(id, bit, mask)
	if fill <= t {
		return t + 1
	}
	if !s.tags.merge(id, bit, s.merge) { // it waits at the head of the slice
		s.blocked = max(s.blocked, fill-s.rop)
	}
	return fill + 1
}

// fetch reads the block of a sector from DRAM and returns when it is filled.
func (s *rSlice) fetch(id int32, sector uint64, bit uint, t Time) Time {
	if s.mshrs > 0 {
		t = s.admit(t)
	}
	n := s.tags.block.sectors()
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
func (s *rSlice) admit(t Time) Time {
	free := s.pending.admit(t, s.mshrs)
	if free > t {
		s.blocked = max(s.blocked, free-s.rop)
	}
	return free
}

// send gives a request for n sectors to the channel when that has room, and returns
// when its data is there. A slice whose miss queue is full takes nothing more.
func (s *rSlice) send(sector uint64, n uint, t Time, write bool) Time {
	if room := s.misses.room(t); room > t {
		t = room
		s.blocked = max(s.blocked, t-s.rop)
	}
	t = s.chan_.admit(t)
	s.misses.put(t)
	return s.chan_.access(sector, n, t, write)
}

// write takes the bytes of a request and returns when it is done.
func (s *rSlice) write(r *request, t Time) Time {
	s.countWrite(r.mask)
	t += s.rop
	id, bit := s.lookup(r.sector)
	if id == noLine && !s.evicts {
		id = s.allocate(r.sector, t)
	}
	if s.evicts || id == noLine {
		s.passBy(r, id, bit, t)
		first, carries := carried(r.mask)
		return s.send(r.sector+uint64(first), carries, t, true)
	}
	s.store(id, bit, r, t)
	return t + 1
}

// warm makes n sectors of a line present, as a copy that goes through the L2 does.
func (s *rSlice) warm(sector uint64, n uint, t Time) {
	id, first := s.lookup(sector)
	if id == noLine {
		if id = s.allocate(sector, t); id == noLine {
			return
		}
	}
	s.l2Tags.fill(id, first, n, t)
}

// atomic reads, modifies and writes the sectors of a request in the slice.
func (s *rSlice) atomic(r *request, t Time) Time {
	done := s.read(r.sector, r.mask, t)
	if id, bit := s.lookup(r.sector); id != noLine {
		s.dirty(&s.tags.lines[id], bit, r.mask)
	}
	return done
}

// allocate makes room for a line and writes back what it drives out; noLine if
// every line of the set is on its way.
func (s *rSlice) allocate(sector uint64, t Time) int32 {
	id, was, dirty := s.tags.insert(sector>>(s.per&63), t)
	b, line := s.tags.block, was<<(s.per&63)
	for dirty != 0 {
		first := b.first(uint(bits.TrailingZeros8(dirty)))
		s.send(line+uint64(first), b.sectors(), t, true)
		dirty &^= b.whole() << (first & 7)
	}
	return id
}
