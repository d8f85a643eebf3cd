package memory

// dramRequest is one for sectors of a row, half a line of the host's caches.
type dramRequest struct {
	row    uint64
	t      Time  // the cycle from which on it may leave the queue that it is in; of a bank, when it came
	fetch  int32 // what waits for it; noFetch: nothing
	next   int32
	slice  uint16
	bank   uint8
	n      uint8 // sectors
	left   uint8 // column commands that are not given
	write  bool
	opened bool // its row was opened for it
}

// dramQueue is a queue of requests, by number.
type dramQueue struct{ head, tail, n int32 }

const noRequest = -1

func (q *dramQueue) push(all []dramRequest, id int32) {
	if q.n == 0 {
		q.head = id
	} else {
		all[q.tail].next = id
	}
	q.tail = id
	q.n++
}

func (q *dramQueue) pop(all []dramRequest) int32 {
	id := q.head
	q.head = all[id].next
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
