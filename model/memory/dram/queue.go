package dram

// request is one for sectors of a row. It lies in one place and goes from queue to queue.
type request struct {
	row   uint64
	t     Time     // the cycle from which on it may leave a queue; at its bank the SM cycle in which it came there
	next  *request // the one behind it in its queue; of one that is free the next
	fetch int32    // the fetch that waits for it; NoFetch: none
	bank  uint8
	n     uint8 // sectors
	write bool
	slice uint16 // its number at the channel
}

// requests are the requests of a channel.
type requests struct{ free *request }

// open returns a request that is to be filled in.
func (s *requests) open() *request {
	if s.free == nil {
		s.grow()
	}
	r := s.free
	s.free = r.next
	return r
}

// grow makes room for more requests, side by side.
func (s *requests) grow() {
	for more := make([]request, 64); len(more) > 0; more = more[1:] {
		s.close(&more[0])
	}
}

// close drops a request, which is there until another is opened.
func (s *requests) close(r *request) { r.next, s.free = s.free, r }

// queue is a queue of requests, a chain.
type queue struct {
	at         Time // from when on the first may leave; Never: there is none
	head, tail *request
	n          int32
}

func newQueue() queue { return queue{at: Never} }

// push puts a request behind the others.
func (q *queue) push(r *request) {
	if q.n == 0 {
		q.head, q.at = r, r.t
	} else {
		q.tail.next = r
	}
	q.tail = r
	q.n++
}

// pop takes the first request out.
func (q *queue) pop() *request {
	r := q.head
	q.head = r.next
	if q.n--; q.n == 0 {
		q.at = Never
	} else {
		q.at = q.head.t
	}
	return r
}

// bankQueue has the requests that wait for a bank, in the order in which they came.
type bankQueue struct {
	first *request // nil: there is none
	last  *request
	row   uint64 // that it goes on with while it has requests to it; noOpenRow: none; of channels with a write queue
}

// push puts a request behind the others.
func (q *bankQueue) push(r *request) {
	r.next = nil
	if q.first == nil {
		q.first = r
	} else {
		q.last.next = r
	}
	q.last = r
}

// choose takes out the oldest request to a row, of whose number the bits of mask count, or else the oldest.
func (q *bankQueue) choose(row, mask uint64) *request {
	var before *request
	r := q.first
	for r != nil && r.row&mask != row {
		before, r = r, r.next
	}
	if r == nil {
		before, r = nil, q.first
	}
	if before == nil {
		q.first = r.next
	} else {
		before.next = r.next
	}
	if q.last == r {
		q.last = before
	}
	return r
}
