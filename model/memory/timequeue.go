package memory

// timeQueue holds times in ascending order in a ring. Times come nearly in
// order, so that one moves past few others; a heap would touch more.
type timeQueue struct {
	ring []Time // a power of two
	head int
	n    int
}

// first returns the earliest time of a queue that is not empty.
func (q *timeQueue) first() Time { return q.ring[q.head] }

// drop takes the times up to t out.
func (q *timeQueue) drop(t Time) {
	for q.n > 0 && q.ring[q.head] <= t {
		q.pop()
	}
}

// pop takes the earliest time out.
func (q *timeQueue) pop() Time {
	t := q.ring[q.head]
	q.head = (q.head + 1) & (len(q.ring) - 1)
	q.n--
	return t
}

// push puts a time in its place, after those that equal it.
func (q *timeQueue) push(t Time) {
	if q.n == len(q.ring) {
		q.grow()
	}
	mask := len(q.ring) - 1
	i := (q.head + q.n) & mask
	for n := q.n; n > 0; n-- {
		before := (i - 1) & mask
		if q.ring[before] <= t {
			break
		}
		q.ring[i] = q.ring[before]
		i = before
	}
	q.ring[i] = t
	q.n++
}

func (q *timeQueue) grow() {
	ring := make([]Time, max(16, 2*len(q.ring)))
	for i := range q.n {
		ring[i] = q.ring[(q.head+i)&(len(q.ring)-1)]
	}
	q.ring, q.head = ring, 0
}
