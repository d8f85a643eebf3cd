package cycle

import (
	"gpureplay/model/hardware"
	"gpureplay/model/memory"
	"gpureplay/model/memory/hostmem"
	"gpureplay/model/memory/tags"
	"gpureplay/model/memory/timing"
)

// channel schedules the requests of a channel cycle by cycle of the DRAM's clock: those
// to the open row of a bank first, then the oldest (FR-FCFS; docs/model,
// choice 9). Cycles in which nothing can happen are left out. All cycles are working ones,
// those without refreshes.
type channel struct {
	serving bankSets

	// Fields of each cycle lie together.
	next Time    // the cycle in which it has something to do; Never: none
	end  Time    // of the cycles before the next refresh
	had  bankSet // banks that have had a request
	writeQueue
	inside int // those from the constant latency to their last column command
	most   int // of them
	first  int // the bank that is probed first
	last   int // the one with the highest number
	turn   int // the slice that gave a request last
	slices []dramQueue
	delay  dramQueue // requests in the constant latency
	banks  [mostDRAMBanks]dramBank
	queues bankQueues

	column, read, write, activate Time // from when on the channel takes such a command
	groups                        bankGroups

	times   *dramTimes
	net     *crossbar
	mapping *tags.Mapping
	watcher memory.Watcher // nil: no watcher
	stats   memory.Record
	pending timing.Cover // by some request
	index   int
}

// dramTimes are the clock and the numbers of all channels, in one place: each that acts
// needs them, one after another.
type dramTimes struct {
	*hardware.DRAMConfig
	burst, gap      Time // of a column command's data on the bus; between column commands
	toWrite, toRead Time // from a column command that reads to one that writes, and the other way
	toPrecharge     Time // from a write to the end of its row
	open, openWrite Time // from an activation to a column command that reads, and to one that writes

	ratio   timing.Ratio
	refresh timing.Refresh
	lead    Time // SM cycles that the clock began before the SMs' cycle 0
}

func newDRAMTimes(c *hardware.Config) *dramTimes {
	d := &c.DRAM
	perCycle := max(1, d.BusBytes*max(1, d.DataRate))
	burst := Time((d.BurstBytes + perCycle - 1) / perCycle)
	return &dramTimes{
		DRAMConfig: d, burst: burst, gap: max(burst, Time(d.TCCD)),
		toWrite: max(0, Time(d.TCL)+burst+2-Time(d.TWL)), toRead: Time(d.TWL) + burst + Time(d.TCDLR),
		toPrecharge: Time(d.TWL) + burst + Time(d.TWR), open: Time(d.TRCD), openWrite: max(0, Time(d.TRCD-d.TWL-1)),
		ratio: timing.NewRatio(c.Clock.DRAMMHz, c.Clock.CoreMHz), refresh: timing.NewRefresh(d), lead: Time(d.Lead),
	}
}

func (c *channel) init(m *System, times *dramTimes, index int) {
	d := &m.Cfg.DRAM
	*c = channel{
		mapping: m.Mapping, pending: timing.NewCover(&m.Tables), net: m.xbar, times: times,
		index: index, next: Never, turn: -1, delay: newDRAMQueue(-1),
		queues: newBankQueues(d.Window + d.WriteQueue), last: d.Banks - 1, writeQueue: newWriteQueue(d),
		groups: newBankGroups(d.Banks, d.BankGroups), most: d.Window + d.WriteQueue + d.Return,
	}
	for i := range c.banks {
		c.banks[i].init()
	}
	_, c.end = times.refresh.Era(0)
}

// commands returns the column commands of n sectors.
func (d *dramTimes) commands(n uint8) uint8 {
	return uint8((int(n)<<hardware.SectorShift + d.BurstBytes - 1) / d.BurstBytes)
}

// timeOf returns the SM cycle in which a cycle begins.
func (d *dramTimes) timeOf(w Time) Time { return d.ratio.Back(d.refresh.Begins(w)) - d.lead }

// from returns the first cycle that begins in SM cycle t or later.
func (d *dramTimes) from(t Time) Time {
	if t += d.lead; t <= 0 {
		return 0
	}
	return d.refresh.Worked(d.ratio.During(t-1) + 1)
}

