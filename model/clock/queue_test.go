package clock

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The queue gives events in the order of (time, kind, posting), whatever the
// order in which they come and go.
func TestQueueOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var q Queue
		var want []Event // the queue's events, sorted
		now := Time(0)
		for range 300 {
			if r.IntN(5) < 3 || len(want) == 0 {
				q.Post(now+Time(r.IntN(50)), Kind(r.IntN(12)), r.Uint64(), 0)
				i := slices.IndexFunc(q.heap, func(e Event) bool { return e.key<<8>>8 == q.posted })
				want = append(want, q.heap[i])
				slices.SortFunc(want, func(a, b Event) int {
					if a.before(&b) {
						return -1
					}
					return 1
				})
				continue
			}
			if q.Next() != want[0].T {
				t.Fatalf("next is %d, want %d", q.Next(), want[0].T)
			}
			if got := q.Pop(); got != want[0] {
				t.Fatalf("popped %+v, want %+v", got, want[0])
			}
			now, want = want[0].T, want[1:]
		}
	}
}

// Events of one cycle go by kind, then by posting.
func TestQueueTies(t *testing.T) {
	var q Queue
	q.Post(5, 10, 1, 0)
	q.Post(5, 0, 2, 0)
	q.Post(5, 10, 3, 0)
	q.Post(4, 11, 4, 0)
	q.Post(5, 0, 5, 0)
	for _, want := range []uint64{4, 2, 5, 1, 3} {
		if e := q.Pop(); e.A != want {
			t.Fatalf("popped event %d, want %d", e.A, want)
		}
	}
	if q.Next() != never {
		t.Error("an empty queue has a next event")
	}
}

// The wheel gives the next cycle in which an SM acts, all around its slots.
func TestWheel(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	w := NewWheel(70)
	acting := make([]uint64, w.words)
	for range 20000 {
		at := w.Now + Time(r.IntN(WheelSlots))
		sm := r.IntN(70)
		w.Add(at, sm)
		if got := w.Next(); got != at {
			t.Fatalf("at %d: next is %d, want %d", w.Now, got, at)
		}
		if !w.Take(at, acting) || acting[sm>>6]>>(sm&63)&1 == 0 {
			t.Fatalf("the slot of cycle %d does not hold SM %d", at, sm)
		}
		w.Now = at
		if w.Next() != never {
			t.Fatal("an empty wheel has a next cycle")
		}
		w.Now += Time(r.IntN(3))
	}
}
