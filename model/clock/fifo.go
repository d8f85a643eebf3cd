package clock

import "slices"

// FIFO is a queue that takes and gives in constant time and keeps its memory.
type FIFO[T any] struct {
	items []T
	head  int
}

// Len is how many items there are.
func (q *FIFO[T]) Len() int { return len(q.items) - q.head }

// Push adds an item behind the others.
func (q *FIFO[T]) Push(x T) {
	if q.head > 0 && len(q.items) == cap(q.items) {
		n := copy(q.items, q.items[q.head:])
		clear(q.items[n:])
		q.items, q.head = q.items[:n], 0
	}
	q.items = append(q.items, x)
}

// First returns the oldest item, which stays.
func (q *FIFO[T]) First() *T { return &q.items[q.head] }

// At returns the i-th item.
func (q *FIFO[T]) At(i int) *T { return &q.items[q.head+i] }

// Remove takes the i-th item out.
func (q *FIFO[T]) Remove(i int) {
	if i == 0 {
		q.Pop()
		return
	}
	q.items = slices.Delete(q.items, q.head+i, q.head+i+1)
}

// Pop takes the oldest item.
func (q *FIFO[T]) Pop() T {
	var zero T
	x := q.items[q.head]
	q.items[q.head] = zero
	if q.head++; q.head == len(q.items) {
		q.items, q.head = q.items[:0], 0
	}
	return x
}
