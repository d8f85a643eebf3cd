package memory

import "math/bits"

// dramBank is a bank: who waits for it, which request it has at hand, and from when on it
// takes commands.
type dramBank struct {
	queue         bankQueue
	row           uint64 // the open one; noRow: none
	at            int32
	need          uint8 // the command that it needs next
	column, write Time  // to read, and to write
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

// The commands that a bank with a request at hand may need next.
const (
	toRead  = iota // a column command
	toWrite        // one that writes
	toOpen         // the row
	toClose        // another row
	commands
)

// bankSets are the banks with a request at hand.
type bankSets struct {
	all  bankSet
	need [commands]bankSet // by the command that they need next
	from [64]Time          // when each takes it, for all that it and its group know; or sooner
	soon [commands]Time    // none of a set takes its command before
}

// sort puts a bank into the set of the command that it needs next.
func (c *controller) sort(b int) {
	s, x, g := &c.serving, &c.banks[b], b&c.groups.last&63
	s.need[x.need&3].remove(b)
	if s.all>>(b&63)&1 == 0 {
		return
	}
	need, from := uint8(toRead), max(x.column, c.groups.column[g])
	switch r := &c.all[x.at]; {
	case x.row == noRow:
		need, from = toOpen, x.activate
	case x.row != r.row:
		need, from = toClose, max(x.precharge, c.groups.precharge[g])
	case r.write:
		need, from = toWrite, max(x.write, c.groups.column[g])
	}
	x.need = need
	s.need[need&3].add(b)
	s.from[b&63] = from
	s.soon[need&3] = min(s.soon[need&3], from)
}

// closeRows closes those of all banks: a refresh does.
func (c *controller) closeRows() {
	for b := range c.banks {
		c.banks[b].row = noRow
		c.sort(b)
	}
}

// turns has bit i for the bank that is asked as number i.
func (c *controller) turns(s bankSet) uint64 {
	return uint64(s>>(c.first&63)|s<<((c.last+1-c.first)&63)) & (2<<(c.last&63) - 1)
}

// bank returns the one that is asked as number i.
func (c *controller) bank(i int) int { return (c.first + i) & c.last }

// choose gives one bank that has none a request (frfcfs_scheduler::schedule).
func (c *controller) choose() {
	idle := c.waiting &^ c.serving.all
	if idle == 0 {
		return
	}
	b := c.bank(bits.TrailingZeros64(c.turns(idle)))
	x := &c.banks[b]
	x.at = x.queue.choose(x.row)
	if f := c.all[x.at].fetch; f != noFetch {
		bring(&c.net.fills.all[f])
	}
	c.serving.all.add(b)
	c.sort(b)
	if len(x.queue) == 0 {
		c.waiting.remove(b)
	}
	c.waits--
	c.first = c.bank(1)
}

// command gives the commands of cycle w. The banks are asked in turn, each for a column and
// then for its row; where both have a bus of their own, all of them for a column first
// (dram_t::cycle). Behind a bank that turns its row the next begins, also in this cycle.
func (c *controller) command(w Time) {
	able := c.columns(w)
	columns := c.turns(able)
	if c.cfg.DualBus && columns != 0 {
		able.remove(c.transfer(columns, w))
		columns = 0
	}
	rows := c.rows(w)
	turns := c.turns(rows)
	if i := bits.TrailingZeros64(turns); i < bits.TrailingZeros64(columns) {
		b := c.bank(i)
		rows.remove(b)
		c.turnRow(b, w)
		c.first = (b + 1) & c.last
		if !c.cfg.DualBus {
			able |= c.columns(w)
			columns = c.turns(able) &^ (2<<(i&63) - 1) // those that are still asked
		}
	}
	if columns != 0 {
		able.remove(c.transfer(columns, w))
	}
	if able |= rows; able != 0 {
		c.putOff(able, w)
	}
}

// columns returns the banks that take the column command of their request in cycle w.
func (c *controller) columns(w Time) (s bankSet) {
	if c.column > w {
		return 0
	}
	if c.read <= w && c.serving.soon[toRead] <= w {
		s = c.able(toRead, &c.groups.column, w)
	}
	if c.write <= w && c.serving.soon[toWrite] <= w {
		s |= c.able(toWrite, &c.groups.column, w)
	}
	return s
}

// rows returns those that close another row, or open that of their request. A row that
// could not be used before the next refresh is opened behind it.
func (c *controller) rows(w Time) (s bankSet) {
	if c.serving.soon[toOpen] <= w && c.activate <= w && w+Time(c.cfg.TRCD) < c.end {
		s = c.able(toOpen, &noGroups, w)
	}
	if c.serving.soon[toClose] <= w {
		s |= c.able(toClose, &c.groups.precharge, w)
	}
	return s
}

// noGroups is for a command that does not ask a bank's group.
var noGroups [64]Time

// able returns the banks of a set that take their command in cycle w, for all that they
// and their groups know. For those that do not get it the set is told ([controller.putOff]).
func (c *controller) able(need int, groups *[64]Time, w Time) (s bankSet) {
	soon := Never
	for m := c.serving.need[need]; m != 0; m &= m - 1 {
		b := bits.TrailingZeros64(uint64(m))
		if at := max(c.serving.from[b&63], groups[b&c.groups.last&63]); at > w {
			soon = min(soon, at)
		} else {
			s |= m & -m
		}
	}
	c.serving.soon[need] = soon
	return s
}

// putOff has the sets of banks that got no command in cycle w know that they may take it.
func (c *controller) putOff(s bankSet, w Time) {
	for i, m := range c.serving.need {
		if m&s != 0 {
			c.serving.soon[i] = w
		}
	}
}

// soonest returns a cycle before which no bank with a request takes a command.
func (c *controller) soonest() Time {
	soon := &c.serving.soon
	open := max(c.activate, soon[toOpen])
	if open+Time(c.cfg.TRCD) >= c.end {
		open = max(open, c.end)
	}
	column := min(max(c.read, soon[toRead]), max(c.write, soon[toWrite]))
	return min(c.end, open, soon[toClose], max(c.column, column)) // a refresh closes rows
}

// turnRow closes the row of a bank, or opens that of its request.
func (c *controller) turnRow(b int, w Time) {
	d, x := c.cfg, &c.banks[b]
	if x.row != noRow {
		x.row, x.activate = noRow, max(x.activate, w+Time(d.TRP))
		c.sort(b)
		return
	}
	r := &c.all[x.at]
	if r.fetch != noFetch {
		c.net.bringLine(r.fetch)
	}
	x.row, r.opened = r.row, true
	x.column, x.write, x.precharge = w+Time(d.TRCD), w+c.toColumn, max(x.precharge, w+Time(d.TRAS))
	x.activate, c.activate = w+Time(d.TRC), w+Time(d.TRRD)
	c.sort(b)
	if c.watcher != nil {
		c.watcher.Activated(c.told(b, w))
	}
}

// transfer gives the first of some banks its column command, which ends its request with
// the last, and returns the bank.
func (c *controller) transfer(columns uint64, w Time) int {
	b := c.bank(bits.TrailingZeros64(columns))
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
	if r.left--; r.left == 0 {
		c.serving.all.remove(b)
		c.complete(x.at, w+delay+1)
	}
	c.sort(b)
	return b
}

// complete ends a request whose last data are there when w cycles are over.
func (c *controller) complete(id int32, w Time) {
	r := &c.all[id]
	hits := uint64(r.n)
	if r.opened {
		hits--
	}
	c.stats.RowHits += hits
	c.stats.Hits += hits
	c.stats.Misses += uint64(r.n) - hits
	done := c.ratio.Back(c.refresh.ends(w))
	c.stats.BusyCycles += c.pending.add(r.t, done)
	if r.fetch != noFetch { // a slice has an answer in the cycle behind that of its fill
		c.known = append(c.known, filling{r.fetch, done + 1})
	}
	c.inside--
	r.next, c.free = c.free, id
}

func (c *controller) told(b int, w Time) *Command {
	era, _ := c.refresh.era(w)
	return &Command{Channel: c.number, Bank: b, Row: c.banks[b].row, Refreshes: era, At: w}
}
