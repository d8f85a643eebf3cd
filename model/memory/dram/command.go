package dram

import (
	"math/bits"

	"gpureplay/model/memory"
)

// bank is a bank: who waits for it, which request it has at hand, and from when on it
// takes commands.
type bank struct {
	row       uint64 // the open one; noOpenRow: none
	column    Time   // to read; a write is as much before or behind that as it is after an activation
	precharge Time
	activate  Time
	request   *request // at hand
	left      uint8    // column commands of it that are not given
	need      uint8    // the command that it needs next
	hit       bool     // it has the open row
	opened    bool     // which was opened for it

	queues [modes]bankQueue // requests that wait for the bank
}

// noOpenRow is the row of a bank that is closed.
const noOpenRow = ^uint64(0)

// bankGroups are the groups of banks: a bank's is its number's lowest bits.
type bankGroups struct {
	of                []bankSet
	column, precharge groupTimes
}

// groupTimes is from when on the banks of each group take a command: no group earlier than
// one that took it before.
type groupTimes struct {
	last   Time    // of all
	group  bankSet // whose that is
	before Time    // and the last of the others
	from   []Time
}

// put has a group take a command from a time on.
func (g *groupTimes) put(group int, banks bankSet, t Time) {
	if g.group != banks {
		g.group, g.before = banks, g.last
	}
	g.from[group], g.last = t, t
}

// free returns the banks whose groups take the command in cycle w.
func (g *groupTimes) free(s bankSet, of []bankSet, w Time) bankSet {
	switch {
	case g.last <= w:
		return s
	case g.before <= w:
		return s &^ g.group
	}
	for i, group := range of {
		if g.from[i] > w {
			s &^= group
		}
	}
	return s
}

// soonest returns from when on the group of one of some banks does, no earlier than w.
func (g *groupTimes) soonest(s bankSet, of []bankSet, w Time) Time {
	switch {
	case g.last <= w || g.before <= w && s&^g.group != 0:
		return w
	case s&^g.group == 0:
		return g.last
	}
	soon := Never
	for i, group := range of {
		if s&group != 0 {
			soon = min(soon, g.from[i])
		}
	}
	return max(w, soon)
}

func newBankGroups(banks, groups int) bankGroups {
	of := make([]bankSet, groups)
	for b := range banks {
		of[b&(groups-1)].add(b)
	}
	return bankGroups{
		of: of, column: groupTimes{from: make([]Time, groups)}, precharge: groupTimes{from: make([]Time, groups)},
	}
}

// bankSet has a bit for each bank.
type bankSet uint64

// mostBanks is the most banks that a channel may have. A mask of the index spares Go's bounds check.
const mostBanks = 64

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

// bankSets are the banks with a request at hand, by the command that they need next.
type bankSets struct {
	all   bankSet
	ripe  [commands]bankSet // those that take it, for all that they know by themselves
	later [commands]bankSet // those that take it from a time on
	soon  [commands]Time    // none of later does before
	from  [mostBanks]Time   // when each does
}

// take returns the banks that take a command in cycle w, for all that they know by themselves.
func (s *bankSets) take(need int, w Time) bankSet {
	if s.soon[need] <= w {
		s.ripen(need, w)
	}
	return s.ripe[need]
}

// ripen moves banks that take their command in cycle w to those that do.
func (s *bankSets) ripen(need int, w Time) {
	soon, ripe := Never, bankSet(0)
	for m := s.later[need&3]; m != 0; m &= m - 1 {
		if at := s.from[bits.TrailingZeros64(uint64(m))&(mostBanks-1)]; at > w {
			soon = min(soon, at)
		} else {
			ripe |= m & -m
		}
	}
	s.ripe[need&3] |= ripe
	s.later[need&3] &^= ripe
	s.soon[need&3] = soon
}

