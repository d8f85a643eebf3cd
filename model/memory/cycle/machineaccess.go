package cycle

import (
	"gpureplay/model/memory/coalesce"
	"gpureplay/model/memory/timing"
)

// Some units of the machine keep data in global memory: records of groups, queues of tasks. They access it without a
// packet. Such an access takes the ports of the crossbar and of its slice at once, and waits for no fetch.

// ownPorts has the rings of slices' queues for such accesses, and for how long their replies hold a slice.
type ownPorts struct {
	waiting []timing.LeaveTimes
	owed    []Time
}

func newOwnPorts(m *System) (o ownPorts) {
	c := m.Cfg
	for range c.L2.Slices {
		o.waiting = append(o.waiting, timing.NewLeaveTimes(&m.Tables, c.L2.Queue+c.Icnt.Queue))
	}
	o.owed = make([]Time, c.L2.Slices)
	return o
}

// ReadSector is of [memory.System].
func (m *System) ReadSector(sm int, sector uint64, t Time) Time {
	i, t := m.request(sm, sector, t, m.DataFlits[0])
	line, bit := m.slices[i].find(sector)
	return m.reply(sm, i, m.slices[i].read(line, bit, sector, 1, t), m.Flits(1))
}

// WriteSector is of [memory.System].
func (m *System) WriteSector(sm int, sector uint64, t Time) Time {
	i, t := m.request(sm, sector, t, m.Flits(1))
	line, bit := m.slices[i].find(sector)
	return m.reply(sm, i, m.slices[i].write(line, bit, coalesce.WholeSector(sector), t), m.DataFlits[0])
}

// AtomicSector is of [memory.System].
func (m *System) AtomicSector(sm int, sector uint64, t Time) Time {
	i, t := m.request(sm, sector, t, m.Flits(1))
	line, bit := m.slices[i].find(sector)
	return m.reply(sm, i, m.slices[i].atomic(line, bit, coalesce.WholeSector(sector), t), m.Flits(1))
}

// request carries a request of so many flits from an SM to its slice, and returns that and when the slice takes it.
func (m *System) request(sm int, sector uint64, t Time, flits int) (slice int, at Time) {
	i := m.Mapping.Slice(sector)
	s, waiting := m.slices[i], &m.own.waiting[i]
	leave := m.units[sm].inject.port.Packet(t, flits)
	t = s.port.Reserve(waiting.Room(leave + m.latency))
	t = s.in.Reserve(max(t+m.xbar.rop, s.blocked))
	waiting.Put(t - m.xbar.rop)
	s.own = true
	return i, t
}

// reply carries a reply back, and returns when it is at the SM.
func (m *System) reply(sm, slice int, t Time, flits int) Time {
	s, in := m.slices[slice], &m.xbar.ejects[m.xbar.portOf(sm)].port
	leave := s.out.Packet(t, flits)
	if m.back != nil {
		if n := m.back.Held(in, leave+m.latency, 0, &m.own.owed[slice]); n > 0 {
			s.out.Fill(leave, n)
		}
	}
	return in.Packet(leave+m.latency, flits)
}
