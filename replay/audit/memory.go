package audit

import (
	"gpureplay/model"
	"gpureplay/model/memory"
)

// memoryBook checks the records of caches and DRAM:
//
//   - l1-flush: no L1 hits a line that was filled before the flush for the kernel on its SM (not checked for a kernel
//     that is placed while the one before it in its stream runs: its flush comes when its warps have waited);
//   - dram-timing: the commands of a bank, and the row activations of a channel, are as far apart as the timings of
//     the DRAM demand, and a column command is to an open row or to one whose batch is still served (the last 16
//     rows of a bank).
type memoryBook struct {
	a        *Auditor
	flushed  []model.Time // of the L1 of each SM
	kernels  []uint32     // whose CTA went on it last
	channels []channelBook
}

type channelBook struct {
	opened []model.Time // the latest commands that opened a row
	banks  map[int]*bankBook
}

type bankBook struct {
	rows   []rowBook  // the latest first
	column model.Time // latest command
	data   model.Time // latest, of the row opened last
	wrote  model.Time // end of the latest write on the bus
}

type rowBook struct {
	row       uint64
	refreshes model.Time // before it was opened
	opened    model.Time
}

func newMemoryBook(a *Auditor) *memoryBook {
	m := &memoryBook{
		a: a, flushed: make([]model.Time, a.cfg.SM.Count), kernels: make([]uint32, a.cfg.SM.Count),
		channels: make([]channelBook, a.cfg.DRAM.Channels),
	}
	for i := range m.channels {
		m.channels[i] = channelBook{banks: map[int]*bankBook{}}
	}
	for i := range m.kernels {
		m.kernels[i] = model.NoKernel
	}
	return m
}

// placed notes a flush: an SM without CTAs takes one of another kernel. Tasks may be
// fused into one kernel: between two of them no flush is known.
func (m *memoryBook) placed(r *model.CTARecord) {
	kernel := r.Kernel
	if m.a.tasks.has(kernel) {
		kernel = someTask
	}
	if m.a.sms[r.SM].ctas == 0 && m.kernels[r.SM] != kernel && !m.a.chain.ahead(r.Kernel) {
		m.flushed[r.SM] = r.Dispatch
	}
	m.kernels[r.SM] = kernel
}

// someTask stands for every kernel that is a task.
const someTask = model.NoKernel - 1

// Hit checks a hit of an L1.
func (m *memoryBook) Hit(r *memory.Hit) {
	if r.Filled < m.flushed[r.SM] {
		m.a.fail("l1-flush", m.a.last, "the L1 of SM %d hits sector %#x, which was filled at %d, before its flush at %d",
			r.SM, r.Sector, r.Filled, m.flushed[r.SM])
	}
}

// bank returns the book of a bank.
func (m *memoryBook) bank(c *memory.Command) *bankBook {
	banks := m.channels[c.Channel].banks
	b := banks[c.Bank]
	if b == nil {
		b = &bankBook{column: -never}
		banks[c.Bank] = b
	}
	return b
}

// apart checks that a command of a bank comes long enough after something.
func (m *memoryBook) apart(c *memory.Command, since model.Time, what string, timings ...int) {
	least := model.Time(0)
	for _, t := range timings {
		least += model.Time(t)
	}
	if c.At-since < least {
		m.a.fail("dram-timing", m.a.last, "channel %d, bank %d: a command at DRAM cycle %d, %s at %d, which takes %d",
			c.Channel, c.Bank, c.At, what, since, least)
	}
}

// keptRows is how many rows of a bank may be served at a time (docs/model, choice 9).
const keptRows = 16

// keptActivations is how many openings of rows of a channel each is compared with: they are told out of their order.
const keptActivations = 64

// Activated checks a command that opens a row.
func (m *memoryBook) Activated(c *memory.Command) {
	d, ch, b := &m.a.cfg.DRAM, &m.channels[c.Channel], m.bank(c)
	for _, t := range ch.opened {
		if max(c.At-t, t-c.At) < model.Time(d.TRRD) {
			m.a.fail("dram-timing", m.a.last, "channel %d: rows are opened at DRAM cycles %d and %d, less than %d apart",
				c.Channel, t, c.At, d.TRRD)
		}
	}
	ch.opened = append(ch.opened[max(0, len(ch.opened)-keptActivations+1):], c.At)
	if len(b.rows) > 0 && b.rows[0].refreshes == c.Refreshes { // behind a refresh all rows are closed
		m.apart(c, b.rows[0].opened, "it opened a row", max(d.TRC, d.TRAS+d.TRP))
		m.apart(c, b.data, "the last data of its open row were", d.TRP)
		if b.wrote > 0 {
			m.apart(c, b.wrote, "its last write ended", d.TWR, d.TRP)
		}
	}
	b.rows, b.data = append([]rowBook{{c.Row, c.Refreshes, c.At}}, b.rows[:min(len(b.rows), keptRows-1)]...), -never
}

// Column checks a command that reads or writes data of a row.
func (m *memoryBook) Column(c *memory.Command) {
	d, b := &m.a.cfg.DRAM, m.bank(c)
	opened, found := model.Time(0), false
	for _, r := range b.rows {
		if found = r.row == c.Row && r.refreshes == c.Refreshes; found {
			opened = r.opened
			break
		}
	}
	if !found {
		m.a.fail("dram-timing", m.a.last, "channel %d, bank %d: a command at DRAM cycle %d to row %d, which is not open",
			c.Channel, c.Bank, c.At, c.Row)
		return
	}
	if c.Write && m.inTurn() {
		m.apart(c, opened, "its row was opened", max(0, d.TRCD-d.TWL-1))
	} else {
		m.apart(c, opened, "its row was opened", d.TRCD)
	}
	if c.At >= b.column {
		m.apart(c, b.column, "the bank had one", d.TCCD)
		b.column = c.At
	}
	latency := d.TCL
	if c.Write {
		latency = d.TWL
		b.wrote = max(b.wrote, c.Data+m.burst())
	}
	if c.Data-c.At < model.Time(latency) {
		m.a.fail("dram-timing", m.a.last, "channel %d, bank %d: a command at DRAM cycle %d has its data at %d, "+
			"before %d cycles", c.Channel, c.Bank, c.At, c.Data, latency)
	}
	if m.inTurn() {
		b.data = max(b.data, c.At+m.burst()) // a row may be closed with data on their way
		return
	}
	b.data = max(b.data, c.Data)
}

// inTurn reports whether channels schedule cycle by cycle (docs/model, choice 26).
func (m *memoryBook) inTurn() bool { return m.a.cfg.CycleMemory() }

// burst is how many cycles the data of a command take on the bus.
func (m *memoryBook) burst() model.Time {
	d := &m.a.cfg.DRAM
	perCycle := max(1, d.BusBytes*max(1, d.DataRate))
	return model.Time((d.BurstBytes + perCycle - 1) / perCycle)
}