// sort puts a bank into the set of the command that it needs next, in cycle w.
func (c *Channel) sort(b int, w Time) {
	s, x, bit := &c.serving, &c.banks[b&(mostBanks-1)], bankSet(1)<<(b&63)
	s.ripe[x.need&3] &^= bit
	s.later[x.need&3] &^= bit
	if s.all&bit == 0 {
		return
	}
	need, from := uint8(toRead), x.column
	switch {
	case x.row == noOpenRow:
		need, from = toOpen, x.activate
	case !x.hit:
		need, from = toClose, x.precharge
	case x.request.write:
		need, from = toWrite, x.column+c.times.openWrite-c.times.open
	}
	x.need = need
	if from <= w {
		s.ripe[need&3] |= bit
		return
	}
	s.later[need&3] |= bit
	s.from[b&(mostBanks-1)] = from
	s.soon[need&3] = min(s.soon[need&3], from)
}

// closeRows closes the rows of all banks in cycle w, behind a refresh.
func (c *Channel) closeRows(w Time) {
	for b := range c.last + 1 {
		c.banks[b&(mostBanks-1)].row = noOpenRow
		c.sort(b, w)
	}
}

// turns has bit i for the bank that is probed as number i.
func (c *Channel) turns(s bankSet) uint64 {
	return uint64(s>>(c.first&63)|s<<((c.last+1-c.first)&63)) & (2<<(c.last&63) - 1)
}

// asked returns the first bank of a set by turn, and its number, or noTurn.
func (c *Channel) asked(s bankSet) (b, turn int) {
	if s == 0 {
		return 0, noTurn
	}
	if behind := s >> (c.first & 63); behind != 0 {
		turn = bits.TrailingZeros64(uint64(behind))
		return c.first + turn, turn
	}
	b = bits.TrailingZeros64(uint64(s))
	return b, b + c.last + 1 - c.first
}

// noTurn is behind every bank's turn.
const noTurn = 64

// bank returns the one that is probed as number i.
func (c *Channel) bank(i int) int { return (c.first + i) & c.last }

// choose gives one of some banks that have none a request (frfcfs_scheduler::schedule). A bank
// that has had none is closed, and yet row 0 is the one that it prefers (curr_row of a bank_t
// from calloc).
func (c *Channel) choose(idle bankSet, w Time) {
	b, _ := c.asked(idle)
	x := &c.banks[b&(mostBanks-1)]
	row, mask := x.row, ^uint64(0)
	if c.had>>(b&63)&1 == 0 {
		row, mask = 0, c.mapping.RowBits
		c.had.add(b)
	}
	queue := &x.queues[c.mode&1]
	if queue.row != noOpenRow {
		row, mask = queue.row, ^uint64(0)
	}
	k := queue.choose(row, mask)
	x.request, x.left, x.hit, x.opened = k, c.times.columns[k.n], k.row == x.row, false
	c.serving.all.add(b)
	c.sort(b, w)
	if queue.first == nil {
		c.waiting[c.mode&1].remove(b)
	}
	c.waits[c.mode&1]--
	if c.separate {
		c.goOn(queue, k.row)
	}
	c.first = (c.first + 1) & c.last
}

// command gives the commands of cycle w. The banks are probed in turn, each for a column and then for its row. Where
// columns and rows have buses of their own, all banks are probed for a column first (dram_t::cycle). Behind a bank that
// turns its row the next begins, also in this cycle.
func (c *Channel) command(w Time) {
	b, turn := c.asked(c.columns(w))
	if c.times.DualBus && turn < noTurn {
		c.transfer(b, w)
		turn = noTurn
	}
	if row, i := c.asked(c.rows(w)); i < turn {
		c.turnRow(row, w)
		if c.first = (row + 1) & c.last; c.times.DualBus {
			return
		}
		turns := c.turns(c.columns(w)) &^ (2<<(i&63) - 1) // those that are still asked
		turn = bits.TrailingZeros64(turns)
		b = c.bank(turn)
	}
	if turn < noTurn {
		c.transfer(b, w)
	}
}

// columns returns the banks that take the column command of their request in cycle w.
func (c *Channel) columns(w Time) (s bankSet) {
	if c.column > w {
		return 0
	}
	b := &c.serving
	if c.read <= w {
		s = b.take(toRead, w)
	}
	if c.write <= w {
		s |= b.take(toWrite, w)
	}
	return c.groups.column.free(s, c.groups.of, w)
}

