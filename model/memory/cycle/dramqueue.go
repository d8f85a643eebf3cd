package cycle

// dramRequest is one for sectors of a row. It lies in the queue in which it waits: a channel
// that acts again would wait for each that lay elsewhere.
type dramRequest struct {
	row   uint64
	t     Time  // the cycle from which on it may leave a queue; at its bank the SM cycle in which it came there
	fetch int32 // the fetch that waits for it; noFetch: none
	bank  uint8
	n     uint8 // sectors
	write bool
}

// dramQueue is a queue of requests, a ring.
type dramQueue struct {
	ring  []dramRequest // a power of two
	head  uint32
	n     uint32
	slice int32 // that sent it
}

func newDRAMQueue(slice int32) dramQueue {
	return dramQueue{ring: make([]dramRequest, 8), slice: slice}
}

// first returns the first of a queue that is not empty.
func (q *dramQueue) first() *dramRequest { return &q.ring[q.head&uint32(len(q.ring)-1)] }

// push returns the place of one more request, which is to be filled in.
func (q *dramQueue) push() *dramRequest {
	if int(q.n) == len(q.ring) {
		q.grow()
	}
	q.n++
	return &q.ring[(q.head+q.n-1)&uint32(len(q.ring)-1)]
}

func (q *dramQueue) grow() {
	ring := make([]dramRequest, 2*len(q.ring))
	for i := range q.n {
		ring[i] = q.ring[(q.head+i)&uint32(len(q.ring)-1)]
	}
	q.ring, q.head = ring, 0
}

// drop takes the first request out.
func (q *dramQueue) drop() {
	q.head++
	q.n--
}

// bankQueues have the requests that wait for each bank, in the order in which they came: a
// chain of each bank. A channel's lie in one place, of as many as may wait.
type bankQueues struct {
	all  []bankRequest
	free int32
}

type bankRequest struct {
	dramRequest
	next int32 // behind it; of one that is free the next
}

// noRequest is the number of no request.
const noRequest = -1

func newBankQueues(most int) bankQueues {
	q := bankQueues{all: make([]bankRequest, most), free: noRequest}
	for i := range q.all {
		q.all[i].next, q.free = q.free, int32(i)
	}
	return q
}

// bankQueue has the requests that wait for a bank.
type bankQueue struct {
	first int32 // noRequest: none
	last  int32
	row   uint64 // that it goes on with while it has requests to it; noOpenRow: none; of channels with a write queue
}

// push puts a request behind the others of a bank, and returns it, to be filled in.
func (q *bankQueues) push(x *bankQueue) *dramRequest {
	id := q.free
	k := &q.all[id]
	k.next, q.free = noRequest, k.next
	if x.first == noRequest {
		x.first = id
	} else {
		q.all[x.last].next = id
	}
	x.last = id
	return &k.dramRequest
}

// choose takes out the oldest request of a bank to a row, of whose number the bits of mask
// count, or else the oldest. It is there until another is pushed.
func (q *bankQueues) choose(x *bankQueue, row, mask uint64) *dramRequest {
	id, before := x.first, int32(noRequest)
	for at, last := id, int32(noRequest); at != noRequest; at, last = q.all[at].next, at {
		if q.all[at].row&mask == row {
			id, before = at, last
			break
		}
	}
	k := &q.all[id]
	if before == noRequest {
		x.first = k.next
	} else {
		q.all[before].next = k.next
	}
	if x.last == id {
		x.last = before
	}
	k.next, q.free = q.free, id
	return &k.dramRequest
}
