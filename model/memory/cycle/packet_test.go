package cycle

import (
	"testing"
	"unsafe"

	"gpureplay/model/memory/coalesce"
)

// A queue gives packets back in the order in which they came, beside another of the same
// packets.
func TestFifoKeepsOrder(t *testing.T) {
	var s packets
	push := func(q *fifo, sector uint64) {
		k := s.put()
		k.sector = sector
		q.push(k)
	}
	pop := func(q *fifo) uint64 {
		k := q.pop()
		s.drop(k)
		return k.sector
	}
	var q, other fifo
	next, want := uint64(0), uint64(0)
	for round := range 200 {
		for range round % 7 {
			push(&q, next)
			push(&other, ^next)
			next++
		}
		for i := 0; i < round%5 && q.n > 0; i++ {
			if got := pop(&q); got != want {
				t.Fatalf("packet %d comes for %d", got, want)
			}
			if got := pop(&other); got != ^want {
				t.Fatalf("packet %d of the other comes for %d", ^got, want)
			}
			want++
		}
		if int(q.n) != int(next-want) {
			t.Fatalf("%d packets of %d", q.n, next-want)
		}
	}
}

// Payloads stay until they are dropped.
func TestRestsKeepRequests(t *testing.T) {
	s := newPayloads()
	a, b := s.keep(&coalesce.Request{Sector: 1, Turns: 3}, 8), s.keep(&coalesce.Request{Sector: 2}, 9)
	if r := s.drop(&packet{rest: true, of: a}); r.Sector != 1 || r.Turns != 3 || r.of != 8 {
		t.Errorf("%+v", *r)
	}
	if c := s.keep(&coalesce.Request{Sector: 3}, 10); c != a {
		t.Errorf("a request that was dropped leaves no room: %d for %d", c, a)
	}
	if r := s.drop(&packet{rest: true, of: b}); r.Sector != 2 {
		t.Errorf("%+v", *r)
	}
	if r := s.drop(&packet{of: 11, sector: 7, mask: 5}); r.of != 11 || r.Sector != 7 || r.Mask != 5 ||
		r.Bytes[2] != coalesce.AllBytes {
		t.Errorf("%+v", *r)
	}
}

// A packet has no more than its fields.
func TestPacketIsSmall(t *testing.T) {
	if n := unsafe.Sizeof(packet{}); n != 40 {
		t.Errorf("%d bytes", n)
	}
}
