package memory

import "gpureplay/model/hardware"

// cSystem is the memory of the cycle-level engine.
type cSystem struct {
	Base
	latency  Time        // of the crossbar, each way
	back     *headOfLine // of replies to units of the machine; nil: a packet stops none behind it
	net      *network
	slices   []cSlice
	channels []controller
	units    []cUnit
	own      ownPorts
}

// newCycle makes the memory of a machine.
func newCycle(c *hardware.Config) *cSystem {
	m := &cSystem{latency: Time(c.Icnt.Latency)}
	m.Base.init(c)
	if c.Icnt.HeadOfLine {
		m.back = newHeadOfLine(c.L2.Slices, c.SM.Count)
	}
	m.net = newNetwork(m)
	times := newDRAMTimes(c)
	m.channels, m.net.dramDue = make([]controller, c.DRAM.Channels), make([]Time, c.DRAM.Channels)
	for i := range m.channels {
		m.channels[i].init(m, times, i)
		m.net.dramDue[i] = Never
		m.drams = append(m.drams, &m.channels[i].stats)
	}
	m.net.dramTimes = times
	m.slices = make([]cSlice, c.L2.Slices)
	for i := range m.slices {
		m.slices[i].init(m, i)
		m.l2s = append(m.l2s, &m.slices[i].stats)
	}
	m.net.connect()
	m.units = make([]cUnit, c.SM.Count)
	for i := range m.units {
		m.units[i].init(m, i)
	}
	return m
}

// Port is of [System].
func (m *cSystem) Port(sm int) Port { return &m.units[sm] }

// Next is of [System].
func (m *cSystem) Next() Time { return m.net.next() }

// Advance is of [System].
func (m *cSystem) Advance(t Time) (woken, known []int) {
	n := m.net
	n.told = n.told[:0]
	n.advance(t)
	n.woken, n.spare = n.spare[:0], n.woken
	return n.spare, n.told
}

// Warm is of [System].
func (m *cSystem) Warm(addr, bytes uint64, t Time) {
	m.warm(addr, bytes, func(slice int, sector uint64, n uint) { m.slices[slice].warm(sector, n, t) })
}

// Watch is of [System].
func (m *cSystem) Watch(w Watcher) {
	m.watcher = w
	for i := range m.channels {
		m.channels[i].watcher = w
	}
}

// Records is of [System].
func (m *cSystem) Records() []Record {
	for i := range m.channels { // the last writes are still on their way
		m.channels[i].run(Never)
	}
	return m.Base.Records()
}
