package dram

// request is one for sectors of a row. It lies in one place and goes from queue to queue by its number.
type request struct {
	row   uint64
	t     Time  // the cycle from which on it may leave a queue; at its bank the SM cycle in which it came there
	fetch int32 // the fetch that waits for it; NoFetch: none
	next  int32 // the request behind it in its queue; of one that is free the next
	bank  uint8
	n     uint8 // sectors
	write bool
	slice uint16 // its number at the channel
}

// requests are the requests of a channel.
type requests struct {
	all  []request
	free int32
}

// none is the number of no request.
const none = -1

func newRequests() requests { return requests{free: none} }

// open returns the number of a request that is to be filled in.
func (s *requests) open() int32 {
	id := s.free
	if id == none {
		s.all = append(s.all, request{})
		return int32(len(s.all) - 1)
	}
	s.free = s.all[id].next
	return id
}

// close drops a request, which is there until another is opened.
func (s *requests) close(id int32) { s.all[id].next, s.free = s.free, id }

// queue is a queue of requests, a chain.
type queue struct {
	at            Time // from when on the first may leave; Never: there is none
	head, tail, n int32
}

func newQueue() queue { return queue{at: Never} }

// push puts a request behind the others.
func (q *queue) push(all []request, id int32) {
	if q.n == 0 {
		q.head, q.at = id, all[id].t
	} else {
		all[q.tail].next = id
	}
	q.tail = id
	q.n++
}

// pop takes the first request out.
func (q *queue) pop(all []request) {
	q.head = all[q.head].next
	if q.n--; q.n == 0 {
		q.at = Never
		return
	}
	q.at = all[q.head].t
}

// bankQueue has the requests that wait for a bank, in the order in which they came.
type bankQueue struct {
	first int32 // none: there is none
	last  int32
	row   uint64 // that it goes on with while it has requests to it; noOpenRow: none; of channels with a write queue
}

// push puts a request behind the others.
func (q *bankQueue) push(all []request, id int32) {
	all[id].next = none
	if q.first == none {
		q.first = id
	} else {
		all[q.last].next = id
	}
	q.last = id
}

// choose takes out the oldest request to a row, of whose number the bits of mask count, or else the oldest.
func (q *bankQueue) choose(all []request, row, mask uint64) (id int32) {
	before := int32(none)
	for id = q.first; id != none; before, id = id, all[id].next {
		if all[id].row&mask == row {
			break
		}
	}
	if id == none {
		id, before = q.first, none
	}
	if before == none {
		q.first = all[id].next
	} else {
		all[before].next = all[id].next
	}
	if q.last == id {
		q.last = before
	}
	return id
}
