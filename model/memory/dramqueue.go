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

// choose takes out the oldest request to a row, or else the oldest.
func (q *dramQueue) choose(all []dramRequest, row uint64) int32 {
	before, id := int32(noRequest), q.head
	for range q.n {
		r := &all[id]
		if r.row != row {
			before, id = id, r.next
			continue
		}
		if before == noRequest {
			break
		}
		if all[before].next = r.next; q.tail == id {
			q.tail = before
		}
		q.n--
		return id
	}
	return q.pop(all)
}
