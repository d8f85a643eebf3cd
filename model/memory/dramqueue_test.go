package memory

import (
	"math/rand/v2"
	"testing"
)

// A queue of a channel gives requests in the order in which they came, with their times,
// also when it grows while it goes round.
func TestDRAMQueueKeepsOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	q := newDRAMQueue(0)
	var put, got int32
	for range 20_000 {
		if q.n == 0 || r.IntN(100) < 52 && q.n < 50 {
			q.push(put, Time(2*put))
			put++
			continue
		}
		if at := q.first().t; at != Time(2*got) {
			t.Fatalf("request %d has time %d", got, at)
		}
		if id := q.pop(); id != got {
			t.Fatalf("request %d before %d", id, got)
		}
		got++
	}
	if len(q.ring) <= 8 || got < 5000 {
		t.Errorf("%d requests went through a ring of %d", got, len(q.ring))
	}
}

// A bank gives the oldest request to its open row, and without one the oldest.
func TestBankQueuesPreferTheOpenRow(t *testing.T) {
	q, x := newBankQueues(2, 4), &dramBank{row: 7}
	for i, row := range []uint64{5, 7, 6, 7} {
		q.push(1, x, waitingRow{row: row, id: int32(i)})
	}
	for _, want := range []int32{1, 3, 0, 2} {
		if k := q.choose(1, x); k.id != want {
			t.Errorf("request %d, want %d", k.id, want)
		}
	}
	if x.queued != 0 {
		t.Errorf("%d are left", x.queued)
	}
}