// rows returns the banks that close another row, or open their request's. A row that could not be used before the
// next refresh is opened behind it.
func (c *Channel) rows(w Time) (s bankSet) {
	b := &c.serving
	if c.activate <= w && w+c.times.open < c.end {
		s = b.take(toOpen, w)
	}
	if shut := b.take(toClose, w); shut != 0 {
		s |= c.groups.precharge.free(shut, c.groups.of, w)
	}
	return s
}

// soonest returns a cycle behind w before which no bank with a request takes a command.
func (c *Channel) soonest(w Time) Time {
	s, g := &c.serving, &c.groups
	open, shut := s.soon[toOpen], s.soon[toClose]
	if s.ripe[toOpen] != 0 {
		open = 0
	}
	if open = max(open, c.activate); open+c.times.open >= c.end {
		open = max(open, c.end)
	}
	if x := s.ripe[toClose]; x != 0 {
		shut = min(shut, g.precharge.soonest(x, g.of, w+1))
	}
	read, write := s.soon[toRead], s.soon[toWrite]
	if x := s.ripe[toRead]; x != 0 {
		read = min(read, g.column.soonest(x, g.of, max(c.column, c.read)))
	}
	if x := s.ripe[toWrite]; x != 0 {
		write = min(write, g.column.soonest(x, g.of, max(c.column, c.write)))
	}
	column := min(max(c.read, read), max(c.write, write))
	return min(c.end, open, shut, max(c.column, column)) // a refresh closes rows
}

// turnRow closes the row of a bank, or opens its request's.
func (c *Channel) turnRow(b int, w Time) {
	d, x := c.times, &c.banks[b&(mostBanks-1)]
	if x.row != noOpenRow {
		x.row, x.activate = noOpenRow, max(x.activate, w+Time(d.TRP))
		c.sort(b, w)
		return
	}
	x.row, x.hit, x.opened = x.request.row, true, true
	x.column, x.precharge = w+Time(d.TRCD), max(x.precharge, w+Time(d.TRAS))
	x.activate, c.activate = w+Time(d.TRC), w+Time(d.TRRD)
	c.sort(b, w)
	if c.watcher != nil {
		c.watcher.Activated(c.told(b, w))
	}
}

// transfer gives a bank its column command, which ends its request with the last.
func (c *Channel) transfer(b int, w Time) {
	d, x, g := c.times, &c.banks[b&(mostBanks-1)], b&(len(c.groups.of)-1)
	group := c.groups.of[g]
	delay := Time(d.TCL)
	c.column = w + d.gap
	c.groups.column.put(g, group, w+Time(d.TCCDL))
	if x.request.write {
		delay = Time(d.TWL)
		c.read, x.precharge = w+d.toRead, max(x.precharge, w+d.toPrecharge)
	} else {
		c.write, x.precharge = w+d.toWrite, max(x.precharge, w+d.burst)
		c.groups.precharge.put(g, group, w+Time(d.TRTPL))
	}
	if c.watcher != nil {
		k := c.told(b, w)
		k.Data, k.Write = w+delay, x.request.write
		c.watcher.Column(k)
	}
	if x.left--; x.left == 0 {
		c.serving.all.remove(b)
		c.serving.ripe[x.need&3].remove(b)
		c.complete(x, w+delay+1)
		return
	}
	c.sort(b, w)
}

// complete ends the request of a bank, whose last data are there when w cycles are over.
func (c *Channel) complete(x *bank, w Time) {
	r, hits := x.request, uint64(x.request.n)
	if x.opened {
		hits--
	}
	c.Stats.RowHits += hits
	c.Stats.Hits += hits
	c.Stats.Misses += uint64(r.n) - hits
	done := c.times.over(w)
	c.Stats.BusyCycles += c.pending.Add(r.t, done)
	if r.fetch == NoFetch {
		w-- // a write-back leaves with its last data, a reply a cycle later
	} else { // a slice has a reply in the cycle after its fill
		c.of.Filled = append(c.of.Filled, Fill{r.fetch, done + 1})
	}
	c.returns(r.slice, w)
	c.close(r)
}

func (c *Channel) told(b int, w Time) *memory.Command {
	era, _ := c.times.refresh.Era(w)
	return &memory.Command{Channel: c.index, Bank: b, Row: c.banks[b&(mostBanks-1)].row, Refreshes: era, At: w}
}
