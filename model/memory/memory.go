package memory

import (
	"gpureplay/model/hardware"
)

// System is what lies behind the SMs: crossbar, L2 slices and DRAM channels.
// The whole way of a request is computed in one call, each stage reserving the
// cycles that it needs.
type System struct {
	work   *Traffic // what requests are booked on
	others Traffic  // those of no kernel

	cfg      *hardware.Config
	latency  Time        // crossbar, each way
	ahead    *headOfLine // of requests; nil: a packet stops none behind it, or net has them
	back     *headOfLine // of answers
	net      *network    // nil: a request is timed as it issues
	ports    []smPort
	slices   []slice
	channels []channel
	mapping  *mapping
	l1s      []*l1     // of the SMs
	tables   tables    // of all of them
	watcher  Watcher   // nil: nobody is told
	co       Coalescer // of all SMs: they access one after another

	dataFlits [maxSectors + 1]int    // of a packet with so many sectors
	maskFlits [1 << maxSectors]uint8 // and with these of a block
}

// requestBytes is the head of every packet: address, kind and sender.
const requestBytes = 8

// New makes what lies behind the SMs of a machine; [LSU.Init] adds each SM's own part.
func New(c *hardware.Config) *System {
	r := NewRatio(c.Clock.IcntMHz, c.Clock.CoreMHz)
	m := &System{
		cfg: c, latency: Time(c.Icnt.Latency), mapping: newMapping(c),
	}
	for n := range m.dataFlits {
		m.dataFlits[n] = (requestBytes + n<<hardware.SectorShift + c.Icnt.FlitBytes - 1) / c.Icnt.FlitBytes
	}
	for mask := range m.maskFlits {
		_, sectors := carried(uint8(mask))
		m.maskFlits[mask] = uint8(m.dataFlits[sectors])
	}
	if c.CycleMemory() {
		m.net = newNetwork(m)
	}
	if c.Icnt.HeadOfLine {
		m.back = newHeadOfLine(c.L2.Slices, c.SM.Count)
		if m.net == nil {
			m.ahead = newHeadOfLine(c.SM.Count, c.L2.Slices)
		}
	}
	for range c.SM.Count {
		out, in := newSlots(&m.tables, r), newSlots(&m.tables, r)
		m.ports = append(m.ports, smPort{out: &out, in: &in, queue: newRing(&m.tables, c.L1.MissQueue+c.Icnt.Queue)})
	}
	for range c.DRAM.Channels {
		m.channels = append(m.channels, newChannel(&m.tables, c, m.mapping))
	}
	perChannel := max(1, c.L2.Slices/max(1, c.DRAM.Channels))
	for i := range c.L2.Slices {
		m.slices = append(m.slices, newSlice(&m.tables, c, m.mapping, &m.channels[i/perChannel%len(m.channels)]))
	}
	if m.net != nil {
		m.net.connect()
		m.net.control()
	}
	m.co.table = new(coalesceTable)
	m.work, m.l1s = &m.others, make([]*l1, c.SM.Count)
	return m
}

// flits is how many a packet with the data of some sectors of a block has.
func (m *System) flits(mask uint8) int { return int(m.maskFlits[mask&(1<<maxSectors-1)]) }

// read fetches sectors of a block for an SM and returns when they are there.
func (m *System) read(p *smPort, sector uint64, mask uint8, t Time) Time {
	s, t := m.request(p, sector, t, m.dataFlits[0])
	before := s.counts()
	t = s.read(sector, mask, t)
	m.work.serve(before, s.counts())
	return m.answer(p, s, t, m.flits(mask))
}

// write sends what a request writes, and returns when the SM has the
// acknowledgement.
func (m *System) write(p *smPort, r *request, t Time) Time {
	s, t := m.request(p, r.sector, t, m.flits(r.mask))
	before := s.counts()
	t = s.write(r, t)
	m.work.serve(before, s.counts())
	return m.answer(p, s, t, m.dataFlits[0])
}

// atomic performs the read-modify-writes of a request in the L2, one in each of its
// turns of its slice.
func (m *System) atomic(p *smPort, r *request, t Time) Time {
	s, t := m.request(p, r.sector, t, m.flits(r.mask))
	before := s.counts()
	if r.turns > 1 {
		t = s.in.packet(t, r.turns-1)
	}
	t = s.atomic(r, t)
	m.work.serve(before, s.counts())
	return m.answer(p, s, t, m.flits(r.mask))
}

// Warm leaves what a copy has written in the L2; of one larger than the L2 its
// last part.
func (m *System) Warm(addr, bytes uint64, t Time) {
	if most := uint64(m.cfg.L2.Bytes); bytes > most {
		addr, bytes = addr+bytes-most, most
	}
	per := uint64(m.cfg.L2.LineBytes >> hardware.SectorShift)
	last := (addr + bytes + 1<<hardware.SectorShift - 1) >> hardware.SectorShift
	for s := addr >> hardware.SectorShift; s < last; {
		next := min(last, (s/per+1)*per)
		m.slices[m.mapping.slice(s)].warm(s, uint(next-s), t)
		s = next
	}
}

// Records returns what the caches and channels counted.
func (m *System) Records() []Record {
	if m.net != nil {
		for _, c := range m.net.controllers { // what was written at last is still on its way
			c.run(Never)
		}
	}
	var all []Record
	l1 := Record{Level: "l1", Index: -1}
	for i, c := range m.l1s {
		r := Record{Level: "l1", Index: int32(i)}
		st := &c.stats
		r.Accesses, r.Hits, r.Misses = st.reads+st.writes, st.hits, st.misses
		r.ReadSectors, r.WriteSectors = st.reads, st.writes
		l1.addUp(&r)
		all = append(all, r)
	}
	l2 := Record{Level: "l2", Index: -1}
	for i := range m.slices {
		r := m.slices[i].stats
		r.Level, r.Index = "l2", int32(i)
		l2.addUp(&r)
		all = append(all, r)
	}
	dram := Record{Level: "dram", Index: -1}
	for i := range m.channels {
		r := m.channels[i].stats
		r.Level, r.Index = "dram", int32(i)
		dram.addUp(&r)
		all = append(all, r)
	}
	return append([]Record{l1, l2, dram}, all...)
}

func (r *Record) addUp(x *Record) {
	r.Accesses += x.Accesses
	r.Hits += x.Hits
	r.Misses += x.Misses
	r.ReadSectors += x.ReadSectors
	r.WriteSectors += x.WriteSectors
	r.RowHits += x.RowHits
	r.BusyCycles += x.BusyCycles
}

// ReadSector reads a sector for an SM past its L1, of what a unit of the machine keeps in
// global memory, and returns when it is there.
func (m *System) ReadSector(sm int, sector uint64, t Time) Time {
	return m.read(&m.ports[sm], sector, 1, t)
}

// WriteSector writes a whole sector for an SM past its L1.
func (m *System) WriteSector(sm int, sector uint64, t Time) Time {
	return m.write(&m.ports[sm], &request{sector: sector, mask: 1, bytes: [maxSectors]uint32{allBytes}}, t)
}

// AtomicSector performs an atomic in a sector for an SM, which reaches the crossbar at t.
func (m *System) AtomicSector(sm int, sector uint64, t Time) Time {
	return m.atomic(&m.ports[sm], &request{sector: sector, mask: 1, turns: 1}, t)
}
