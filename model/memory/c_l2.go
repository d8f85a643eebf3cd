package memory

import (
	"math/bits"
)

// cSlice is one slice of the L2, with a limit on misses and on requests that merge into one. Its queue is in an inbox.
type cSlice struct {
	// What each request needs lies together.
	l2Tags
	ctl      *controller
	fills    *fills
	rop      Time
	blocked  Time  // the slice takes nothing before this
	asked    int32 // requests that it has given to its channel and that wait there before all others
	room     int32 // most of them
	unknown  int   // pending misses
	mshrs    int
	merge    int
	waitsFor int32 // the fetch that the reply at hand waits for
	number   int32
	stood    bool // the last request waited for a fill, and is a hit
	stands   bool // it does not take its first request
	direct   bool // the request at hand is of a unit of the machine, and waits for nothing

	drives  uint  // sectors that the request at hand has driven out
	in      slots // requests that the slice takes
	pending fillTimes
	port    slots // of the crossbar: requests
	out     slots // replies

	inChannel int // its number among the slices of its channel
}

// ahead is how long before the reply of its fill a sector is there for others.
const ahead = 1

func (s *cSlice) init(m *cSystem, number int) {
	c, t := m.cfg, &m.tables
	icnt, l2 := NewRatio(c.Clock.IcntMHz, c.Clock.CoreMHz), NewRatio(c.Clock.L2MHz, c.Clock.CoreMHz)
	s.port, s.in, s.out = newSlots(t, icnt), newSlots(t, l2), newSlots(t, icnt)
	s.l2Tags = newL2Tags(t, c, m.mapping)
	s.rop, s.mshrs, s.merge = Time(c.L2.Latency), c.L2.MSHRs, c.L2.Merge
	s.ctl, s.fills, s.number, s.room = &m.channels[channelOf(c, number)], &m.net.fills, int32(number), int32(c.L2.Queue)
	s.inChannel = len(s.ctl.slices)
	s.ctl.slices = append(s.ctl.slices, newDRAMQueue(s.number))
}

// read returns when the slice has the sectors of mask, from one on, that are asked for at t; Unknown: the reply waits
// for a fetch.
func (s *cSlice) read(sector uint64, mask uint8, t Time) Time {
	n := s.countRead(mask)
	t += s.rop
	id, bit := s.lookup(sector)
	if id != noLine && s.tags.lines[id].readable(bit, mask) {
		s.stats.Hits += n
		return s.hit(id, bit, mask, t)
	}
	s.stats.Misses += n
	if s.mshrs > 0 {
		t = s.admit(t)
	}
	if !s.direct {
		return s.ask(id, sector, bit, t)
	}
	return s.fetchAlone(id, sector, bit, t) + 1
}

// hit answers from sectors that are present or on their way.
func (s *cSlice) hit(id int32, bit uint, mask uint8, t Time) Time {
	if f := s.tags.expected(id, bit, mask); f >= 0 {
		if s.direct {
			return t + s.ctl.alone() + 1
		}
		return s.wait(f, id, bit)
	}
	fill := s.tags.filled(id, bit, mask)
	if fill-ahead <= t {
		return t + 1
	}
	if !s.tags.merge(id, bit, s.merge) { // it waits at the head of the slice
		s.blocked, s.stood = max(s.blocked, fill-s.rop), true
		return fill - ahead + 1
	}
	return fill + 1
}

