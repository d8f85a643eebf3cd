package reference

import (
	"slices"
	"strings"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/trace"
)

// nController is a DRAM channel that schedules its requests cycle by cycle
// in the cycle engine. Cycles are working ones, those without a refresh.
type nController struct {
	m       *nMemory
	ch      *nChannel
	next    model.Time        // the cycle that comes
	at      model.Time        // its SM cycle
	asked   [][]*nDRAMRequest // by each of its slices
	turn    int               // slice whose turn it is
	delayed []*nDRAMRequest   // by the constant latency
	waiting []*nDRAMRequest   // among which it chooses, as they came
	inside  int               // from the slices to their last column command
	free    int               // places for all slices
	taken   []bool            // the place of its own, of each slice
	back    []nPlaceBack      // of those that are given back
	writing bool              // write-backs, which have a queue of their own
	first   int               // bank that is asked first
	banks   []nRowBank
}

// nDRAMRequest is a request of a slice for some sectors.
type nDRAMRequest struct {
	bank, row uint64
	n, given  int // sectors, and bytes of its column commands
	write     bool
	slice     int  // which of its channel's
	activated bool // its row, for it
	t         model.Time
	fetch     *nFetch // that waits for it; nil: none
}

// nRowBank is a bank: the request at hand, its row, and when each of its commands was
// given last.
type nRowBank struct {
	at                                *nDRAMRequest
	open, known                       bool // its row; known: there is one
	had                               bool // a request
	row                               uint64
	goesOn                            map[bool]uint64 // with a row of reads, or of write-backs
	activate, precharge, reads, wrote model.Time
}

func newNController(m *nMemory, ch *nChannel) *nController {
	d := &m.cfg.DRAM
	per := max(1, m.cfg.L2.Slices/d.Channels)
	c := &nController{m: m, ch: ch, asked: make([][]*nDRAMRequest, per), taken: make([]bool, per),
		free: d.Window + d.WriteQueue + d.Return}
	long := model.Time(-1 << 40) // ago
	for range d.Banks {
		c.banks = append(c.banks, nRowBank{goesOn: map[bool]uint64{}, activate: long, precharge: long, reads: long,
			wrote: long})
	}
	return c
}

// inSMCycles is how many SM cycles some of the DRAM take.
func inSMCycles(c *hardware.Config, cycles model.Time) model.Time {
	clock := port(c.Clock.DRAMMHz, c.Clock.CoreMHz)
	return ceilDiv(cycles*clock.against, clock.clock)
}

// ticks is the SM cycle in which a cycle of the DRAM clock begins. With `dram.clock_sums` both clocks are periods that
// are added one after another. So the DRAM's may come behind an SM cycle with which it would begin.
func (m *nMemory) ticks(cycle model.Time) model.Time {
	c, at := m.cfg, inSMCycles(m.cfg, cycle)
	if c.DRAM.ClockSums && float64(at)*c.Clock.DRAMMHz == float64(cycle)*c.Clock.CoreMHz &&
		m.addedUp(c.Clock.DRAMMHz, cycle) > m.addedUp(c.Clock.CoreMHz, at) {
		at++
	}
	return at
}

// addedUp is the time of a cycle of a clock, in seconds.
func (m *nMemory) addedUp(mhz float64, n model.Time) float64 {
	if m.sums == nil {
		m.sums = map[float64][]float64{}
	}
	all := m.sums[mhz]
	for period := 1 / float64(mhz*1e6); model.Time(len(all)) <= n; {
		if len(all) == 0 {
			all = append(all, 0)
			continue
		}
		all = append(all, all[len(all)-1]+period)
	}
	m.sums[mhz] = all
	return all[n]
}

// begins is the SM cycle in which a cycle begins.
func (c *nController) begins(w model.Time) model.Time {
	return c.m.ticks(c.ch.cycle(w)) - model.Time(c.m.cfg.DRAM.Lead)
}

// step acts in the cycles up to an SM cycle.
func (c *nController) step(until model.Time) {
	for c.at <= until {
		c.cycle()
	}
}

// busy reports whether it has requests.
func (c *nController) busy() bool {
	return c.inside > c.kept() || slices.ContainsFunc(c.asked, func(q []*nDRAMRequest) bool { return len(q) > 0 })
}

