package timing

// TimeQueue holds times in ascending order in a ring. Times come nearly in
// order, so that one moves past few others; a heap would touch more.
type TimeQueue struct {
	ring []Time // a power of two
	head int
	N    int
}

// First returns the earliest time of a queue that is not empty.
func (q *TimeQueue) First() Time { return q.ring[q.head] }

// Drop takes the times up to t out.
func (q *TimeQueue) Drop(t Time) {
	for q.N > 0 && q.ring[q.head] <= t {
		q.Pop()
	}
}

// Pop takes the earliest time out.
func (q *TimeQueue) Pop() Time {
	t := q.ring[q.head]
	q.head = (q.head + 1) & (len(q.ring) - 1)
	q.N--
	return t
}

// Push puts a time in its place, after those that equal it.
func (q *TimeQueue) Push(t Time) {
	if q.N == len(q.ring) {
		q.grow()
	}
	mask := len(q.ring) - 1
	i := (q.head + q.N) & mask
	for n := q.N; n > 0; n-- {
		before := (i - 1) & mask
		if q.ring[before] <= t {
			break
		}
		q.ring[i] = q.ring[before]
		i = before
	}
	q.ring[i] = t
	q.N++
}

func (q *TimeQueue) grow() {
	ring := make([]Time, max(16, 2*len(q.ring)))
	for i := range q.N {
		ring[i] = q.ring[(q.head+i)&(len(q.ring)-1)]
	}
	q.ring, q.head = ring, 0
}
