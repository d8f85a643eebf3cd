package memory

// The units of the machine that keep data in global memory (records of groups, queues of tasks) access it without a
// packet: such an access takes the ports of the crossbar and of its slice at once, and waits for no fetch.

// ownPorts has the rings of slices' queues for such accesses, and for how long their replies hold a slice.
type ownPorts struct {
	waiting []ring
	owed    []Time
}

func newOwnPorts(m *cSystem) (o ownPorts) {
	c := m.cfg
	for range c.L2.Slices {
		o.waiting = append(o.waiting, newRing(&m.tables, c.L2.Queue+c.Icnt.Queue))
	}
	o.owed = make([]Time, c.L2.Slices)
	return o
}

// ReadSector is of [System].
func (m *cSystem) ReadSector(sm int, sector uint64, t Time) Time {
	i, t := m.request(sm, sector, t, m.dataFlits[0])
	return m.reply(sm, i, m.slices[i].read(sector, 1, t), m.flits(1))
}

// WriteSector is of [System].
func (m *cSystem) WriteSector(sm int, sector uint64, t Time) Time {
	i, t := m.request(sm, sector, t, m.flits(1))
	return m.reply(sm, i, m.slices[i].write(wholeSector(sector), t), m.dataFlits[0])
}

// AtomicSector is of [System].
func (m *cSystem) AtomicSector(sm int, sector uint64, t Time) Time {
	i, t := m.request(sm, sector, t, m.flits(1))
	return m.reply(sm, i, m.slices[i].atomic(wholeSector(sector), t), m.flits(1))
}

// request carries a request of so many flits from an SM to its slice, and returns that and when the slice takes it.
func (m *cSystem) request(sm int, sector uint64, t Time, flits int) (slice int, at Time) {
	i := m.mapping.slice(sector)
	s, waiting := &m.slices[i], &m.own.waiting[i]
	s.tags.bringFirst(sector >> (s.per & 63))
	leave := m.net.sms[sm].port.packet(t, flits)
	t = s.port.reserve(waiting.room(leave + m.latency))
	t = s.in.reserve(max(t, s.blocked))
	waiting.put(t)
	s.direct = true
	return i, t
}

// reply carries a reply back, and returns when it is at the SM.
func (m *cSystem) reply(sm, slice int, t Time, flits int) Time {
	s, in := &m.slices[slice], &m.net.homes[sm].port
	leave := s.out.packet(t, flits)
	if m.back != nil {
		if n := m.back.held(in, leave+m.latency, 0, &m.own.owed[slice]); n > 0 {
			s.out.fill(leave, n)
		}
	}
	return in.packet(leave+m.latency, flits)
}