// over returns the SM cycle in which w cycles, 1 or more, are over.
func (d *dramTimes) over(w Time) Time { return d.ratio.Back(d.refresh.Ends(w)) - d.lead }

// put queues a read or a write of n sectors of a slice, from one on, for a fetch. The slice finds out at t. The request
// is in the slice's queue to the channel a cycle later, and may leave it behind that.
func (c *channel) put(s *slice, sector uint64, n uint, t Time, write bool, fetch int32) {
	bank, row := c.mapping.Locate(sector)
	if write {
		c.stats.WriteSectors += uint64(n)
	} else {
		c.stats.ReadSectors += uint64(n)
	}
	c.stats.Accesses += uint64(n)
	s.asked++
	q := &c.slices[s.inChannel]
	at := c.times.from(t + 2)
	*q.push() = dramRequest{row: row, t: at, fetch: fetch, bank: uint8(bank), n: uint8(n), write: write}
	if q.n == 1 && at < c.next {
		c.next = at
		c.net.due(c)
	}
}

// bringNext prefetches the request that may come to its bank next, and the bank that may get one. A channel that acts
// again is far from the host's caches.
func (c *channel) bringNext() {
	if idle := c.idle(); idle != 0 {
		b, _ := c.asked(idle)
		hostmem.Prefetch(&c.banks[b&(mostDRAMBanks-1)])
	}
	if c.delay.n > 0 {
		hostmem.Prefetch(c.delay.first())
	}
}

// run acts in all cycles before a limit.
func (c *channel) run(limit Time) {
	for c.next < limit {
		w := c.next
		c.cycle(w)
		c.next = c.after(w)
	}
}

// cycle acts in cycle w, in the order of GPGPU-Sim's memory_partition_unit::dram_cycle.
func (c *channel) cycle(w Time) {
	if w >= c.end {
		_, c.end = c.times.refresh.Era(w)
		c.closeRows()
	}
	if c.separate {
		c.switchMode()
	}
	if idle := c.idle(); idle != 0 {
		c.choose(idle)
	}
	if c.serving.all != 0 {
		c.command(w)
	}
	if !c.separate && c.waits[reads] >= c.room[reads] {
		return
	}
	if c.inside < c.most {
		c.leave(w)
	}
	if c.delay.n == 0 {
		return
	}
	r := c.delay.first()
	if r.t > w {
		return
	}
	mode := c.modeOf(r)
	if c.waits[mode] >= c.room[mode] {
		return
	}
	k := c.queues.push(&c.banks[r.bank&(mostDRAMBanks-1)].queues[mode])
	*k = *r
	k.t = c.times.timeOf(w)
	c.waiting[mode].add(int(r.bank))
	c.waits[mode]++
	c.delay.drop()
}

// leave has the first of the slices in turn that may give a request in cycle w.
func (c *channel) leave(w Time) {
	s := c.turn
	for range c.slices {
		if s++; s >= len(c.slices) {
			s = 0
		}
		q := &c.slices[s]
		if q.n == 0 {
			continue
		}
		first := q.first()
		if first.t > w {
			continue
		}
		if c.full(first) {
			return
		}
		c.net.freed = append(c.net.freed, q.slice)
		r := c.delay.push()
		*r = *first
		r.t = c.times.from(c.times.timeOf(w) + Time(c.times.Latency))
		q.drop()
		c.inside++
		c.turn = s
		return
	}
}

// after returns the first cycle behind w in which there may be something to do.
func (c *channel) after(w Time) Time {
	if c.idle() != 0 || c.separate && c.switches() {
		return w + 1
	}
	next := Never
	if c.delay.n > 0 {
		if r := c.delay.first(); !c.full(r) {
			next = r.t
		}
	}
	if c.inside < c.most {
		for i := range c.slices {
			q := &c.slices[i]
			if q.n == 0 {
				continue
			}
			if r := q.first(); !c.full(r) {
				next = min(next, r.t)
			}
		}
	}
	if c.serving.all != 0 && next > w+1 {
		next = min(next, c.soonest(w))
	}
	return max(next, w+1)
}

// alone returns the time of a request without waiting, such as a unit's own.
func (c *channel) alone() Time {
	d := c.times
	return Time(d.Latency) + d.ratio.Back(Time(d.TRP+d.TRCD+d.TCL)+Time(d.commands(1)-1)*d.gap+d.burst)
}
