package reserve

import (
	"gpureplay/model/hardware"
	"gpureplay/model/memory"
	"gpureplay/model/memory/coalesce"
	"gpureplay/model/memory/timing"
	"gpureplay/model/memory/unit"
)

// System is the memory of the reserve engine. The whole way of a request is computed in one call, each stage
// reserving the cycles that it needs.
type System struct {
	unit.Base
	work     *memory.Traffic    // of the access at hand
	others   memory.Traffic     // of the accesses of no kernel
	latency  Time               // of the crossbar, each way
	ahead    *timing.HeadOfLine // of requests; nil: a packet stops none behind it
	back     *timing.HeadOfLine // of replies
	ports    []smPorts
	slices   []slice
	channels []channel
	units    []Unit
	grain    uint   // logarithm of how many sectors side by side lie in one slice
	chunk    uint64 // those that have been requested last
	of       *slice // theirs
}

// New makes the memory of a machine.
func New(c *hardware.Config) *System {
	m := &System{latency: Time(c.Icnt.Latency), chunk: ^uint64(0)}
	m.Base.Init(c)
	m.work, m.grain = &m.others, m.Mapping.Grain()
	if c.Icnt.HeadOfLine {
		m.ahead, m.back = timing.NewHeadOfLine(c.SM.Count, c.L2.Slices), timing.NewHeadOfLine(c.L2.Slices, c.SM.Count)
	}
	r := timing.NewRatio(c.Clock.IcntMHz, c.Clock.CoreMHz)
	for range c.SM.Count {
		m.ports = append(m.ports, smPorts{
			out: timing.NewReservations(&m.Tables, r), in: timing.NewReservations(&m.Tables, r),
			queue: timing.NewLeaveTimes(&m.Tables, c.L1.MissQueue+c.Icnt.Queue),
		})
	}
	for range c.DRAM.Channels {
		m.channels = append(m.channels, newChannel(&m.Tables, c, m.Mapping, &m.work))
	}
	for i := range c.L2.Slices {
		m.slices = append(m.slices, newSlice(&m.Tables, c, m.Mapping, &m.channels[unit.ChannelOf(c, i)], &m.work))
	}
	for i := range m.slices {
		m.L2s = append(m.L2s, &m.slices[i].Stats)
	}
	for i := range m.channels {
		m.Drams = append(m.Drams, &m.channels[i].stats)
	}
	m.units = make([]Unit, c.SM.Count)
	for i := range m.units {
		m.units[i].init(m, i)
	}
	return m
}

// Port is of [memory.System].
func (m *System) Port(sm int) memory.Port { return &m.units[sm] }

// Next is of [memory.System]: nothing moves by itself.
func (m *System) Next() Time { return Never }

// Advance is of [memory.System].
func (m *System) Advance(Time) (woken, known []int) { return nil, nil }

// read fetches sectors of a block for an SM and returns when they are there.
func (m *System) read(p *smPorts, sector uint64, mask uint8, t Time) Time {
	s, t := m.request(p, sector, t, m.DataFlits[0])
	return m.answer(p, s, s.read(sector, mask, t), m.Flits(mask))
}

// write sends a request's stores, and returns when the SM has the acknowledgement.
func (m *System) write(p *smPorts, r *coalesce.Request, t Time) Time {
	s, t := m.request(p, r.Sector, t, m.Flits(r.Mask))
	return m.answer(p, s, s.write(r, t), m.DataFlits[0])
}

// atomic performs the read-modify-writes of a request in the L2, one in each of its
// turns of its slice.
func (m *System) atomic(p *smPorts, r *coalesce.Request, t Time) Time {
	s, t := m.request(p, r.Sector, t, m.Flits(r.Mask))
	if r.Turns > 1 {
		t = s.in.Packet(t, r.Turns-1)
	}
	return m.answer(p, s, s.atomic(r, t), m.Flits(r.Mask))
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
	for i := range m.channels {
		m.channels[i].watcher, m.channels[i].number = w, i
	}
}

// ReadSector is of [memory.System].
func (m *System) ReadSector(sm int, sector uint64, t Time) Time {
	return m.read(&m.ports[sm], sector, 1, t)
}

// WriteSector is of [memory.System].
func (m *System) WriteSector(sm int, sector uint64, t Time) Time {
	return m.write(&m.ports[sm], coalesce.WholeSector(sector), t)
}

// AtomicSector is of [memory.System].
func (m *System) AtomicSector(sm int, sector uint64, t Time) Time {
	return m.atomic(&m.ports[sm], coalesce.WholeSector(sector), t)
}