// cycle acts in the next cycle.
func (c *nController) cycle() {
	d, w, t := &c.m.cfg.DRAM, c.next, c.at
	c.next, c.at = w+1, c.begins(w+1)
	if d.TREFI > 0 && w > 0 && c.ch.interval(w) != c.ch.interval(w-1) {
		for b := range c.banks {
			c.banks[b].open, c.banks[b].known = false, false
		}
	}
	c.choose()
	if d.DualBus {
		c.dualBus(w)
	} else {
		c.singleBus(w)
	}
	c.giveBack(w)
	c.fromSlice(t)
	if len(c.delayed) > 0 && c.delayed[0].t <= t && c.hasRoom(c.delayed[0]) {
		r := c.delayed[0]
		c.delayed = c.delayed[1:]
		r.t = t
		c.waiting = append(c.waiting, r)
	}
}

// choose gives one bank a request: the oldest to its row, or else the oldest.
func (c *nController) choose() {
	for i := range c.banks {
		b := (c.first + i) % len(c.banks)
		x, best := &c.banks[b], -1
		if x.at != nil {
			continue
		}
		c.switches()
		for j, r := range c.waiting {
			if r.bank == uint64(b) && c.isWrite(r) == c.writing && (best < 0 || c.likes(x, r) && !c.likes(x, c.waiting[best])) {
				best = j
			}
		}
		if best < 0 {
			continue
		}
		x.at, x.had = c.waiting[best], true
		c.waiting = slices.Delete(c.waiting, best, best+1)
		c.keepsTo(x, b)
		c.first = (c.first + 1) % len(c.banks)
		return
	}
}

// likes reports whether a request is to the row of a bank: to row 0 of the layout before the
// bank has had any.
func (c *nController) likes(x *nRowBank, r *nDRAMRequest) bool {
	if row, ok := x.goesOn[c.writing]; ok {
		return r.row == row
	}
	if x.had {
		return x.known && r.row == x.row
	}
	n := strings.Count(c.m.cfg.DRAM.Mapping, "R")
	return r.row == 0 || n > 0 && r.row%(1<<n) == 0
}

func (c *nController) singleBus(w model.Time) {
	rowGiven := false
	for i := range c.banks {
		b := (c.first + i) % len(c.banks)
		if c.column(b, w) {
			return
		}
		if !rowGiven {
			rowGiven = c.turnRow(b, w)
		}
	}
}

func (c *nController) dualBus(w model.Time) {
	for i := range c.banks {
		if c.column((c.first+i)%len(c.banks), w) {
			break
		}
	}
	for i := range c.banks {
		if c.turnRow((c.first+i)%len(c.banks), w) {
			break
		}
	}
}

// column gives the column command of a bank, if it may.
func (c *nController) column(b int, w model.Time) bool {
	d, x := &c.m.cfg.DRAM, &c.banks[b]
	if x.at == nil || !x.open || x.row != x.at.row {
		return false
	}
	burst, tcl, twl := nBurst(d), model.Time(d.TCL), model.Time(d.TWL)
	for i, y := range c.banks {
		last := max(y.reads, y.wrote)
		switch {
		case w < last+max(burst, model.Time(d.TCCD)):
			return false
		case i%d.BankGroups == b%d.BankGroups && w < last+model.Time(d.TCCDL):
			return false
		case x.at.write && w < y.reads+max(0, tcl+burst+2-twl):
			return false
		case !x.at.write && w < y.wrote+twl+burst+model.Time(d.TCDLR):
			return false
		}
	}
	if x.at.write {
		if w < x.activate+max(0, model.Time(d.TRCD)-twl-1) {
			return false
		}
		x.wrote = w
	} else {
		if w < x.activate+model.Time(d.TRCD) {
			return false
		}
		x.reads = w
	}
	if x.at.given += d.BurstBytes; x.at.given >= 32*x.at.n {
		c.end(x.at, w)
		x.at = nil
	}
	return true
}