// fetchAlone reads the block of a sector for a unit of the machine, and returns when it is filled.
func (s *cSlice) fetchAlone(id int32, sector uint64, bit uint, t Time) Time {
	n := s.tags.block.sectors()
	s.ctl.stats.ReadSectors += uint64(n)
	s.ctl.stats.Accesses += uint64(n)
	fill := t + s.ctl.alone()
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
func (s *cSlice) admit(t Time) Time {
	free := s.pending.admit(t, max(1, s.mshrs-s.unknown))
	if free > t {
		s.blocked = max(s.blocked, free-s.rop)
	}
	return free
}

// write takes the bytes of a request and returns when it is done; Unknown: when DRAM has them.
func (s *cSlice) write(r *request, t Time) Time {
	s.countWrite(r.mask)
	t += s.rop
	id, bit := s.lookup(r.sector)
	if id == noLine && !s.evicts {
		id = s.allocate(r.sector, t)
	}
	if s.evicts || id == noLine {
		s.passBy(r, id, bit, t)
		return s.writeThrough(r, t)
	}
	s.store(id, bit, r, t)
	return t + 1
}

// writeThrough sends the bytes of a request on to DRAM.
func (s *cSlice) writeThrough(r *request, t Time) Time {
	first, carries := carried(r.mask)
	if s.direct {
		s.ctl.put(s, r.sector+uint64(first), carries, t, true, noFetch)
		return t + s.ctl.alone()
	}
	s.waitsFor = s.fills.open(s.number)
	s.ctl.put(s, r.sector+uint64(first), carries, t, true, s.waitsFor)
	return Unknown
}

// warm makes n sectors of a line present, as a copy that goes through the L2 does.
func (s *cSlice) warm(sector uint64, n uint, t Time) {
	t += s.rop // as far as the channel is
	id, first := s.lookup(sector)
	if id == noLine {
		if id = s.allocate(sector, t); id == noLine {
			return
		}
	}
	s.l2Tags.fill(id, first, n, t)
}

// atomic reads, modifies and writes the sectors of a request in the slice.
func (s *cSlice) atomic(r *request, t Time) Time {
	done := s.read(r.sector, r.mask, t)
	if id, bit := s.lookup(r.sector); id != noLine {
		s.dirty(&s.tags.lines[id], bit, r.mask)
	}
	return done
}

// allocate makes room for a line and writes back what it drives out, as one request; noLine if every line of the set is
// on its way.
func (s *cSlice) allocate(sector uint64, t Time) int32 {
	id, was, dirty := s.tags.insert(sector>>(s.per&63), t)
	if dirty == 0 {
		return id
	}
	b, line, lowest := s.tags.block, was<<(s.per&63), uint(bits.TrailingZeros8(dirty))
	for s.drives = 0; dirty != 0; s.drives += b.sectors() {
		dirty &^= b.whole() << (b.first(uint(bits.TrailingZeros8(dirty))) & 7)
	}
	s.ctl.put(s, line+uint64(b.first(lowest)), s.drives, t, true, noFetch)
	return id
}

// full reports whether there is no room for what a slice asks of its channel.
func (s *cSlice) full() bool { return s.asked >= s.room }

// waits returns until when a request has to wait at its slice, no earlier than t, for room in
// the channel, a fetch that as many wait for as may, or an MSHR. Never: it is not known yet.
func (s *cSlice) waits(k *packet, t Time) Time {
	if s.full() {
		return Never
	}
	if k.way == wayStore || k.way == wayStorePast {
		return t
	}
	id, bit := s.tags.find(k.sector>>(s.per&63)), uint(k.sector)&(1<<(s.per&63)-1)
	if id != noLine && s.tags.lines[id].readable(bit, k.mask) {
		if !s.tags.crowded(id, bit, s.merge) {
			return t
		}
		fetch, fill := s.tags.coming(id, bit, k.mask)
		if fetch != noFetch {
			return Never
		}
		return max(t, fill-ahead-s.rop)
	}
	if s.mshrs > 0 && s.unknown >= s.mshrs {
		return Never
	}
	return t
}

// ask has the block of a sector read, and the answer at hand wait for it.
func (s *cSlice) ask(id int32, sector uint64, bit uint, t Time) Time {
	if id == noLine {
		id = s.allocate(sector, t)
	}
	n := s.tags.block.sectors()
	f := s.fills.open(s.number)
	s.ctl.put(s, sector&^uint64(n-1), n, t, false, f)
	x := &s.fills.all[f]
	if x.counts = s.mshrs > 0; x.counts {
		s.unknown++
	}
	if id != noLine {
		x.line, x.bit = id, uint8(bit)
		s.tags.expect(id, bit, unknownFill+uint32(f))
	}
	s.waitsFor = f
	return Unknown
}

// wait has the answer at hand wait for a fetch that others wait for.
func (s *cSlice) wait(f, id int32, bit uint) Time {
	s.tags.merge(id, bit, 0)
	s.waitsFor = f
	return Unknown
}
