package reserve

import (
	"gpureplay/model/hardware"
	"gpureplay/model/memory"
	"gpureplay/model/memory/hostmem"
	"gpureplay/model/memory/tags"
	"gpureplay/model/memory/timing"
)

// channel is one DRAM channel: banks with open rows behind one data bus. Requests reach it out of time order. So FR-
// FCFS is expressed by its effect: a request joins the batch of a row that is still served when it arrives (docs/model,
// choice 9).
type channel struct {
	cfg     *hardware.DRAMConfig
	mapping *tags.Mapping
	watcher memory.Watcher // nil: no watcher
	number  int
	stats   memory.Record
	work    **memory.Traffic // where the access at hand is counted too
	pending timing.Cover     // by some request
	ratio   timing.Ratio
	bus     timing.Reservations // in bursts
	burst   timing.Divisor      // command cycles of one sector on the bus
	latency Time                // constant part, SM cycles, with the way there and back
	banks   []bank
	turn    Time                // end of the last write on the bus
	queue   timing.LeaveTimes   // requests among which FR-FCFS chooses
	credits timing.LeaveTimes   // those and the requests that wait for a place among them
	barred  timing.Reservations // where no bank may be activated: trrd from activations of others
	refresh timing.Refresh
}

// bank holds the rows that it served last, in a ring.
type bank struct {
	rows    [keptRows]rowBatch
	at      uint // the open one
	lastAct Time
	nextCol Time // tccd behind the last column command
	wrote   Time // end of its last write on the bus
}

// rowBatch is one opening of a row.
type rowBatch struct {
	row  uint64 // and 1; 0: none
	era  Time   // refreshes before it
	open Time   // first column command
	last Time   // last data
}

// keptRows is how many rows a bank remembers, a power of two.
const keptRows = 16

// batch returns the n-th last row that was opened.
func (b *bank) batch(n uint) *rowBatch { return &b.rows[(b.at-n)&(keptRows-1)] }

func newChannel(t *hostmem.Tables, c *hardware.Config, where *tags.Mapping, work **memory.Traffic) channel {
	d := &c.DRAM
	banks := hostmem.NewTable[bank](t, max(1, d.Banks))
	perCycle := max(1, d.BusBytes*max(1, d.DataRate))
	return channel{
		cfg: d, work: work, ratio: timing.NewRatio(c.Clock.DRAMMHz, c.Clock.CoreMHz),
		bus:   timing.NewReservations(t, timing.SameClock),
		burst: timing.NewDivisor((1<<hardware.SectorShift + perCycle - 1) / perCycle), latency: Time(d.Latency),
		mapping: where, banks: banks,
		queue: timing.NewLeaveTimes(t, d.Window), credits: timing.NewLeaveTimes(t, d.Window+d.Return),
		barred: timing.NewReservations(t, timing.SameClock), pending: timing.NewCover(t), refresh: timing.NewRefresh(d),
	}
}

// admit returns from when on, not before t, the controller has room for a
// request behind the constant latency.
func (c *channel) admit(t Time) Time { return c.credits.Room(t+c.latency) - c.latency }

// access times a request for n sectors of a row that reaches the memory controller
// at t and returns when its data is there. A sector is a column command.
func (c *channel) access(sector uint64, n uint, t Time, write bool) Time {
	arrive := t + c.latency
	entered := c.queue.Room(arrive)
	now := c.refresh.Worked(c.ratio.To(entered))
	at, row := c.mapping.Locate(sector)
	b := &c.banks[at]
	before := b.at
	cmd := c.open(b, row, now)
	era, _ := c.refresh.Era(cmd)
	delay := Time(c.cfg.TCL)
	if write {
		delay = Time(c.cfg.TWL)
		c.stats.WriteSectors += uint64(n)
		(*c.work).DRAMWrites += uint64(n)
	} else {
		c.stats.ReadSectors += uint64(n)
		(*c.work).DRAMReads += uint64(n)
		if c.turn > cmd {
			cmd = max(cmd, min(c.turn+Time(c.cfg.TCDLR), cmd+Time(c.cfg.TCDLR)))
		}
	}
	burst := Time(c.burst.N)
	var data Time
	for i := range n {
		if cmd < b.nextCol && cmd >= b.nextCol-Time(c.cfg.TCCD) {
			cmd = b.nextCol
		}
		b.nextCol = max(b.nextCol, cmd+Time(c.cfg.TCCD))
		beat := c.bus.Take(Time(c.burst.Div(uint64(cmd+delay+burst-1)))) * burst
		if data = max(data, beat); c.watcher != nil {
			x := memory.Command{Bank: int(at), Row: row, Refreshes: era, At: cmd, Data: beat, Write: write}
			c.tell(x, i == 0 && b.at != before)
		}
	}
	c.stats.RowHits += uint64(n - 1)
	c.stats.Hits += uint64(n - 1)
	r := b.batch(0)
	r.last = max(r.last, data)
	if write {
		c.turn = data + burst
		b.wrote = max(b.wrote, c.turn)
	}
	done := c.ratio.Back(c.refresh.Ends(data + burst))
	c.queue.Put(done)
	c.credits.Put(done)
	c.stats.Accesses += uint64(n)
	c.stats.BusyCycles += c.pending.Add(arrive, done)
	return done
}

// open returns when a column command to a row may be given, opening the row if
// it is neither open nor being served when the request arrives. A row that
// could not be used before the next refresh is opened after it.
func (c *channel) open(b *bank, row uint64, now Time) Time {
	era, end := c.refresh.Era(now)
	for i := range uint(keptRows) {
		r := b.batch(i)
		if i > 0 && r.last < now {
			break // and those before it
		}
		if r.row == row+1 && r.era == era {
			c.stats.RowHits++
			c.stats.Hits++
			if i > 0 {
				r.last++ // joins the batch; the open row stays
			}
			return max(now, r.open)
		}
	}
	d := c.cfg
	act := now
	if r := b.batch(0); r.row != 0 && r.era == era {
		pre := max(now, r.last, b.lastAct+Time(d.TRAS))
		if b.wrote > 0 {
			pre = max(pre, b.wrote+Time(d.TWR))
		}
		act = max(pre+Time(d.TRP), b.lastAct+Time(d.TRC))
	}
	act = c.barred.Next(act)
	if act+Time(d.TRCD) >= end {
		return c.open(b, row, end)
	}
	c.stats.Misses++
	b.lastAct = act
	c.barred.Bar(act-Time(d.TRRD)+1, act+Time(d.TRRD))
	b.at++
	*b.batch(0) = rowBatch{row: row + 1, era: era, open: act + Time(d.TRCD)}
	return act + Time(d.TRCD)
}

// tell reports a column command, and the opening of its row before it.
func (c *channel) tell(x memory.Command, opened bool) {
	x.Channel = c.number
	if opened {
		act := x
		act.At, act.Data, act.Write = c.banks[x.Bank].lastAct, 0, false
		c.watcher.Activated(&act)
	}
	c.watcher.Column(&x)
}