// turnRow closes the row of a bank or opens another, if its request needs that and it may.
func (c *nController) turnRow(b int, w model.Time) bool {
	d, x := &c.m.cfg.DRAM, &c.banks[b]
	burst, twl := nBurst(d), model.Time(d.TWL)
	if x.at == nil || x.open && x.row == x.at.row {
		return false
	}
	if x.open {
		if w < x.activate+model.Time(d.TRAS) || w < x.wrote+twl+burst+model.Time(d.TWR) || w < x.reads+burst {
			return false
		}
		for i, y := range c.banks {
			if i%d.BankGroups == b%d.BankGroups && w < y.reads+model.Time(d.TRTPL) {
				return false
			}
		}
		x.open, x.precharge = false, w
	} else {
		if w < x.precharge+model.Time(d.TRP) || w < x.activate+model.Time(d.TRC) {
			return false
		}
		for _, y := range c.banks {
			if w < y.activate+model.Time(d.TRRD) {
				return false
			}
		}
		if c.ch.interval(w+model.Time(d.TRCD)) != c.ch.interval(w) {
			return false // it could not be used before the refresh
		}
		x.open, x.known, x.row, x.activate, x.at.activated = true, true, x.at.row, w, true
	}
	c.first = (b + 1) % len(c.banks)
	return true
}

// end ends a request with its last column command.
func (c *nController) end(r *nDRAMRequest, w model.Time) {
	m, delay := c.m, model.Time(c.m.cfg.DRAM.TCL)
	if r.write {
		delay = model.Time(m.cfg.DRAM.TWL)
	}
	c.inside--
	leaves := w + delay
	if r.fetch != nil {
		leaves++ // it goes to the slice
	}
	c.back = append(c.back, nPlaceBack{leaves, r.slice})
	done := m.ticks(c.ch.cycle(w+delay)+1) - model.Time(m.cfg.DRAM.Lead)
	m.dramCount.hits += uint64(r.n)
	if r.activated {
		m.dramCount.hits--
		m.dramCount.misses++
	}
	for x := r.t; x < done; x++ {
		if !c.ch.pending.has(x) {
			c.ch.pending.take(x)
		}
	}
	if r.fetch != nil {
		m.filled(r.fetch, done+1)
	}
}

// fromSlice lets the first request of one slice go.
func (c *nController) fromSlice(t model.Time) {
	for i := range c.asked {
		s := (c.turn + i) % len(c.asked)
		if len(c.asked[s]) == 0 || c.asked[s][0].t >= t || c.taken[s] && c.free == 0 {
			continue
		}
		r := c.asked[s][0]
		if !c.hasRoom(r) {
			return
		}
		c.asked[s], c.turn = c.asked[s][1:], (s+1)%len(c.asked)
		r.t, r.slice = t+model.Time(c.m.cfg.DRAM.Latency), s
		if c.taken[s] {
			c.free--
		}
		c.taken[s] = true
		c.inside++
		c.delayed = append(c.delayed, r)
		return
	}
}

// behind is the channel of a slice and which of its slices it is.
func (m *nMemory) behind(i int) (c *nController, n int) {
	per := max(1, m.cfg.L2.Slices/m.cfg.DRAM.Channels)
	return m.control[i/per%m.cfg.DRAM.Channels], i % per
}

// put queues a request of slice i for its channel.
func (m *nMemory) put(i int, sector uint64, n int, t model.Time, write bool, f *nFetch) {
	c, of := m.behind(i)
	r := &nDRAMRequest{n: n, write: write, t: t + 1, fetch: f}
	r.bank, r.row = nPlace(m.cfg, sector)
	c.asked[of] = append(c.asked[of], r)
	m.countDRAM(n, write)
}

func (m *nMemory) countDRAM(n int, write bool) {
	m.dramCount.accesses += uint64(n)
	if write {
		m.dramCount.writes += uint64(n)
	} else {
		m.dramCount.reads += uint64(n)
	}
}

// alone returns how long a request takes that nothing holds up.
func (m *nMemory) alone() model.Time {
	d := &m.cfg.DRAM
	return model.Time(d.Latency) + inSMCycles(m.cfg, model.Time(d.TRP+d.TRCD+d.TCL)+
		(ceilDiv(32, model.Time(d.BurstBytes))-1)*max(nBurst(d), model.Time(d.TCCD))+nBurst(d))
}

