package cycle

import (
	"math/bits"

	"gpureplay/model/memory"
	"gpureplay/model/memory/coalesce"
	"gpureplay/model/memory/dram"
	"gpureplay/model/memory/tags"
	"gpureplay/model/memory/timing"
	"gpureplay/model/memory/unit"
)

// slice is one slice of the L2, with a limit on misses and on requests that merge into one.
type slice struct {
	// Fields of each request lie together.
	tags.L2
	channel       *dram.Channel
	fills         *l2Misses
	blocked       Time  // the slice takes nothing before this
	asked         int32 // requests that it has given to its channel and that wait there before all others
	room          int32 // most of them
	most          int32 // of its replies at the crossbar
	pendingMisses int   // pending misses
	mshrs         int
	merge         int
	waitsFor      int32 // the fetch that the reply at hand waits for
	number        int32
	waited        bool // the last request waited for a fill, and is a hit
	blockedFirst  bool // it does not take its first request
	again         Time // when it looks at it again, where a reply that is known may make room
	own           bool // the request at hand is of a unit of the machine, and waits for nothing

	drives  uint                // sectors that the request at hand has driven out
	in      timing.Reservations // requests that the slice takes
	pending timing.FillTimes
	icnt    timing.Ratio        // of the crossbar's cycles and the SMs'
	port    timing.Reservations // of the crossbar: requests
	out     timing.Reservations // replies

	queue   int // its requests to the channel
	input   sliceQueue
	replies replies
}

// ahead is how long before the reply of its fill a sector is there for others.
const ahead = 1

func (s *slice) init(m *System, number int) {
	c, t := m.Cfg, &m.Tables
	icnt, l2 := m.xbar.icnt, timing.NewRatio(c.Clock.L2MHz, c.Clock.CoreMHz)
	s.port, s.in, s.out = timing.NewReservations(t, icnt), timing.NewReservations(t, l2), timing.NewReservations(t, icnt)
	s.L2 = tags.NewL2(t, c, m.Mapping)
	s.mshrs, s.merge = c.L2.MSHRs, c.L2.Merge
	s.channel, s.fills = m.dram.Channel(unit.ChannelOf(c, number)), &m.xbar.fills
	s.number, s.room, s.most = int32(number), int32(c.L2.Queue), m.xbar.most
	s.queue = s.channel.Connect(s.number)
	s.input = sliceQueue{asking: make([]uint64, (c.SM.Count+63)/64), admission: newAdmission(m.xbar)}
	none := replyQueue{soon: Never}
	s.icnt, s.replies = icnt, replies{hits: none, fills: none, due: Never}
}

// find returns the line of a sector, or NoLine, and the sector's number there.
func (s *slice) find(sector uint64) (line int32, bit uint) {
	return s.Tags.Find(sector >> (s.Per & 63)), uint(sector) & (1<<(s.Per&63) - 1)
}

// read returns when the slice has the sectors of mask, from one on, that are requested at t and that a line has, or no
// line; Unknown: the reply waits for a fetch.
func (s *slice) read(id int32, bit uint, sector uint64, mask uint8, t Time) Time {
	n := s.CountRead(mask)
	if id != tags.NoLine {
		s.Tags.Touch(id)
	}
	if id != tags.NoLine && s.Tags.Lines[id].Readable(bit, mask) {
		s.Stats.Hits += n
		return s.hit(id, bit, mask, t)
	}
	s.Stats.Misses += n
	if !s.own {
		return s.ask(id, sector, bit, t)
	}
	if s.mshrs > 0 {
		t = s.admit(t)
	}
	return s.fetchAlone(id, sector, bit, t) + 1
}

// hit answers from sectors that are present or on their way.
func (s *slice) hit(id int32, bit uint, mask uint8, t Time) Time {
	if f := s.Tags.PendingMiss(id, bit, mask); f >= 0 {
		if s.own {
			return t + s.channel.Alone() + 1
		}
		return s.wait(f, id, bit)
	}
	fill := s.Tags.Filled(id, bit, mask)
	if fill-ahead <= t {
		return t + 1
	}
	if !s.Tags.Merge(id, bit, s.merge) { // it waits at the head of the slice
		s.blocked, s.waited = max(s.blocked, fill), true
		return fill - ahead + 1
	}
	return fill + 1
}

// fetchAlone reads the block of a sector for a unit of the machine, and returns when it is filled.
func (s *slice) fetchAlone(id int32, sector uint64, bit uint, t Time) Time {
	n := s.Tags.Block.Sectors()
	s.channel.Stats.ReadSectors += uint64(n)
	s.channel.Stats.Accesses += uint64(n)
	fill := t + s.channel.Alone()
	if s.mshrs > 0 {
		s.pending.Push(fill)
	}
	if id == tags.NoLine {
		if id = s.allocate(sector, t); id == tags.NoLine {
			return fill
		}
	}
	s.Tags.Fill(id, bit, fill, 1)
	return fill
}

