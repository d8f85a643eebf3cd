package memory

import (
	"testing"
	"unsafe"
)

// A queue gives packets back in the order in which they came, also while it grows and
// goes round.
func TestFifoKeepsOrder(t *testing.T) {
	var q fifo
	next, want := uint64(0), uint64(0)
	for round := range 200 {
		for range round % 7 {
			q.push(&packet{sector: next})
			next++
		}
		for i := 0; i < round%5 && q.n > 0; i++ {
			if got := q.pop().sector; got != want {
				t.Fatalf("packet %d comes for %d", got, want)
			}
			want++
		}
		if int(q.n) != int(next-want) {
			t.Fatalf("%d packets of %d", q.n, next-want)
		}
	}
}

// What packets have no room for is kept until it is dropped.
func TestRestsKeepRequests(t *testing.T) {
	var s rests
	a, b := s.keep(&request{sector: 1, turns: 3}), s.keep(&request{sector: 2})
	if r := s.drop(a); r.sector != 1 || r.turns != 3 {
		t.Errorf("%+v", *r)
	}
	if c := s.keep(&request{sector: 3}); c != a {
		t.Errorf("a request that was dropped leaves no room: %d for %d", c, a)
	}
	if r := s.drop(b); r.sector != 2 {
		t.Errorf("%+v", *r)
	}
}

// Two packets fill a line of the host's caches.
func TestPacketIsSmall(t *testing.T) {
	if n := unsafe.Sizeof(packet{}); n != 32 {
		t.Errorf("%d bytes", n)
	}
}
