package memory

import "math/bits"

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

// bankGroups is from when on the banks of each group take a column command, and one that
// closes a row.
type bankGroups struct {
	last              int // the last group: a bank's is its number's lowest bits
	column, precharge [64]Time
}

// bankSet has a bit for each bank.
type bankSet uint64

func (s *bankSet) add(b int)    { *s |= 1 << (b & 63) }
func (s *bankSet) remove(b int) { *s &^= 1 << (b & 63) }

// bankSets are the banks with a request at hand, by the command that they need next.
type bankSets struct {
	all           bankSet
	reads, writes bankSet  // a column command
	closed        bankSet  // one that opens a row
	wrong         bankSet  // one that closes another row
	from          [64]Time // when each takes it, for all that it knows
}

// sort puts a bank into the set of the command that it needs next.
func (c *controller) sort(b int) {
	s, x := &c.serving, &c.banks[b]
	s.reads.remove(b)
	s.writes.remove(b)
	s.closed.remove(b)
	s.wrong.remove(b)
	if s.all>>(b&63)&1 == 0 {
		return
	}
	switch r := &c.all[x.at]; {
	case !x.open:
		s.closed.add(b)
		s.from[b&63] = x.activate
	case x.row != r.row:
		s.wrong.add(b)
		s.from[b&63] = x.precharge
	case r.write:
		s.writes.add(b)
		s.from[b&63] = x.write
	default:
		s.reads.add(b)
		s.from[b&63] = x.column
	}
}

// closeRows closes those of all banks: a refresh does.
func (c *controller) closeRows() {
	for b := range c.banks {
		c.banks[b].open, c.banks[b].row = false, noRow
		c.sort(b)
	}
}

// turns has bit i for the bank that is asked as number i.
func (c *controller) turns(s bankSet) uint64 {
	n := len(c.banks)
	return uint64(s>>(c.first&63)|s<<((n-c.first)&127)) & (1<<(n&127) - 1)
}

// bank returns the one that is asked as number i.
func (c *controller) bank(i int) int { return (c.first + i) & (len(c.banks) - 1) }

// choose gives one bank that has none a request (frfcfs_scheduler::schedule).
func (c *controller) choose() {
	idle := c.waiting &^ c.serving.all
	if idle == 0 {
		return
	}
	b := c.bank(bits.TrailingZeros64(c.turns(idle)))
	x := &c.banks[b]
	x.at = x.queue.choose(c.all, x.row)
	c.serving.all.add(b)
	c.sort(b)
	if x.queue.n == 0 {
		c.waiting.remove(b)
	}
	c.waits--
	c.first = c.bank(1)
}

// command gives the commands of cycle w. The banks are asked in turn, each for a column and
// then for its row; where both have a bus of their own, all of them for a column first
// (dram_t::cycle). Behind a bank that turns its row the next begins, also in this cycle.
func (c *controller) command(w Time) {
	columns := c.turns(c.columns(w))
	if c.cfg.DualBus {
		if columns != 0 {
			c.transfer(c.bank(bits.TrailingZeros64(columns)), w)
		}
		columns = 0
	}
	rows := c.turns(c.rows(w))
	if i := bits.TrailingZeros64(rows); i < bits.TrailingZeros64(columns) {
		b := c.bank(i)
		c.turnRow(b, w)
		if c.first = (b + 1) & (len(c.banks) - 1); c.cfg.DualBus {
			return
		}
		columns = c.turns(c.columns(w)) &^ (1<<((i+1)&127) - 1) // those that are still asked
	}
	if columns != 0 {
		c.transfer(c.bank(bits.TrailingZeros64(columns)), w)
	}
}

// columns returns the banks that take the column command of their request in cycle w.
func (c *controller) columns(w Time) (s bankSet) {
	if c.column > w {
		return 0
	}
	if c.read <= w {
		s = c.serving.reads
	}
	if c.write <= w {
		s |= c.serving.writes
	}
	return c.take(s, &c.groups.column, w)
}