// pass sends a store of slice i on to DRAM; the answer waits for it.
func (m *nMemory) pass(i int, sector uint64, n int, t model.Time) model.Time {
	if m.control == nil {
		return m.dram(i, sector, n, t, true)
	}
	var f *nFetch
	if !m.own {
		f = &nFetch{slice: i}
		m.waits = f
	}
	m.put(i, sector, n, t, true, f)
	return t + m.alone()
}

// room allocates a line of slice i and writes back the evicted one.
func (m *nMemory) room(i int, set, tag uint64, t model.Time) *nLine {
	l, out := m.l2[i].allocate(set, tag, t)
	if out != nil {
		n, first := m.cfg.L2.SectorBytes/32, uint64(0)
		m.drove = 0
		for s := 0; s < int(out.per); s += n {
			if slices.ContainsFunc(out.sec[s:s+n], func(x nSector) bool { return x.dirty }) {
				if m.drove == 0 {
					first = out.tag*out.per + uint64(s)
				}
				if m.drove += n; m.control == nil {
					m.dram(i, out.tag*out.per+uint64(s), n, t, true)
				}
			}
		}
		if m.drove > 0 && m.control != nil {
			m.put(i, first, m.drove, t, true, nil)
		}
	}
	return l
}

// join has a load wait for sectors that are on their way. It returns the answer's time
// where that is known.
func (m *nMemory) join(l *nLine, r *nAsked, t model.Time) model.Time {
	if m.own {
		return t + m.alone() + 1
	}
	l.joins(r.sectors[0], m.cfg.L2.SectorBytes, 0)
	m.waits = l.unknown(r.sectors)
	return 0
}

// miss fetches a block for slice i into its line; the answer waits for it. It returns the
// answer's time where that is known.
func (m *nMemory) miss(i int, block []uint64, l *nLine, set, tag uint64, t model.Time) model.Time {
	if m.own {
		m.countDRAM(len(block), false)
		fill := t + m.alone()
		m.pending[i].fills = append(m.pending[i].fills, fill)
		if l == nil {
			l = m.room(i, set, tag, t)
		}
		l.fetch(block, fill)
		return fill + 1
	}
	if l == nil {
		l = m.room(i, set, tag, t)
	}
	f := &nFetch{slice: i, block: block, line: l, counts: true}
	m.unknown[i]++
	m.waits = f
	m.put(i, block[0], len(block), t, false, f)
	l.fetch(block, 1<<50)
	if l != nil {
		for _, s := range block {
			l.at(s).fetch = f
		}
	}
	return 0
}

// filled has a fetch come.
func (m *nMemory) filled(f *nFetch, fill model.Time) {
	for _, s := range f.block {
		if f.line != nil && f.line.at(s).valid && f.line.at(s).fetch == f {
			f.line.at(s).fetch, f.line.at(s).fill = nil, fill
		}
	}
	for i, k := range f.answers {
		k.ready, k.late, k.last = fill+1, true, f.counts && i == len(f.answers)-1
		m.net.done[f.slice] = append(m.net.done[f.slice], k)
	}
}

// stands reports whether slice i does not take a packet in cycle t.
func (m *nMemory) stands(i int, k *nPacket, t model.Time) bool {
	c, of := m.behind(i)
	if len(c.asked[of]) >= max(1, m.cfg.L2.Queue) {
		return true
	}
	if k.kind == trace.InstStore {
		return false
	}
	set, tag := m.place(k.r.sectors[0])
	l, most := m.l2[i].find(set, tag, false), &m.cfg.L2
	if l.whole(k.r.sectors) {
		block := wholeBlock(k.r.sectors[0], most.SectorBytes)
		if most.Merge == 0 || l.at(block[0]).requests < most.Merge {
			return false
		}
		return l.unknown(k.r.sectors) != nil || l.filled(k.r.sectors)-1 > t
	}
	return most.MSHRs > 0 && m.unknown[i] >= most.MSHRs
}

// drain acts until no channel has requests.
func (m *nMemory) drain() {
	for _, c := range m.control {
		for c.busy() {
			c.cycle()
		}
	}
}

// nBurst is how many cycles the data of a column command take on the bus.
func nBurst(d *hardware.DRAMConfig) model.Time {
	return ceilDiv(model.Time(d.BurstBytes), model.Time(d.BusBytes*d.DataRate))
}
