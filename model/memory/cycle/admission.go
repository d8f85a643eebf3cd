package cycle

import "gpureplay/model/memory/timing"

// admission is the entry of a slice behind the ROP delay, where requests wait that have crossed the crossbar
// (docs/model, choice 32). One passes in a cycle. The slice's queue lies behind the delay, and the entry looks at that
// queue alone. So it stays open while requests in the delay have not reached the queue.
type admission struct {
	limit   int32   // of requests in a slice's queue, from which on the gate is closed
	most    int32   // of requests that wait at it
	early   bool    // so many that those on their way need not be counted: they may pass before they come
	outer   fifo    // requests that wait at it, or are on their way there
	last    Time    // when a request passed last
	arrived int32   // requests behind the delay, as of the last look
	delayed *packet // the first request in the delay, where there is one
	taken   Time    // when the slice took a request last
}

// newAdmission returns the gate of a slice of a network.
func newAdmission(n *crossbar) admission {
	c := n.m.Cfg
	g := admission{limit: int32(max(1, c.L2.Queue-sectorsOfLine)), most: int32(max(1, c.Icnt.Queue))}
	g.last, g.taken = -1, -1
	coming := int32(float64(crossing+2)*c.Clock.IcntMHz/c.Clock.CoreMHz) + 2 // most that are on their way to it
	g.early = g.most > 2*coming
	return g
}

// sectorsOfLine is for how many requests GPGPU-Sim wants room in a slice's queue, less one
// (SECTOR_CHUNCK_SIZE in memory_sub_partition::full).
const sectorsOfLine = 3

// full reports whether a slice lets nothing more come.
func (q *sliceQueue) full() bool { return q.outer.n >= q.admission.most }

// waiting returns how many requests have come to the slice before cycle t, and had not been taken before it.
func (q *sliceQueue) waiting(t Time) int32 {
	for q.arrived < q.n && q.delayed.ready <= t {
		q.arrived++
		q.delayed = q.delayed.next
	}
	if q.taken == t {
		return q.arrived + 1
	}
	return q.arrived
}

// open reports whether a request that comes to the gate in cycle at passes at once, which is known in cycle t before.
func (q *sliceQueue) open(at, t Time) bool {
	return q.early && q.outer.n == 0 && q.last < at && q.waiting(t)+int32(at-t) < q.limit
}

// comes has a request that has passed the gate in cycle t come to the slice, behind the delay.
func (n *crossbar) comes(s *slice, k *packet, t Time) {
	q := &s.input
	k.ready, q.last = t+1+n.rop, t
	h := n.ejects[n.portOf(int(k.sm))]
	if h.coming++; h.coming == 1 || k.ready+1 < h.soonest {
		h.soonest = k.ready + 1
	}
	if q.arrived == q.n {
		q.delayed = k
	}
	if q.push(k); q.n == 1 {
		n.scheduleFirst(s, t)
	}
}

// admit lets the first packet at a slice's gate pass, and then one of those that ask the slice come to it.
func (n *crossbar) admit(slice int, t Time) {
	s := n.slices[slice]
	q := &s.input
	if q.outer.n > 0 {
		n.pass(s, slice, t)
	}
	if q.asks > 0 && !q.full() {
		n.admitOne(s, slice, t)
	}
}

// admitOne lets one of the packets that ask a slice come to it.
func (n *crossbar) admitOne(s *slice, slice int, t Time) {
	q := &s.input
	port := timing.Turn(q.asking, q.turn)
	o := &n.inPorts[port]
	if !s.port.Grab(t + crossing) {
		if at, free := s.port.Claim(t+crossing, 1); !free {
			n.Post(n.admits+slice, at-crossing)
			return
		}
	}
	q.asking[port>>6] &^= 1 << (port & 63)
	q.turn = int32(port) + 1
	q.asks--
	k := o.pop()
	k.ready = t + crossing
	if o.requested = false; o.n > 0 {
		n.ask(o, port, t, slice)
	}
	if o.n == n.most-1 { // there is room again
		for sm := port; sm < len(n.units); sm += n.ports {
			n.Follow(n.leaves + sm)
		}
	}
	if at := k.ready - 1; q.open(at, t) {
		n.comes(s, k, at)
	} else if q.outer.push(k); q.outer.n == 1 {
		n.Post(n.admits+slice, at)
	}
	if q.asks > 0 {
		n.Follow(n.admits + slice)
	}
}

// pass lets the first request at a gate pass in cycle t, if it may.
func (n *crossbar) pass(s *slice, slice int, t Time) {
	q := &s.input
	if at := max(q.outer.head.ready-1, q.last+1); at > t {
		n.Post(n.admits+slice, at)
		return
	}
	if q.waiting(t) >= q.limit {
		if q.arrived < q.limit { // the slice has just taken one; or else the gate opens when it does
			n.Follow(n.admits + slice)
		}
		return
	}
	n.comes(s, q.outer.pop(), t)
	if q.outer.n > 0 || q.asks > 0 {
		n.Follow(n.admits + slice)
	}
}
