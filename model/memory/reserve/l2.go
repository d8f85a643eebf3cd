package reserve

import (
	"math/bits"

	"gpureplay/model/hardware"
	"gpureplay/model/memory"
	"gpureplay/model/memory/coalesce"
	"gpureplay/model/memory/hostmem"
	"gpureplay/model/memory/tags"
	"gpureplay/model/memory/timing"
)

// slice is one slice of the L2, with a limit on misses and on requests that merge into one; at a limit it takes
// nothing more.
type slice struct {
	tags.L2
	work    **memory.Traffic // where the access at hand is counted too
	chan_   *channel
	rop     Time
	blocked Time // the slice takes nothing before this
	mshrs   int
	merge   int
	in      timing.Reservations // requests that the slice takes
	pending outstandingMisses
	port    timing.Reservations // of the crossbar: requests
	out     timing.Reservations // replies
	owed    Time                // as an SM's port
	waiting timing.LeaveTimes   // requests that wait for in
	misses  timing.LeaveTimes   // that wait for the channel
}

func newSlice(t *hostmem.Tables, c *hardware.Config, where *tags.Mapping, ch *channel, work **memory.Traffic) slice {
	icnt, l2 := timing.NewRatio(c.Clock.IcntMHz, c.Clock.CoreMHz), timing.NewRatio(c.Clock.L2MHz, c.Clock.CoreMHz)
	return slice{
		L2: tags.NewL2(t, c, where), work: work,
		port: timing.NewReservations(t, icnt), in: timing.NewReservations(t, l2), out: timing.NewReservations(t, icnt),
		waiting: timing.NewLeaveTimes(t, c.L2.Queue+c.Icnt.Queue),
		chan_:   ch, rop: Time(c.L2.Latency), mshrs: c.L2.MSHRs, merge: c.L2.Merge,
		pending: newOutstandingMisses(t), misses: timing.NewLeaveTimes(t, c.L2.MissQueue),
	}
}

// read returns when the slice has the sectors of mask, from one on, that are asked
// for at t.
func (s *slice) read(sector uint64, mask uint8, t Time) Time {
	n, w := s.CountRead(mask), *s.work
	w.L2Accesses += n
	t += s.rop
	id, bit := s.Lookup(sector)
	if id != tags.NoLine && s.Tags.Lines[id].Readable(bit, mask) {
		s.Stats.Hits += n
		w.L2Hits += n
		return s.hit(id, bit, mask, t)
	}
	s.Stats.Misses += n
	return s.fetch(id, sector, bit, t) + 1
}

// hit answers from sectors that are present or on their way.
func (s *slice) hit(id int32, bit uint, mask uint8, t Time) Time {
	fill := s.Tags.Filled(id, bit, mask)
	if fill <= t {
		return t + 1
	}
	if !s.Tags.Merge(id, bit, s.merge) { // it waits at the head of the slice
		s.blocked = max(s.blocked, fill-s.rop)
	}
	return fill + 1
}

// fetch reads the block of a sector from DRAM and returns when it is filled.
func (s *slice) fetch(id int32, sector uint64, bit uint, t Time) Time {
	if s.mshrs > 0 {
		t = s.admit(t)
	}
	n := s.Tags.Block.Sectors()
	fill := s.send(sector&^uint64(n-1), n, t, false)
	if s.mshrs > 0 {
		s.pending.push(fill)
	}
	if id == tags.NoLine {
		if id = s.allocate(sector, t); id == tags.NoLine {
			return fill
		}
	}
	s.Tags.Fill(id, bit, fill, 1)
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

// send gives a request for n sectors to the channel when that has room, and returns
// when its data is there. A slice whose miss queue is full takes nothing more.
func (s *slice) send(sector uint64, n uint, t Time, write bool) Time {
	if room := s.misses.Room(t); room > t {
		t = room
		s.blocked = max(s.blocked, t-s.rop)
	}
	t = s.chan_.admit(t)
	s.misses.Put(t)
	return s.chan_.access(sector, n, t, write)
}

// write takes the bytes of a request and returns when it is done.
func (s *slice) write(r *coalesce.Request, t Time) Time {
	n, hits := s.CountWrite(r.Mask), s.Stats.Hits
	t += s.rop
	id, bit := s.Lookup(r.Sector)
	if id == tags.NoLine && !s.Evicts {
		id = s.allocate(r.Sector, t)
	}
	if s.Evicts || id == tags.NoLine {
		s.PassBy(r, id, bit, t)
		s.book(n, hits)
		first, carries := coalesce.Carried(r.Mask)
		return s.send(r.Sector+uint64(first), carries, t, true)
	}
	s.Store(id, bit, r, t)
	s.book(n, hits)
	return t + 1
}

// book counts n accesses, and the hits since, on the access at hand.
func (s *slice) book(n, hits uint64) {
	w := *s.work
	w.L2Accesses += n
	w.L2Hits += s.Stats.Hits - hits
}

// warm makes n sectors of a line present, as a copy that goes through the L2 does.
func (s *slice) warm(sector uint64, n uint, t Time) {
	id, first := s.Lookup(sector)
	if id == tags.NoLine {
		if id = s.allocate(sector, t); id == tags.NoLine {
			return
		}
	}
	s.L2.Fill(id, first, n, t)
}

// atomic reads, modifies and writes the sectors of a request in the slice.
func (s *slice) atomic(r *coalesce.Request, t Time) Time {
	done := s.read(r.Sector, r.Mask, t)
	if id, bit := s.Lookup(r.Sector); id != tags.NoLine {
		s.Dirty(&s.Tags.Lines[id], bit, r.Mask)
	}
	return done
}

// allocate makes room for a line and writes back the victim; noLine if every line of the set is on its way.
func (s *slice) allocate(sector uint64, t Time) int32 {
	id, was, dirty := s.Tags.Insert(sector>>(s.Per&63), t)
	b, line := s.Tags.Block, was<<(s.Per&63)
	for dirty != 0 {
		first := b.First(uint(bits.TrailingZeros8(dirty)))
		s.send(line+uint64(first), b.Sectors(), t, true)
		dirty &^= b.Whole() << (first & 7)
	}
	return id
}
