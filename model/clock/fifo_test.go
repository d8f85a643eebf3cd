package clock

import (
	"slices"
	"testing"
)

// The queue gives items in the order in which they came, wherever one is taken out, and
// keeps no item that has left.
func TestFIFOKeepsOrder(t *testing.T) {
	var q FIFO[int]
	var want []int
	for i := range 100 {
		q.Push(i)
		want = append(want, i)
		switch i % 4 {
		case 2: // from the middle
			q.Remove(1)
			want = slices.Delete(want, 1, 2)
		case 3:
			if got := q.Pop(); got != want[0] {
				t.Fatalf("pops %d, want %d", got, want[0])
			}
			want = want[1:]
		}
		if q.Len() != len(want) || *q.First() != want[0] || *q.At(len(want) - 1) != i {
			t.Fatalf("%d items from %d to %d, want %v", q.Len(), *q.First(), *q.At(q.Len() - 1), want)
		}
	}
	q.Remove(0)
	for _, x := range want[1:] {
		if got := q.Pop(); got != x {
			t.Fatalf("pops %d, want %d", got, x)
		}
	}
	if q.Len() != 0 || slices.ContainsFunc(q.items[:cap(q.items)], func(x int) bool { return x == 99 }) {
		t.Errorf("%d items are left, or their memory: %v", q.Len(), q.items[:cap(q.items)])
	}
}

// Memory does not grow with passed items: after 10,000 items with 3 at a time, the room is for few.
func TestFIFOUsesItsMemoryAgain(t *testing.T) {
	var q FIFO[int]
	for i := range 10000 {
		if q.Push(i); q.Len() > 3 {
			q.Pop()
		}
	}
	if cap(q.items) > 16 {
		t.Errorf("room for %d items where 4 are there at most", cap(q.items))
	}
}
