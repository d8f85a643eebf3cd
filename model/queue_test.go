package model

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
		var q queue
		var want []event // what is in the queue, sorted
		now := Time(0)
		for range 300 {
			if r.IntN(5) < 3 || len(want) == 0 {
				q.post(now+Time(r.IntN(50)), eventKind(r.IntN(int(evSM)+1)), r.Uint64(), 0)
				i := slices.IndexFunc(q.heap, func(e event) bool { return e.key<<8>>8 == q.posted })
				want = append(want, q.heap[i])
				slices.SortFunc(want, func(a, b event) int {
					if a.before(&b) {
						return -1
					}
					return 1
				})
				continue
			}
			if q.next() != want[0].t {
				t.Fatalf("next is %d, want %d", q.next(), want[0].t)
			}
			if got := q.pop(); got != want[0] {
				t.Fatalf("popped %+v, want %+v", got, want[0])
			}
			now, want = want[0].t, want[1:]
		}
	}
}

// Events of one cycle go by kind, then by posting.
func TestQueueTies(t *testing.T) {
	var q queue
	q.post(5, evCTAs, 1, 0)
	q.post(5, evHost, 2, 0)
	q.post(5, evCTAs, 3, 0)
	q.post(4, evSM, 4, 0)
	q.post(5, evHost, 5, 0)
	for _, want := range []uint64{4, 2, 5, 1, 3} {
		if e := q.pop(); e.a != want {
			t.Fatalf("popped event %d, want %d", e.a, want)
		}
	}
	if q.next() != never {
		t.Error("an empty queue has a next event")
	}
}

// The wheel gives the next cycle in which an SM acts, all around its slots.
func TestWheel(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	w := newWheel(70)
	acting := make([]uint64, w.words)
	for range 20000 {
		at := w.now + Time(r.IntN(wheelSlots))
		sm := r.IntN(70)
		w.add(at, sm)
		if got := w.next(); got != at {
			t.Fatalf("at %d: next is %d, want %d", w.now, got, at)
		}
		if !w.take(at, acting) || acting[sm>>6]>>(sm&63)&1 == 0 {
			t.Fatalf("the slot of cycle %d does not hold SM %d", at, sm)
		}
		w.now = at
		if w.next() != never {
			t.Fatal("an empty wheel has a next cycle")
		}
		w.now += Time(r.IntN(3))
	}
}