// admit returns when a miss of a unit of the machine has an MSHR; until then the slice takes nothing. Such misses and
// packets' do not share MSHRs: nothing tells yet how many packets will have at that time.
func (s *slice) admit(t Time) Time {
	free := s.pending.Admit(t, s.mshrs)
	if free > t {
		s.blocked = max(s.blocked, free)
	}
	return free
}

// write takes the bytes of a request and returns when it is done; Unknown: when DRAM has them.
func (s *slice) write(id int32, bit uint, r *coalesce.Request, t Time) Time {
	s.CountWrite(r.Mask)
	switch {
	case id != tags.NoLine:
		s.Tags.Touch(id)
	case !s.Evicts:
		id = s.allocate(r.Sector, t)
	}
	if s.Evicts || id == tags.NoLine {
		s.PassBy(r, id, bit, t)
		return s.writeThrough(r, t)
	}
	s.Store(id, bit, r, t)
	s.Tags.Overwrite(id, bit, r, t)
	return t + 1
}

// writeThrough sends the bytes of a request on to DRAM.
func (s *slice) writeThrough(r *coalesce.Request, t Time) Time {
	first, carries := coalesce.Carried(r.Mask)
	if s.own {
		s.put(r.Sector+uint64(first), carries, t, true, noFetch)
		return t + s.channel.Alone()
	}
	s.waitsFor = s.fills.open(s.number)
	s.put(r.Sector+uint64(first), carries, t, true, s.waitsFor)
	return memory.Unknown
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
func (s *slice) atomic(id int32, bit uint, r *coalesce.Request, t Time) Time {
	done := s.read(id, bit, r.Sector, r.Mask, t)
	if id, bit := s.Lookup(r.Sector); id != tags.NoLine {
		s.Dirty(&s.Tags.Lines[id], bit, r.Mask)
	}
	return done
}

// allocate makes room for a line and writes back the victim, as one request; noLine if every line of the set is on
// its way.
func (s *slice) allocate(sector uint64, t Time) int32 {
	id, was, dirty := s.Tags.Insert(sector>>(s.Per&63), t)
	if dirty == 0 {
		return id
	}
	b, line, lowest := s.Tags.Block, was<<(s.Per&63), uint(bits.TrailingZeros8(dirty))
	for s.drives = 0; dirty != 0; s.drives += b.Sectors() {
		dirty &^= b.Whole() << (b.First(uint(bits.TrailingZeros8(dirty))) & 7)
	}
	s.put(line+uint64(b.First(lowest)), s.drives, t, true, noFetch)
	return id
}

// stop has the slice wait with its first request until it has room.
func (s *slice) stop() {
	if !s.blockedFirst {
		s.Stats.Stops++
	}
	s.blockedFirst = true
}

// put queues a read or a write of n sectors, from one on, for a fetch, which the slice finds out at t.
func (s *slice) put(sector uint64, n uint, t Time, write bool, fetch int32) {
	s.asked++
	s.channel.Put(s.queue, sector, n, t, write, fetch)
}

// full reports whether the channel has no room for a slice's request.
func (s *slice) full() bool { return s.asked >= s.room }

// waits returns until when a request other than a store waits at its slice, no earlier than t: for a fetch at its limit
// of merged requests, or for an MSHR, which the reply of a fill may free at a time. Never: it is not known yet.
func (s *slice) waits(k *packet, id int32, bit uint, frees, t Time) Time {
	if id != tags.NoLine && s.Tags.Lines[id].Readable(bit, k.mask) {
		if !s.Tags.Crowded(id, bit, s.merge) {
			return t
		}
		fetch, fill := s.Tags.PendingOrFill(id, bit, k.mask)
		if fetch != noFetch {
			return Never
		}
		return max(t, fill-ahead)
	}
	if s.mshrs > 0 && s.pendingMisses >= s.mshrs {
		return frees
	}
	return t
}

// ask has the block of a sector read, and the answer at hand wait for it.
func (s *slice) ask(id int32, sector uint64, bit uint, t Time) Time {
	if id == tags.NoLine {
		id = s.allocate(sector, t)
	}
	n := s.Tags.Block.Sectors()
	f := s.fills.open(s.number)
	s.put(sector&^uint64(n-1), n, t, false, f)
	x := &s.fills.all[f]
	if x.counts = s.mshrs > 0; x.counts {
		s.pendingMisses++
	}
	if id != tags.NoLine {
		x.line, x.bit = id, uint8(bit)
		s.Tags.SetPending(id, bit, tags.UnknownFill+uint32(f))
	}
	s.waitsFor = f
	return memory.Unknown
}

// wait has the answer at hand wait for a fetch that others wait for.
func (s *slice) wait(f, id int32, bit uint) Time {
	s.Tags.Merge(id, bit, 0)
	s.waitsFor = f
	return memory.Unknown
}
