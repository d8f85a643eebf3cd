package clock

// Kind says whom an event is for. Events of one cycle are handled in the order of
// their kinds, then in the order in which they were posted.
type Kind uint8

// Event is one thing that happens at a time.
type Event struct {
	T    Time
	key  uint64 // kind in the top byte, then the order of posting
	A, B uint64
}

// Kind is the event's subject.
func (e *Event) Kind() Kind { return Kind(e.key >> 56) }

func (e *Event) before(f *Event) bool {
	return e.T < f.T || e.T == f.T && e.key < f.key
}

// Queue is a 4-ary heap of events with a total order. It allocates only when it
// grows beyond its largest size so far.
type Queue struct {
	heap   []Event
	posted uint64
}

// Post adds an event with its kind and two numbers of its receiver.
func (q *Queue) Post(t Time, k Kind, a, b uint64) {
	q.posted++
	q.heap = append(q.heap, Event{t, uint64(k)<<56 | q.posted, a, b})
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

// Next returns the time of the first event, or the end of time.
func (q *Queue) Next() Time {
	if len(q.heap) == 0 {
		return never
	}
	return q.heap[0].T
}

// Pop takes the first event.
func (q *Queue) Pop() Event {
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
