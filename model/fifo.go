package model

import "slices"

// fifo is a queue that takes and gives in constant time and keeps its memory.
type fifo[T any] struct {
	items []T
	head  int
}

func (q *fifo[T]) len() int { return len(q.items) - q.head }

func (q *fifo[T]) push(x T) {
	if q.head > 0 && len(q.items) == cap(q.items) {
		n := copy(q.items, q.items[q.head:])
		clear(q.items[n:])
		q.items, q.head = q.items[:n], 0
	}
	q.items = append(q.items, x)
}

// first returns the oldest item, which stays.
func (q *fifo[T]) first() *T { return &q.items[q.head] }

// remove takes the i-th item out.
func (q *fifo[T]) remove(i int) {
	if i == 0 {
		q.pop()
		return
	}
	q.items = slices.Delete(q.items, q.head+i, q.head+i+1)
}

func (q *fifo[T]) pop() T {
	var zero T
	x := q.items[q.head]
	q.items[q.head] = zero
	if q.head++; q.head == len(q.items) {
		q.items, q.head = q.items[:0], 0
	}
	return x
}
