package dram

import (
	"gpureplay/model/hardware"
	"gpureplay/model/memory"
	"gpureplay/model/memory/hostmem"
	"gpureplay/model/memory/tags"
	"gpureplay/model/memory/timing"
)

// Channel schedules the requests of a channel.
type Channel struct {
	serving bankSets
	next    Time    // the cycle in which it has something to do; Never: none
	acts    Time    // none of the banks takes a command before, as they were in the last cycle
	end     Time    // of the cycles before the next refresh
	arrives Time    // from when on a slice's first request may leave; Never: there is none
	had     bankSet // banks that have had a request
	writeQueue
	credits
	first  int // the bank that is probed first
	last   int // the one with the highest number
	turn   int // the slice that gave a request last
	slices []sliceQueue
	delay  queue // requests in the constant latency
	requests
	banks [mostBanks]bank

	column, read, write, activate Time // from when on the channel takes such a command
	groups                        bankGroups

	times   *times
	of      *Channels
	mapping *tags.Mapping
	watcher memory.Watcher // nil: no watcher
	pending timing.Cover   // by some request
	index   int
	Stats   memory.Record
}

// sliceQueue has the requests of a slice.
type sliceQueue struct {
	queue
	slice int32
	own   bool // its own place is taken
}

func (c *Channel) init(all *Channels, d *hardware.DRAMConfig, m *tags.Mapping, pending timing.Cover, index int) {
	*c = Channel{
		mapping: m, pending: pending, of: all, times: all.times, index: index, next: Never, arrives: Never, turn: -1,
		delay: newQueue(), last: d.Banks - 1, writeQueue: newWriteQueue(d),
		groups: newBankGroups(d.Banks, d.BankGroups), credits: credits{shared: d.Window + d.WriteQueue + d.Return},
	}
	for i := range c.banks {
		c.banks[i].init()
	}
	_, c.end = c.times.refresh.Era(0)
}

// Connect gives the channel a slice, and returns the number of its queue.
func (c *Channel) Connect(slice int32) (queue int) {
	c.slices = append(c.slices, sliceQueue{queue: newQueue(), slice: slice})
	return len(c.slices) - 1
}

// Put queues a read or a write of n sectors of a slice, from one on, for a fetch. The slice finds out in SM cycle t.
// The request is in the slice's queue to the channel a cycle later, and may leave it behind that.
func (c *Channel) Put(queue int, sector uint64, n uint, t Time, write bool, fetch int32) {
	bank, row := c.mapping.Locate(sector)
	if write {
		c.Stats.WriteSectors += uint64(n)
	} else {
		c.Stats.ReadSectors += uint64(n)
	}
	c.Stats.Accesses += uint64(n)
	at := c.times.fromPut(t + 2)
	r := c.open()
	r.row, r.t, r.fetch, r.bank, r.n, r.write = row, at, fetch, uint8(bank), uint8(n), write
	q := &c.slices[queue]
	if q.push(r); q.n > 1 {
		return
	}
	c.arrives = min(c.arrives, at)
	if at < c.next {
		c.next = at
		c.of.wakes(c)
	}
}

// bring prefetches the request that may come to its bank next, and the bank that may get one. A channel that acts
// again is far from the host's caches.
func (c *Channel) bring() {
	if idle := c.idle(); idle != 0 {
		b, _ := c.asked(idle)
		x := &c.banks[b&(mostBanks-1)]
		hostmem.Prefetch(x)
		hostmem.Prefetch(x.queues[c.mode&1].first)
	}
	if c.delay.n > 0 {
		hostmem.Prefetch(c.delay.head)
	}
}

// run acts in all cycles before a limit, and returns the next one.
func (c *Channel) run(limit Time) Time {
	for c.next < limit {
		c.next = c.cycle(c.next)
	}
	return c.next
}

// cycle acts in cycle w, in the order of GPGPU-Sim's memory_partition_unit::dram_cycle. It returns the first cycle
// behind w in which there may be something to do.
func (c *Channel) cycle(w Time) (next Time) {
	if w >= c.end {
		_, c.end = c.times.refresh.Era(w)
		c.closeRows(w)
	}
	if c.separate {
		c.switchMode()
	}
	if idle := c.idle(); idle != 0 {
		c.choose(idle, w)
		c.acts = w
	}
	if c.acts <= w {
		c.command(w)
	}
	if min(c.arrives, c.delay.at) <= w && (c.separate || c.waits[reads] < c.room[reads]) {
		now := c.times.timeOf(w)
		if c.arrives <= w {
			c.leave(w, now)
		}
		if c.delay.at <= w {
			c.enter(now)
		}
	}
	if c.idle() != 0 || c.separate && c.switches() {
		return w + 1
	}
	if next = min(c.arrives, c.delay.at); c.separate || c.shared == 0 || c.waits[reads] >= c.room[reads] {
		next = c.moves()
	}
	if next <= w+1 {
		return w + 1
	}
	if c.acts <= w {
		if c.acts = Never; c.serving.all != 0 {
			c.acts = max(w+1, c.soonest(w))
		}
	}
	return min(next, c.acts)
}

// leave has the first of the slices in turn that may give a request in cycle w, in SM cycle now.
func (c *Channel) leave(w, now Time) {
	c.free(w)
	s := c.turn
	for range c.slices {
		if s++; s >= len(c.slices) {
			s = 0
		}
		q := &c.slices[s]
		if q.at > w || !c.hasPlace(q) {
			continue
		}
		if c.full(q.head) {
			return
		}
		c.takePlace(q)
		r := q.pop()
		r.slice = uint16(s)
		c.of.Left = append(c.of.Left, q.slice)
		if r.t = c.times.comes; now != c.times.now {
			r.t = c.times.from(now + c.times.latency)
		}
		c.delay.push(r)
		c.turn = s
		next := q.at
		for i := range c.slices {
			next = min(next, c.slices[i].at)
		}
		c.arrives = next
		return
	}
}

// enter brings the first request that has had the constant latency to its bank, if there is room.
func (c *Channel) enter(now Time) {
	r := c.delay.head
	mode := c.modeOf(r)
	if c.waits[mode] >= c.room[mode] {
		return
	}
	c.delay.pop()
	r.t = now
	c.banks[r.bank&(mostBanks-1)].queues[mode].push(r)
	c.waiting[mode].add(int(r.bank))
	c.waits[mode]++
}

// moves is when a request may leave its slice or the constant latency, if there is a place for it and room behind.
func (c *Channel) moves() Time {
	next := Never
	if c.delay.n > 0 && !c.full(c.delay.head) {
		next = c.delay.at
	}
	for i := range c.slices {
		if q := &c.slices[i]; q.n > 0 && !c.full(q.head) {
			next = min(next, c.leaves(q))
		}
	}
	return next
}

// Alone returns the SM cycles of a request without waiting, such as a unit's own.
func (c *Channel) Alone() Time {
	d := c.times
	return d.latency + d.ratio.Back(Time(d.TRP+d.TRCD+d.TCL)+Time(d.columns[1]-1)*d.gap+d.burst)
}
