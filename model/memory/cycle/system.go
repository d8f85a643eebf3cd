package cycle

import (
	"gpureplay/model/clock"
	"gpureplay/model/hardware"
	"gpureplay/model/memory"
	"gpureplay/model/memory/dram"
	"gpureplay/model/memory/timing"
	"gpureplay/model/memory/unit"
)

// Time is in cycles of the SM clock since the start of the run.
type Time = clock.Time

// Never is later than any time of a run.
const Never = clock.Never

// System is the memory of the cycle-level engine.
type System struct {
	unit.Base
	latency Time               // of the crossbar, each way
	back    *timing.HeadOfLine // of replies to units of the machine; nil: a packet stops none behind it
	xbar    *crossbar
	slices  []*slice
	dram    *dram.Channels
	units   []*Unit
	own     ownPorts
}

// New makes the memory of a machine.
func New(c *hardware.Config) *System {
	m := &System{latency: Time(c.Icnt.Latency)}
	m.Base.Init(c)
	if c.Icnt.HeadOfLine {
		m.back = timing.NewHeadOfLine(c.L2.Slices, c.SM.Count)
	}
	m.xbar = newCrossbar(m)
	m.dram = dram.New(c, m.Mapping, &m.Tables)
	for i := range c.DRAM.Channels {
		m.Drams = append(m.Drams, &m.dram.Channel(i).Stats)
	}
	m.slices = m.xbar.slices
	for i := range m.slices {
		m.slices[i].init(m, i)
		m.L2s = append(m.L2s, &m.slices[i].Stats)
	}
	m.own = newOwnPorts(m)
	m.units = m.xbar.units
	for i := range m.units {
		m.units[i].init(m, i)
	}
	return m
}

// Port is of [memory.System].
func (m *System) Port(sm int) memory.Port { return m.units[sm] }

// Next is of [memory.System].
func (m *System) Next() Time { return m.xbar.next() }

// Advance is of [memory.System].
func (m *System) Advance(t Time) (woken, known []int) {
	n := m.xbar
	n.known = n.known[:0]
	n.advance(t)
	n.woken, n.spare = n.spare[:0], n.woken
	return n.spare, n.known
}

// Warm is of [memory.System].
func (m *System) Warm(addr, bytes uint64, t Time) {
	m.EachLine(addr, bytes, func(slice int, sector uint64, n uint) { m.slices[slice].warm(sector, n, t) })
}

// Leave is of [memory.System].
func (m *System) Leave(addr, bytes uint64, written bool, t Time) {
	m.EachLine(addr, bytes, func(slice int, sector uint64, n uint) { m.slices[slice].Leave(sector, n, written, t) })
}

// Watch is of [memory.System].
func (m *System) Watch(w memory.Watcher) {
	m.Watcher = w
	m.dram.Watch(w)
}

// Records is of [memory.System].
func (m *System) Records() []memory.Record {
	m.dram.Finish()
	return m.Base.Records()
}
