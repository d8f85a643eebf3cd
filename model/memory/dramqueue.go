package memory

// dramRequest is one for sectors of a row.
type dramRequest struct {
	row    uint64
	t      Time  // the cycle from which on it may leave the queue that it is in; of a bank, when it came
	fetch  int32 // what waits for it; noFetch: nothing
	next   int32
	slice  int32
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

// bankQueue has the requests that wait for a bank, in the order in which they came, with
// their rows: all are looked at.
type bankQueue []waitingRow

type waitingRow struct {
	row uint64
	id  int32
}

func (q *bankQueue) push(id int32, row uint64) { *q = append(*q, waitingRow{row, id}) }

// choose takes out the oldest request to a row, or else the oldest.
func (q *bankQueue) choose(row uint64) int32 {
	all, at := *q, 0
	for i := range all {
		if all[i].row == row {
			at = i
			break
		}
	}
	id, last := all[at].id, len(all)-1
	for ; at < last; at++ {
		all[at] = all[at+1]
	}
	*q = all[:last]
	return id
}
