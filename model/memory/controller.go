package memory

import (
	"math/bits"
)

// controller schedules the requests of a channel cycle by cycle of the DRAM's clock: those
// to the open row of a bank first, then the oldest (FR-FCFS, `dram.in_turn`; MODEL.md,
// choice 9). Cycles in which nothing can happen are left out. All cycles are working ones,
// those without refreshes.
type controller struct {
	*channel
	net    *network
	index  int
	next   Time // the cycle in which it has something to do; Never: none
	all    []dramRequest
	free   int32
	room   int // requests of a slice that may wait
	slices []dramQueue
	turn   int       // the slice that gives a request next
	delay  dramQueue // requests in the constant latency
	inside int       // those from there to their last column command
	waits  int       // those that wait for their bank, among which it chooses

	banks   []dramBank
	groups  []bankGroup
	waiting uint64 // banks for which requests wait
	serving uint64 // banks with a request at hand
	first   int    // the bank that is asked first

	column, read, write, activate Time // from when on the channel takes such a command
	end                           Time // of the cycles before the next refresh
	toWrite, toRead               Time // from a column command that reads to one that writes, and the other way
	toPrecharge, toColumn         Time // from a write to the end of its row, and from an activation to a write

	known []filling // fetches of which it is known now when they come
	freed []int32   // slices that a request has left
}

// dramBank is a bank: who waits for it, which request it has at hand, and from when on it
// takes commands.
type dramBank struct {
	queue         dramQueue
	row           uint64 // the one that was opened last
	open          bool
	at            int32
	column, write Time // to read, and to write
	precharge     Time
	activate      Time
}

// bankGroup is from when on the banks of a group take a column command, and one that closes
// a row.
type bankGroup struct{ column, precharge Time }

// filling is a fetch and when it comes.
type filling struct {
	fetch int32
	t     Time
}

func newController(ch *channel, n *network, index int) *controller {
	d := ch.cfg
	burst := Time(ch.burst.n)
	c := &controller{
		channel: ch, net: n, index: index, next: Never, free: noRequest, room: n.m.cfg.L2.Queue,
		banks: make([]dramBank, d.Banks), groups: make([]bankGroup, d.BankGroups),
		toWrite: max(0, Time(d.TCL)+burst+2-Time(d.TWL)), toRead: Time(d.TWL) + burst + Time(d.TCDLR),
		toPrecharge: Time(d.TWL) + burst + Time(d.TWR), toColumn: max(0, Time(d.TRCD-d.TWL-1)),
	}
	for i := range c.banks {
		c.banks[i].row = noRow
	}
	_, c.end = ch.refresh.era(0)
	return c
}

// timeOf returns the SM cycle in which a cycle begins.
func (c *controller) timeOf(w Time) Time { return c.ratio.Back(c.refresh.begins(w)) }

// from returns the first cycle that begins in SM cycle t or later.
func (c *controller) from(t Time) Time {
	if t <= 0 {
		return 0
	}
	return c.refresh.worked(c.ratio.during(t-1) + 1)
}

// put has n sectors of a slice, from one on, read or written for a fetch, which the slice
// finds out at t: it is in the slice's queue to the channel a cycle later, and may leave
// that behind it.
func (c *controller) put(s *slice, sector uint64, n uint, t Time, write bool, fetch int32) {
	bank, row := c.mapping.locate(sector)
	r := dramRequest{row: row, t: t + 1, fetch: fetch, slice: s.number, bank: uint8(bank), n: uint8(n), left: uint8(n), write: write}
	if write {
		c.stats.WriteSectors += uint64(n)
	} else {
		c.stats.ReadSectors += uint64(n)
	}
	c.stats.Accesses += uint64(n)
	id := c.free
	if id == noRequest {
		id = int32(len(c.all))
		c.all = append(c.all, r)
	} else {
		c.free = c.all[id].next
		c.all[id] = r
	}
	q := &c.slices[s.inChannel]
	if q.push(c.all, id); q.n > 1 {
		return
	}
	if at := c.from(r.t + 1); at < c.next {
		c.next = at
		c.net.due(c)
	}
}

