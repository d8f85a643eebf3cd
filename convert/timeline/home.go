package timeline

import (
	"math"
	"slices"
)

// homes finds the process that drives each device. A correlation id of one launching call
// tells it. Files that merge the traces of several processes may have a call of each under
// one id; there the processes are given to the devices as wholes.
type homes struct {
	votes  map[pairing]uint64
	shared map[pairing]*delays // of ids with calls of several processes
	of     map[uint32]uint64   // the result: the process of a device
}

type pairing struct {
	device uint32
	host   uint64
}

// delays sum up the times from calls to activities, ns.
type delays struct {
	n, early uint64 // early: activities that began before the call
	squares  float64
}

func newHomes() *homes {
	return &homes{votes: map[pairing]uint64{}, shared: map[pairing]*delays{}, of: map[uint32]uint64{}}
}

// vote notes that a process launched an activity of a device.
func (h *homes) vote(device uint32, host uint64) {
	if host != 0 && len(h.votes) < maxDevices {
		h.votes[pairing{device, host}]++
	}
}

// either notes that one of several calls launched an activity.
func (h *homes) either(r *row, calls []row) {
	for i := range calls {
		c := &calls[i]
		at := pairing{r.device, c.host}
		d := h.shared[at]
		if d == nil {
			if c.host == 0 || len(h.shared) == maxDevices {
				continue
			}
			d = &delays{}
			h.shared[at] = d
		}
		delay := r.start - c.start
		if d.n++; delay < 0 {
			d.early++
		}
		d.squares += float64(delay) * float64(delay)
	}
}

// elect makes the result: of the votes, and for devices without one of the delays.
func (h *homes) elect() {
	best := map[uint32]uint64{}
	for p, n := range h.votes {
		if n > best[p.device] || n == best[p.device] && p.host < h.of[p.device] {
			best[p.device], h.of[p.device] = n, p.host
		}
	}
	taken := map[uint64]bool{}
	for _, host := range h.of {
		taken[host] = true
	}
	var open []uint32
	for p := range h.shared {
		if _, ok := h.of[p.device]; !ok {
			open = append(open, p.device)
		}
	}
	slices.Sort(open)
	h.assign(slices.Compact(open), taken)
}

// mostMatched is the most devices whose assignment is searched in full; more get theirs one by one.
const mostMatched = 8

// assign gives the devices processes that are not taken, one each. The sum of all delays is
// the same in every assignment. So the one with the least sum of squares has the most equal
// delays, as launches of a quiet GPU do. A begin before its call costs more than any delay.
func (h *homes) assign(devices []uint32, taken map[uint64]bool) {
	var hosts []uint64
	for p := range h.shared {
		if !taken[p.host] {
			hosts = append(hosts, p.host)
		}
	}
	slices.Sort(hosts)
	hosts = slices.Compact(hosts)
	for len(devices) > 0 {
		m := matching{h: h, devices: devices[:min(len(devices), mostMatched)], hosts: hosts, least: math.Inf(1)}
		m.search(0, 0, nil)
		for i, host := range m.best {
			h.of[m.devices[i]] = host
			hosts = slices.DeleteFunc(hosts, func(x uint64) bool { return x == host })
		}
		devices = devices[len(m.devices):]
	}
}

// matching searches the assignment of least cost.
type matching struct {
	h       *homes
	devices []uint32
	hosts   []uint64
	least   float64
	best    []uint64 // a process for each device
}

func (m *matching) search(i int, cost float64, chosen []uint64) {
	if cost >= m.least {
		return
	}
	if i == len(m.devices) {
		m.least, m.best = cost, slices.Clone(chosen)
		return
	}
	for _, host := range m.hosts {
		d := m.h.shared[pairing{m.devices[i], host}]
		if d != nil && !slices.Contains(chosen, host) {
			m.search(i+1, cost+d.squares+earlyCost*float64(d.early), append(chosen, host))
		}
	}
}

// earlyCost is the square of a day, ns².
const earlyCost = 86400e9 * 86400e9
