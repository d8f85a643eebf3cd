package dram

import (
	"gpureplay/model/clock"
	"gpureplay/model/hardware"
	"gpureplay/model/memory"
	"gpureplay/model/memory/coalesce"
	"gpureplay/model/memory/hostmem"
	"gpureplay/model/memory/tags"
	"gpureplay/model/memory/timing"
)

// Time is in cycles: of a channel's clock, without refreshes, or of the SM clock where that is said.
type Time = clock.Time

// Never is later than any time of a run.
const Never = clock.Never

// Channels are all channels of a machine.
type Channels struct {
	all    []Channel
	due    []Time // the cycle in which each acts next
	next   Time   // the first of these
	soon   Time   // the SM cycle in which it begins
	times  *times
	Filled []Fill  // fetches whose data come, as of the last Advance; the caller empties it
	Left   []int32 // slices that a request has left, likewise
}

// Fill is a fetch, and the SM cycle in which its slice has a reply.
type Fill struct {
	Fetch int32
	At    Time
}

// NoFetch is the number of no fetch: nothing waits for the request.
const NoFetch = -1

// New makes the channels of a machine.
func New(c *hardware.Config, m *tags.Mapping, t *hostmem.Tables) *Channels {
	d := &Channels{
		all: make([]Channel, c.DRAM.Channels), due: make([]Time, c.DRAM.Channels), next: Never, soon: Never,
		times: newTimes(c),
	}
	for i := range d.all {
		d.due[i] = Never
		d.all[i].init(d, &c.DRAM, m, timing.NewCover(t), i)
	}
	return d
}

// Channel returns a channel.
func (d *Channels) Channel(i int) *Channel { return &d.all[i] }

// Watch has a watcher told from now on.
func (d *Channels) Watch(w memory.Watcher) {
	for i := range d.all {
		d.all[i].watcher = w
	}
}

// Next returns the SM cycle in which a channel acts next.
func (d *Channels) Next() Time { return d.soon }

// wakes notes that a channel acts sooner than was known.
func (d *Channels) wakes(c *Channel) {
	if d.due[c.index] = c.next; c.next < d.next {
		d.next, d.soon = c.next, d.times.timeOf(c.next)
	}
}

// Advance has the channels act that have something to do up to SM cycle t.
func (d *Channels) Advance(t Time) {
	d.times.begin(t)
	next, limit := Never, d.times.limit
	for i, due := range d.due {
		if due < limit {
			c := &d.all[i]
			c.bring()
			due = c.run(limit)
			d.due[i] = due
		}
		next = min(next, due)
	}
	if d.next, d.soon = next, Never; next < Never {
		d.soon = d.times.timeOf(next)
	}
}

// Finish has the channels serve all requests: the last writes of a run are still on their way.
func (d *Channels) Finish() {
	for i := range d.all {
		d.all[i].run(Never)
	}
}

// times are the clock and the numbers of all channels, in one place: each that acts needs them, one after another.
type times struct {
	*hardware.DRAMConfig
	burst, gap      Time // of a column command's data on the bus; between column commands
	toWrite, toRead Time // from a column command that reads to one that writes, and the other way
	toPrecharge     Time // from a write to the end of its row
	open, openWrite Time // from an activation to a column command that reads, and to one that writes
	latency         Time // SM cycles from its slice to its bank

	columns [coalesce.MaxSectors + 1]uint8 // column commands of so many sectors

	ratio   timing.Ratio
	refresh timing.Refresh
	lead    Time // SM cycles that the clock began before the SMs' cycle 0
	summed  *summed

	// All channels convert the same times: they act one after another in an SM cycle, and slices put requests in one.
	now, first, limit Time // the SM cycle in which they act, its first cycle, and the one behind its last
	comes             Time // the first in which a request is at its bank that leaves its slice now
	put, puts         Time // an SM cycle, and the first cycle from it on
}

func newTimes(c *hardware.Config) *times {
	d := &c.DRAM
	perCycle := max(1, d.BusBytes*max(1, d.DataRate))
	burst := Time((d.BurstBytes + perCycle - 1) / perCycle)
	t := &times{
		DRAMConfig: d, burst: burst, gap: max(burst, Time(d.TCCD)), latency: Time(d.Latency),
		toWrite: max(0, Time(d.TCL)+burst+2-Time(d.TWL)), toRead: Time(d.TWL) + burst + Time(d.TCDLR),
		toPrecharge: Time(d.TWL) + burst + Time(d.TWR), open: Time(d.TRCD), openWrite: max(0, Time(d.TRCD-d.TWL-1)),
		ratio: timing.NewRatio(c.Clock.DRAMMHz, c.Clock.CoreMHz), refresh: timing.NewRefresh(d), lead: Time(d.Lead),
	}
	if d.ClockSums && c.Clock.DRAMMHz != c.Clock.CoreMHz {
		t.summed = newSummed(c)
	}
	for n := range t.columns {
		t.columns[n] = uint8((n<<hardware.SectorShift + d.BurstBytes - 1) / d.BurstBytes)
	}
	return t
}

// begin converts SM cycle t, in which channels act.
func (d *times) begin(t Time) {
	d.now, d.first, d.limit, d.comes = t, d.from(t), d.from(t+1), d.from(t+d.latency)
}

// timeOf returns the SM cycle in which a cycle begins.
func (d *times) timeOf(w Time) Time {
	if w >= d.first && w < d.limit {
		return d.now
	}
	return d.back(d.refresh.Begins(w)) - d.lead
}

// fromPut is from for the SM cycle of a request.
func (d *times) fromPut(t Time) Time {
	if t != d.put {
		d.put, d.puts = t, d.from(t)
	}
	return d.puts
}

// back returns the SM cycle, of those since both clocks began, in which a cycle of the channel's clock begins.
func (d *times) back(k Time) Time {
	t := d.ratio.Back(k)
	if d.summed != nil && d.summed.late(k) {
		t++
	}
	return t
}

// from returns the first cycle that begins in SM cycle t or later.
func (d *times) from(t Time) Time {
	if t += d.lead; t <= 0 {
		return 0
	}
	k := d.ratio.During(t - 1)
	if d.summed == nil || !d.summed.late(k) || d.ratio.Back(k) != t-1 { // or else it begins with t-1, but for rounding
		k++
	}
	return d.refresh.Worked(k)
}

// over returns the SM cycle in which w cycles, 1 or more, are over.
func (d *times) over(w Time) Time { return d.back(d.refresh.Ends(w)) - d.lead }
