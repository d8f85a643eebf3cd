package memory

import "math/bits"

// waiters are requests that wait for fills of an L1 which serves them in the order of
// the fills: all of one, a cycle each, then those of the next (GPGPU-Sim's
// mshr_table::next_access). Who comes before a request is known when none may join an
// earlier fill any more. Until then a load is said to be done with its last fill.
type waiters struct {
	ahead Time // how long before a fill its waiters are known
	soon  Time // when the next are to be served
	loads []waitingLoad
	spare []int32 // of loads
	late  []Late
	order bool // of fills
	later bool // fill times are not known when a load issues

	// Those of the fills in a window, by cycle: the last that came, in a ring with the others.
	last  []int32 // 0: none; a power of two
	words []uint64
	base  Time // the window's first cycle
	nodes []waiter
	free  int32 // of nodes
	near  int
	far   []farWaiter // of later fills, in the order in which they came

	unit *LSU // that is told what has been served of fetches; nil: none
}

// waitWindow is how many cycles the window has, and shortWindow that of fills of which
// nobody knows until they are about to come: less of the host's caches.
const (
	waitWindow  = 1 << 12
	shortWindow = 1 << 9
)

// waiter is one request in the ring of its fill.
type waiter struct{ load, fetch, next int32 }

type farWaiter struct {
	fill        Time
	load, fetch int32
}

// waitingLoad is a load with requests that have not been served.
type waitingLoad struct {
	left       int32
	open       int32 // requests of which nobody knows when they are back
	closed     bool  // the unit has taken all
	work       *Traffic
	to         destination
	own        bool // of shared memory, and to be written by the register
	said, done Time
}

// Late is a load whose last request is served later than its last fill comes.
type Late struct {
	Load int32
	Said Time // when a dependent instruction was said to issue, or Unknown
	Done Time // when it may
}

// noLoad is the number of a load that waits for no fill.
const noLoad = -1

func newWaiters(t *tables, ahead Time, window int) *waiters {
	return &waiters{
		ahead: ahead, soon: Never,
		last: newTable[int32](t, window), words: newTable[uint64](t, window/64), nodes: make([]waiter, 1),
	}
}

// open returns the number of a new load, which issues at t.
func (q *waiters) open(t Time) int32 {
	if q.near == 0 && len(q.far) == 0 && !q.later {
		q.base = max(q.base, t+q.ahead+1)
	}
	if n := len(q.spare); n > 0 {
		id := q.spare[n-1]
		q.spare = q.spare[:n-1]
		return id
	}
	q.loads = append(q.loads, waitingLoad{})
	return int32(len(q.loads) - 1)
}

// end returns the first cycle behind the window.
func (q *waiters) end() Time { return q.base + Time(len(q.last)) }

// at returns the place of a cycle of the window.
func (q *waiters) at(t Time) uint { return uint(t) & uint(len(q.last)-1) }

// wait adds a request of a load to those of the fill of a fetch.
func (q *waiters) wait(load, fetch int32, fill Time) {
	q.loads[load].left++
	q.soon = min(q.soon, fill-q.ahead)
	if fill >= q.end() {
		q.far = append(q.far, farWaiter{fill, load, fetch})
		return
	}
	q.join(load, fetch, fill)
}

func (q *waiters) join(load, fetch int32, fill Time) {
	n := q.free
	if n == 0 {
		n = int32(len(q.nodes))
		q.nodes = append(q.nodes, waiter{})
	} else {
		q.free = q.nodes[n].next
	}
	i := q.at(fill)
	q.nodes[n] = waiter{load, fetch, n}
	if last := q.last[i]; last != 0 {
		q.nodes[n].next, q.nodes[last].next = q.nodes[last].next, n
	}
	q.last[i] = n
	q.words[i>>6] |= 1 << (i & 63)
	q.near++
}

// serve lets the waiters of fills up to a time take the port, in order.
func (q *waiters) serve(until Time, port *slots) []Late {
	for {
		for q.near > 0 {
			fill := q.first()
			if fill > until {
				break
			}
			q.serveFill(fill, port)
		}
		if until < q.end() || len(q.far) == 0 {
			break
		}
		q.base = max(q.end(), min(q.nearest(), until+1)) // the window is empty
		q.approach()
	}
	q.base = max(q.base, until+1)
	q.soon = Never
	if len(q.far) > 0 {
		q.approach()
		q.soon = q.nearest() - q.ahead
	}
	if q.near > 0 {
		q.soon = q.first() - q.ahead
	}
	return q.late
}

// nearest returns the first fill behind the window, or the end of time.
func (q *waiters) nearest() Time {
	first := Never
	for i := range q.far {
		first = min(first, q.far[i].fill)
	}
	return first
}

// first returns the cycle of the first fill of the window.
func (q *waiters) first() Time {
	e, mask := q.base>>6, Time(len(q.words)-1)
	w := q.words[e&mask] >> (uint(q.base) & 63) << (uint(q.base) & 63)
	for w == 0 {
		e++
		w = q.words[e&mask]
	}
	return e<<6 + Time(bits.TrailingZeros64(w))
}

// serveFill serves the waiters of the fill that comes at a time.
func (q *waiters) serveFill(fill Time, port *slots) {
	i := q.at(fill)
	last := q.last[i]
	for n := q.nodes[last].next; ; {
		x := q.nodes[n]
		q.near--
		at := port.take(fill)
		q.served(x.load, at)
		if q.unit != nil {
			q.unit.servedOf(x.fetch, at)
		}
		q.nodes[n].next, q.free = q.free, n
		if n == last {
			break
		}
		n = x.next
	}
	q.last[i] = 0
	q.words[i>>6] &^= 1 << (i & 63)
}

// served notes that a request of a load has been served.
func (q *waiters) served(load int32, t Time) {
	l := &q.loads[load]
	l.done = max(l.done, t)
	if l.left--; l.left > 0 {
		return
	}
	if q.later && (!l.closed || l.open > 0) {
		return
	}
	if l.done > l.said {
		q.late = append(q.late, Late{load, l.said, l.done})
	}
	q.forget(load)
}

// forget gives the number of a load to another.
func (q *waiters) forget(load int32) {
	q.loads[load] = waitingLoad{}
	q.spare = append(q.spare, load)
}

// approach takes those into the window that it has come to.
func (q *waiters) approach() {
	kept := q.far[:0]
	for _, x := range q.far {
		if x.fill < q.end() {
			q.join(x.load, x.fetch, x.fill)
		} else {
			kept = append(kept, x)
		}
	}
	q.far = kept
}