// rows returns those that close another row, or open that of their request. A row that
// could not be used before the next refresh is opened behind it.
func (c *controller) rows(w Time) (s bankSet) {
	if c.activate <= w && w+Time(c.cfg.TRCD) < c.end {
		s = c.take(c.serving.closed, &noGroups, w)
	}
	return s | c.take(c.serving.wrong, &c.groups.precharge, w)
}

// take returns those of some banks that take their command in cycle w, for all that they
// and their groups know.
func (c *controller) take(s bankSet, groups *[64]Time, w Time) bankSet {
	for m := s; m != 0; m &= m - 1 {
		b := bits.TrailingZeros64(uint64(m))
		if c.serving.from[b&63] > w || groups[b&c.groups.last&63] > w {
			s.remove(b)
		}
	}
	return s
}

// noGroups is for commands that do not ask a bank's group.
var noGroups [64]Time

// soonest returns the first cycle, w at the soonest, in which a bank with a request may
// take its command.
func (c *controller) soonest(w Time) Time {
	s := &c.serving
	next := c.end // a refresh closes rows
	if s.closed != 0 {
		at := max(w, c.activate, c.least(s.closed, &noGroups, w))
		if at+Time(c.cfg.TRCD) >= c.end {
			at = max(at, c.end)
		}
		next = min(next, at)
	}
	if s.wrong != 0 && next > w {
		next = min(next, c.least(s.wrong, &c.groups.precharge, w))
	}
	if at := max(w, c.column, c.read); s.reads != 0 && next > at {
		next = min(next, max(at, c.least(s.reads, &c.groups.column, at)))
	}
	if at := max(w, c.column, c.write); s.writes != 0 && next > at {
		next = min(next, max(at, c.least(s.writes, &c.groups.column, at)))
	}
	return next
}

// least returns the first cycle in which one of some banks takes its command, for all that
// they and their groups know; w or sooner: at once.
func (c *controller) least(s bankSet, groups *[64]Time, w Time) Time {
	at := Never
	for m := s; m != 0 && at > w; m &= m - 1 {
		b := bits.TrailingZeros64(uint64(m))
		at = min(at, max(c.serving.from[b&63], groups[b&c.groups.last&63]))
	}
	return at
}

// turnRow closes the row of a bank, or opens that of its request.
func (c *controller) turnRow(b int, w Time) {
	d, x := c.cfg, &c.banks[b]
	if x.open {
		x.open, x.activate = false, max(x.activate, w+Time(d.TRP))
		c.sort(b)
		return
	}
	r := &c.all[x.at]
	x.open, x.row, r.opened = true, r.row, true
	x.column, x.write, x.precharge = w+Time(d.TRCD), w+c.toColumn, max(x.precharge, w+Time(d.TRAS))
	x.activate, c.activate = w+Time(d.TRC), w+Time(d.TRRD)
	c.sort(b)
	if c.watcher != nil {
		c.watcher.Activated(c.told(b, w))
	}
}

// transfer gives a column command, and ends the request with the last.
func (c *controller) transfer(b int, w Time) {
	d, x, g := c.cfg, &c.banks[b], b&c.groups.last&63
	r := &c.all[x.at]
	delay := Time(d.TCL)
	c.column, c.groups.column[g] = w+max(Time(c.burst.n), Time(d.TCCD)), w+Time(d.TCCDL)
	if r.write {
		delay = Time(d.TWL)
		c.read, x.precharge = w+c.toRead, max(x.precharge, w+c.toPrecharge)
	} else {
		c.write, x.precharge, c.groups.precharge[g] = w+c.toWrite, max(x.precharge, w+Time(c.burst.n)), w+Time(d.TRTPL)
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
	c.serving.all.remove(b)
	c.sort(b)
	c.inside--
	r.next, c.free = c.free, x.at
}

func (c *controller) told(b int, w Time) *Command {
	era, _ := c.refresh.era(w)
	return &Command{Channel: c.number, Bank: b, Row: c.banks[b].row, Refreshes: era, At: w}
}
