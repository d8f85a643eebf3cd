package cycle

// admission is the entry of a slice behind the ROP delay, where requests wait that have crossed the crossbar
// (docs/model, choice 32). One passes in a cycle. The slice's queue lies behind the delay, and the entry looks at that
// queue alone. So it stays open while requests in the delay have not reached the queue. A slice acts here its latency
// before its time, and the entry looks at the queue as it was that long ago.
type admission struct {
	limit  int32  // of requests in a slice's queue, from which on the gate is closed
	most   int32  // of requests that wait at it
	calm   int32  // below so many at the slice it cannot be closed by those on their way to it
	outer  fifo   // requests that wait at it, or are on their way there
	closed bool   // as of the last look
	turns  []Time // since then: when the requests in the queue came to the limit, or fell below it, in turn
	last   Time   // when a request passed last
}

// newAdmission returns the gate of a slice of a network.
func newAdmission(n *crossbar) admission {
	c := n.m.Cfg
	g := admission{limit: int32(max(1, c.L2.Queue-sectorsOfLine)), most: int32(max(1, c.Icnt.Queue)), last: -1}
	coming := int32(float64(n.latency+1)*c.Clock.IcntMHz/c.Clock.CoreMHz) + 2 // most that are on their way to it
	if g.most > 2*coming {
		g.calm = max(0, g.limit-coming)
	}
	return g
}

// sectorsOfLine is for how many requests GPGPU-Sim wants room in a slice's queue, less one
// (SECTOR_CHUNCK_SIZE in memory_sub_partition::full).
const sectorsOfLine = 3

// full reports whether a slice lets nothing more come.
func (q *sliceQueue) full() bool { return q.outer.n >= q.admission.most }

// turned notes that in cycle t as many requests wait at the slice as close its gate, or no longer. A change that is
// undone within a cycle does not count.
func (g *admission) turned(t Time) {
	if n := len(g.turns); n > 0 && g.turns[n-1] == t {
		g.turns = g.turns[:n-1]
		return
	}
	g.turns = append(g.turns, t)
}

// look finds whether the gate was closed by the requests that waited at the slice in cycle t, which is no earlier
// than at the last look.
func (g *admission) look(t Time) {
	n := 0
	for n < len(g.turns) && g.turns[n] <= t {
		n++
	}
	if n > 0 {
		g.closed = g.closed != (n&1 == 1)
		g.turns = append(g.turns[:0], g.turns[n:]...)
	}
}

// open reports whether a request that comes to the gate in cycle t passes at once, which is
// known before.
func (n *crossbar) open(q *sliceQueue, t Time) bool {
	if q.n >= q.calm || q.outer.n > 0 || q.last >= t {
		return false
	}
	q.look(t - 1 - n.rop)
	return !q.closed && len(q.turns) == 0
}

// admit lets one of the packets that ask a slice come to it, and one pass its gate.
func (n *crossbar) admit(slice int, t Time) {
	q := n.queues[slice]
	if q.asks > 0 && !q.full() {
		n.admitOne(q, slice, t)
	}
	if q.outer.n > 0 {
		n.pass(q, slice, t)
	}
}

// admitOne lets one of the packets that ask a slice come to it. A request past the L1 comes a cycle sooner than a miss.
// GPGPU-Sim sends it in the cycle in which the unit takes it (ldst_unit::memory_cycle). It sends a miss in the cycle
// behind that in which the L1 finds it (baseline_cache::cycle precedes L1_latency_queue_cycle). Here both go to the
// crossbar at once.
func (n *crossbar) admitOne(q *sliceQueue, slice int, t Time) {
	port := turnOf(q.asking, q.turn)
	o := n.injects[port]
	all := n.packets.all
	k := o.first(all)
	lat := n.latency
	if k.way.Bypasses() {
		lat = max(0, lat-1)
	}
	if !q.of.port.Grab(t + lat) {
		if at, free := q.of.port.Claim(t+lat, 1); !free {
			n.post(n.admits+slice, at-lat)
			return
		}
	}
	q.asking[port>>6] &^= 1 << (port & 63)
	q.turn = int32(port) + 1
	q.asks--
	id := o.pop(k)
	k.ready = max(t+lat, t+1)
	if o.requested = false; o.n > 0 {
		n.ask(o, port, t, slice)
	}
	if o.n == n.most-1 { // there is room again
		for sm := port; sm < len(n.injects); sm += n.ports {
			n.follow(n.leaves + sm)
		}
	}
	if n.open(q, k.ready-1) {
		q.last = k.ready - 1
		if q.push(all, id); q.n == 1 {
			n.scheduleFirst(q, slice, t)
		}
	} else {
		q.outer.push(all, id)
	}
	if q.asks > 0 {
		n.follow(n.admits + slice)
	}
}

// pass lets the first request at a gate pass in cycle t, if it may.
func (n *crossbar) pass(q *sliceQueue, slice int, t Time) {
	all := n.packets.all
	k := q.outer.first(all)
	if at := max(k.ready-1, q.last+1); at > t {
		n.post(n.admits+slice, at)
		return
	}
	if q.look(t - 1 - n.rop); q.closed {
		if len(q.turns) > 0 {
			n.post(n.admits+slice, q.turns[0]+1+n.rop)
		}
		return
	}
	id := q.outer.pop(k)
	k.ready, q.last = t+1, t
	if q.push(all, id); q.n == 1 {
		n.scheduleFirst(q, slice, t)
	}
	if q.n == q.limit {
		q.turned(t)
	}
	if q.outer.n > 0 || q.asks > 0 {
		n.follow(n.admits + slice)
	}
}

// taken notes that a slice has taken a request in cycle t.
func (n *crossbar) taken(q *sliceQueue, slice int, t Time) {
	if q.n != q.limit-1 {
		return
	}
	if q.turned(t); q.outer.n > 0 {
		n.post(n.admits+slice, t+1+n.rop)
	}
}
