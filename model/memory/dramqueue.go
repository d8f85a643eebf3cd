package memory

// dramRequest is one for sectors of a row, half a line of the host's caches.
type dramRequest struct {
	row   uint64
	t     Time  // when it came to its bank
	fetch int32 // what waits for it; noFetch: nothing
	next  int32
	bank  uint8
	n     uint8 // sectors
	left  uint8 // column commands that are not given
	write bool
}

// dramQueue is a queue of requests, by number, a ring. When the first may leave it stands
// there: nothing of the request is looked at before.
type dramQueue struct {
	ring  []queuedRequest // a power of two
	head  uint32
	n     uint32
	slice int32 // of which it is
}

type queuedRequest struct {
	t  Time // the cycle from which on it may leave the queue
	id int32
}

const noRequest = -1

func newDRAMQueue(slice int32) dramQueue {
	return dramQueue{ring: make([]queuedRequest, 8), slice: slice}
}

// first returns the first of a queue that is not empty.
func (q *dramQueue) first() *queuedRequest { return &q.ring[q.head&uint32(len(q.ring)-1)] }

func (q *dramQueue) push(id int32, t Time) {
	if int(q.n) == len(q.ring) {
		ring := make([]queuedRequest, 2*len(q.ring))
		for i := range q.n {
			ring[i] = q.ring[(q.head+i)&uint32(len(q.ring)-1)]
		}
		q.ring, q.head = ring, 0
	}
	q.ring[(q.head+q.n)&uint32(len(q.ring)-1)] = queuedRequest{t, id}
	q.n++
}

func (q *dramQueue) pop() int32 {
	id := q.first().id
	q.head++
	q.n--
	return id
}

// bankQueues have the requests that wait for each bank, in the order in which they came,
// with their rows: all are looked at. They lie where they are found without the bank.
type bankQueues struct {
	rows []waitingRow
	each int // places of a bank
}

type waitingRow struct {
	row   uint64
	id    int32
	write bool
}

func newBankQueues(banks, each int) bankQueues {
	return bankQueues{make([]waitingRow, banks*each), each}
}

// push puts a request behind the others of a bank.
func (q *bankQueues) push(b int, x *dramBank, k waitingRow) {
	q.rows[b*q.each+int(x.queued)] = k
	x.queued++
}

// choose takes out the oldest request to the open row of a bank, or else the oldest.
func (q *bankQueues) choose(b int, x *dramBank) waitingRow {
	all, at := q.rows[b*q.each:b*q.each+int(x.queued)], 0
	for i := range all {
		if all[i].row == x.row {
			at = i
			break
		}
	}
	k, last := all[at], len(all)-1
	for ; at < last; at++ {
		all[at] = all[at+1]
	}
	x.queued--
	return k
}