// run acts in all cycles up to SM cycle limit, and returns the SM cycle in which it acts
// next.
func (c *controller) run(limit Time) Time {
	for c.next < Never {
		t := c.timeOf(c.next)
		if t > limit {
			return t
		}
		w := c.next
		c.cycle(w, t)
		c.next = c.after(w)
	}
	return Never
}

// cycle acts in cycle w, SM cycle t, in the order of GPGPU-Sim's
// memory_partition_unit::dram_cycle.
func (c *controller) cycle(w, t Time) {
	if w >= c.end {
		_, c.end = c.refresh.era(w)
		for i := range c.banks {
			c.banks[i].open, c.banks[i].row = false, noRow
		}
	}
	c.choose()
	if c.serving != 0 {
		c.command(w)
	}
	if c.waits < c.cfg.Window && c.inside < c.cfg.Window+c.cfg.Return {
		c.leave(t)
	}
	if id := c.delay.head; c.delay.n > 0 && c.waits < c.cfg.Window && c.all[id].t <= t {
		r := &c.all[c.delay.pop(c.all)]
		r.t = t
		c.banks[r.bank].queue.push(c.all, id)
		c.waiting |= 1 << (r.bank & 63)
		c.waits++
	}
}

// leave has the first of the slices in turn that may give a request in SM cycle t.
func (c *controller) leave(t Time) {
	for i := range c.slices {
		s := (c.turn + i) % len(c.slices)
		q := &c.slices[s]
		if q.n == 0 || c.all[q.head].t >= t {
			continue
		}
		id := q.pop(c.all)
		r := &c.all[id]
		r.t = t + Time(c.cfg.Latency)
		c.freed = append(c.freed, r.slice)
		c.delay.push(c.all, id)
		c.inside++
		c.turn = s + 1
		return
	}
}

// choose gives one bank that has none a request (frfcfs_scheduler::schedule).
func (c *controller) choose() {
	idle := c.waiting &^ c.serving
	if idle == 0 {
		return
	}
	b := bits.TrailingZeros64(idle >> (uint(c.first) & 63) << (uint(c.first) & 63))
	if b == 64 {
		b = bits.TrailingZeros64(idle)
	}
	x := &c.banks[b]
	x.at = x.queue.choose(c.all, x.row)
	c.serving |= 1 << (b & 63)
	if x.queue.n == 0 {
		c.waiting &^= 1 << (b & 63)
	}
	c.waits--
	c.first = (c.first + 1) % len(c.banks)
}

// command gives the commands of cycle w. The banks are asked in turn, each for a column and
// then for its row; where both have a bus of their own, all of them for a column first
// (dram_t::cycle). Behind a bank that turns its row the next begins, also in this cycle.
func (c *controller) command(w Time) {
	n, row := len(c.banks), false
	if c.cfg.DualBus {
		for i := range n {
			if b := (c.first + i) & (n - 1); c.serving>>(b&63)&1 != 0 && c.columnAt(b) <= w {
				c.transfer(b, w)
				break
			}
		}
	}
	for i := range n {
		b := (c.first + i) & (n - 1)
		if c.serving>>(b&63)&1 == 0 {
			continue
		}
		if !c.cfg.DualBus && c.columnAt(b) <= w {
			c.transfer(b, w)
			return
		}
		if row || c.rowAt(b, w) > w {
			continue
		}
		row = true
		c.first = (b + 1) % n
		if c.turnRow(b, w); c.cfg.DualBus {
			return
		}
	}
}

// columnAt returns from when on a bank takes the column command of its request; Never: its
// row is not open.
func (c *controller) columnAt(b int) Time {
	x := &c.banks[b]
	r := &c.all[x.at]
	if !x.open || x.row != r.row {
		return Never
	}
	at := max(c.column, c.groups[b&(len(c.groups)-1)].column)
	if r.write {
		return max(at, c.write, x.write)
	}
	return max(at, c.read, x.column)
}

