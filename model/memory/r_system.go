package memory

import "gpureplay/model/hardware"

// rSystem is the memory of the reserve engine. The whole way of a request is computed in one call, each stage
// reserving the cycles that it needs.
type rSystem struct {
	Base
	work     *Traffic    // of the access at hand
	others   Traffic     // of the accesses of no kernel
	latency  Time        // of the crossbar, each way
	ahead    *headOfLine // of requests; nil: a packet stops none behind it
	back     *headOfLine // of replies
	ports    []smPort
	slices   []rSlice
	channels []channel
	units    []rUnit
}

// newReserve makes the memory of a machine.
func newReserve(c *hardware.Config) *rSystem {
	m := &rSystem{latency: Time(c.Icnt.Latency)}
	m.Base.init(c)
	if c.Icnt.HeadOfLine {
		m.ahead, m.back = newHeadOfLine(c.SM.Count, c.L2.Slices), newHeadOfLine(c.L2.Slices, c.SM.Count)
	}
	r := NewRatio(c.Clock.IcntMHz, c.Clock.CoreMHz)
	for range c.SM.Count {
		m.ports = append(m.ports, smPort{out: newSlots(&m.tables, r), in: newSlots(&m.tables, r), queue: newRing(&m.tables, c.L1.MissQueue+c.Icnt.Queue)})
	}
	for range c.DRAM.Channels {
		m.channels = append(m.channels, newChannel(&m.tables, c, m.mapping))
	}
	for i := range c.L2.Slices {
		m.slices = append(m.slices, newRSlice(&m.tables, c, m.mapping, &m.channels[channelOf(c, i)]))
	}
	for i := range m.slices {
		m.l2s = append(m.l2s, &m.slices[i].stats)
	}
	for i := range m.channels {
		m.drams = append(m.drams, &m.channels[i].stats)
	}
	m.work, m.units = &m.others, make([]rUnit, c.SM.Count)
	for i := range m.units {
		m.units[i].init(m, i)
	}
	return m
}

// Port is of [System].
func (m *rSystem) Port(sm int) Port { return &m.units[sm] }

// Next is of [System]: nothing moves by itself.
func (m *rSystem) Next() Time { return Never }

// Advance is of [System].
func (m *rSystem) Advance(Time) (woken, known []int) { return nil, nil }

// read fetches sectors of a block for an SM and returns when they are there.
func (m *rSystem) read(p *smPort, sector uint64, mask uint8, t Time) Time {
	s, t := m.request(p, sector, t, m.dataFlits[0])
	before := s.counts()
	t = s.read(sector, mask, t)
	m.count(before, s.counts())
	return m.answer(p, s, t, m.flits(mask))
}

// write sends what a request writes, and returns when the SM has the
// acknowledgement.
func (m *rSystem) write(p *smPort, r *request, t Time) Time {
	s, t := m.request(p, r.sector, t, m.flits(r.mask))
	before := s.counts()
	t = s.write(r, t)
	m.count(before, s.counts())
	return m.answer(p, s, t, m.dataFlits[0])
}

// atomic performs the read-modify-writes of a request in the L2, one in each of its
// turns of its slice.
func (m *rSystem) atomic(p *smPort, r *request, t Time) Time {
	s, t := m.request(p, r.sector, t, m.flits(r.mask))
	before := s.counts()
	if r.turns > 1 {
		t = s.in.packet(t, r.turns-1)
	}
	t = s.atomic(r, t)
	m.count(before, s.counts())
	return m.answer(p, s, t, m.flits(r.mask))
}

// Warm is of [System].
func (m *rSystem) Warm(addr, bytes uint64, t Time) {
	m.warm(addr, bytes, func(slice int, sector uint64, n uint) { m.slices[slice].warm(sector, n, t) })
}

// Watch is of [System].
func (m *rSystem) Watch(w Watcher) {
	m.watcher = w
	for i := range m.channels {
		m.channels[i].watcher, m.channels[i].number = w, i
	}
}

// ReadSector is of [System].
func (m *rSystem) ReadSector(sm int, sector uint64, t Time) Time {
	return m.read(&m.ports[sm], sector, 1, t)
}

// WriteSector is of [System].
func (m *rSystem) WriteSector(sm int, sector uint64, t Time) Time {
	return m.write(&m.ports[sm], wholeSector(sector), t)
}

// AtomicSector is of [System].
func (m *rSystem) AtomicSector(sm int, sector uint64, t Time) Time {
	return m.atomic(&m.ports[sm], wholeSector(sector), t)
}

// counts is what a slice and its channel have counted.
type counts struct{ accesses, hits, reads, writes uint64 }

func (s *rSlice) counts() counts {
	c := &s.chan_.stats
	return counts{s.stats.Accesses, s.stats.Hits, c.ReadSectors, c.WriteSectors}
}

// count books what a slice did for a request on the kernel that makes it.
func (m *rSystem) count(before, after counts) {
	w := m.work
	w.L2Accesses += after.accesses - before.accesses
	w.L2Hits += after.hits - before.hits
	w.DRAMReads += after.reads - before.reads
	w.DRAMWrites += after.writes - before.writes
}
