package model

// eventKind says which unit an event is for. Events of one cycle are handled in
// the order of their kinds, then in the order in which they were posted.
type eventKind uint8

const (
	evHost      eventKind = iota // the host goes on
	evCopyEnd                    // a = stream: its copy has ended
	evArrive                     // a = kernel slot: reaches the KMU
	evChild                      // a = number of a request: reaches the KMU
	evGroups                     // a = number of a call: its groups reach the CTA scheduler
	evDispatch                   // a = kernel slot: enters the distributor
	evRelease                    // a = kernel slot: it only waits for children
	evKernelEnd                  // a = kernel slot: its last CTA has ended
	evAccess                     // a = what, b = of what: for the dependency that works on accesses
	evTask                       // a = argument, b = what: for the narrow tasks and their runtime
	evCTAs                       // the CTA scheduler looks again
	evSM                         // a = SM: wakes, farther ahead than the wheel reaches
)

// event is one thing that happens at a time.
type event struct {
	t    Time
	key  uint64 // kind in the top byte, then the order of posting
	a, b uint64
}

func (e *event) kind() eventKind { return eventKind(e.key >> 56) }

func (e *event) before(f *event) bool {
	return e.t < f.t || e.t == f.t && e.key < f.key
}

// queue is a 4-ary heap of events with a total order. It allocates only when it
// grows beyond its largest size so far.
type queue struct {
	heap   []event
	posted uint64
}

func (q *queue) post(t Time, kind eventKind, a, b uint64) {
	q.posted++
	q.heap = append(q.heap, event{t, uint64(kind)<<56 | q.posted, a, b})
	h := q.heap
	i := len(h) - 1
	e := h[i]
	for i > 0 {
		p := (i - 1) / 4
		if !e.before(&h[p]) {
			break
		}
		h[i] = h[p]
		i = p
	}
	h[i] = e
}

// next returns the time of the first event, or the end of time.
func (q *queue) next() Time {
	if len(q.heap) == 0 {
		return never
	}
	return q.heap[0].t
}

func (q *queue) pop() event {
	h := q.heap
	top := h[0]
	n := len(h) - 1
	e := h[n]
	q.heap = h[:n]
	i := 0
	for {
		first := 4*i + 1
		if first >= n {
			break
		}
		c := first
		for j := first + 1; j < first+4 && j < n; j++ {
			if h[j].before(&h[c]) {
				c = j
			}
		}
		if !h[c].before(&e) {
			break
		}
		h[i] = h[c]
		i = c
	}
	if n > 0 {
		h[i] = e
	}
	return top
}