// rowAt returns from when on, w at the soonest, a bank takes the command by which another
// row is closed, or that of its request opened; Never: that is open. A row that could not be
// used before the next refresh is opened behind it.
func (c *controller) rowAt(b int, w Time) Time {
	x := &c.banks[b]
	if !x.open {
		at := max(w, c.activate, x.activate)
		if at+Time(c.cfg.TRCD) >= c.end {
			return max(at, c.end)
		}
		return at
	}
	if x.row == c.all[x.at].row {
		return Never
	}
	return max(x.precharge, c.groups[b&(len(c.groups)-1)].precharge)
}

// turnRow closes the row of a bank, or opens that of its request.
func (c *controller) turnRow(b int, w Time) {
	d, x := c.cfg, &c.banks[b]
	if x.open {
		x.open, x.activate = false, max(x.activate, w+Time(d.TRP))
		return
	}
	r := &c.all[x.at]
	x.open, x.row, r.opened = true, r.row, true
	x.column, x.write, x.precharge = w+Time(d.TRCD), w+c.toColumn, max(x.precharge, w+Time(d.TRAS))
	x.activate, c.activate = w+Time(d.TRC), w+Time(d.TRRD)
	if c.watcher != nil {
		c.watcher.Activated(c.told(b, w))
	}
}

// transfer gives a column command, and ends the request with the last.
func (c *controller) transfer(b int, w Time) {
	d, x, g := c.cfg, &c.banks[b], &c.groups[b&(len(c.groups)-1)]
	r := &c.all[x.at]
	delay := Time(d.TCL)
	c.column, g.column = w+max(Time(c.burst.n), Time(d.TCCD)), w+Time(d.TCCDL)
	if r.write {
		delay = Time(d.TWL)
		c.read, x.precharge = w+c.toRead, max(x.precharge, w+c.toPrecharge)
	} else {
		c.write, x.precharge, g.precharge = w+c.toWrite, max(x.precharge, w+Time(c.burst.n)), w+Time(d.TRTPL)
	}
	if c.watcher != nil {
		k := c.told(b, w)
		k.Data, k.Write = w+delay, r.write
		c.watcher.Column(k)
	}
	if r.left--; r.left > 0 {
		return
	}
	hits := uint64(r.n)
	if r.opened {
		hits--
	}
	c.stats.RowHits += hits
	c.stats.Hits += hits
	c.stats.Misses += uint64(r.n) - hits
	done := c.ratio.Back(c.refresh.ends(w + delay + 1))
	c.stats.BusyCycles += c.pending.add(r.t, done)
	if r.fetch != noFetch { // a slice has an answer in the cycle behind that of its fill
		c.known = append(c.known, filling{r.fetch, done + 1})
	}
	c.serving &^= 1 << (b & 63)
	c.inside--
	r.next, c.free = c.free, x.at
}

func (c *controller) told(b int, w Time) *Command {
	era, _ := c.refresh.era(w)
	return &Command{Channel: c.number, Bank: b, Row: c.banks[b].row, Refreshes: era, At: w}
}

// after returns the first cycle behind w in which there may be something to do.
func (c *controller) after(w Time) Time {
	if c.waiting&^c.serving != 0 {
		return w + 1
	}
	next := Never
	if c.serving != 0 {
		next = c.end // a refresh closes rows
	}
	for m := c.serving; m != 0; m &= m - 1 {
		b := bits.TrailingZeros64(m)
		next = min(next, c.columnAt(b), c.rowAt(b, w+1))
	}
	if c.waits < c.cfg.Window {
		if c.delay.n > 0 {
			next = min(next, c.from(c.all[c.delay.head].t))
		}
		if c.inside < c.cfg.Window+c.cfg.Return {
			for i := range c.slices {
				if q := &c.slices[i]; q.n > 0 {
					next = min(next, c.from(c.all[q.head].t+1))
				}
			}
		}
	}
	return max(next, w+1)
}

// alone is what a read takes of a unit of the machine's own, which waits for nothing.
func (c *controller) alone() Time {
	d := c.cfg
	return Time(d.Latency) + c.ratio.Back(Time(d.TRP+d.TRCD+d.TCL)+Time(c.burst.n))
}
