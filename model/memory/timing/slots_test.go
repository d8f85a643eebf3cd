package timing

import (
	"math/rand/v2"
	"testing"
)

// A port gives each of its cycles once, the first free one at or after the
// time requested.
func TestSlotsAgainstASet(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	s := NewReservations(nil, SameClock)
	taken := map[Time]bool{}
	now := Time(0)
	for range 50000 {
		now += Time(r.IntN(3))
		at := now + Time(r.IntN(2000))
		want := at
		for taken[want] {
			want++
		}
		taken[want] = true
		if got := s.Reserve(at); got != want {
			t.Fatalf("asked for %d: got %d, want %d", at, got, want)
		}
	}
}

// Where a port is crowded, and some ask for times so early that later ones have taken
// their cycles over, it is found as by looking at every cycle.
func TestCrowdedSlots(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	s := NewReservations(nil, SameClock)
	taken, latest := map[Time]bool{}, map[Time]Time{}
	const words = Window / 64
	now := Time(0)
	for i := range 12000 {
		now += Time(r.IntN(2))
		if i%2000 == 1999 {
			now += Window
		}
		at := now + Time(r.IntN(200))
		switch r.IntN(8) {
		case 0:
			at += Time(r.IntN(6000))
		case 1:
			at = max(0, at-Window-Time(r.IntN(4000)))
		}
		want := at
		for taken[want] || latest[want/64%words] > want/64 {
			want++
		}
		taken[want], latest[want/64%words] = true, want/64
		if got := s.Reserve(at); got != want {
			t.Fatalf("reservation %d, asked for %d: got %d, want %d", i, at, got, want)
		}
	}
}

// The load of a port is kept for as long as it stands: until cycles before it are taken, or
// later ones have their place.
func TestKeptLoad(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	s := NewReservations(nil, SameClock)
	taken, latest := map[Time]bool{}, map[Time]Time{}
	const words = Window / 64
	for i := range 20000 {
		at := Time(i/50) + Time(r.IntN(400))
		if r.IntN(20) == 0 {
			at += Window - 400
		}
		got := s.Reserve(at)
		taken[got], latest[got/64%words] = true, got/64
		at, load := Time(i/50)+Time(r.IntN(400)), 0
		for c := max(0, at/64-2) * 64; c < at/64*64; c++ {
			if taken[c] || latest[c/64%words] > c/64 {
				load++
			}
		}
		if got := s.load(at); got != load {
			t.Fatalf("after %d reservations the load before %d is %d, want %d", i, at, got, load)
		}
	}
}

// A port with a clock of its own gives as many cycles as that clock has.
func TestSlotsOfAnotherClock(t *testing.T) {
	s := NewReservations(nil, NewRatio(500, 1000)) // a cycle of the port is two of the SM
	for i := range Time(10) {
		if got := s.Reserve(0); got != 2*i {
			t.Errorf("reservation %d at %d, want %d", i, got, 2*i)
		}
	}
	s = NewReservations(nil, NewRatio(1500, 1000)) // three cycles of the port in two of the SM
	for i, want := range []Time{0, 1, 2, 2, 3, 4, 4} {
		if got := s.Reserve(0); got != want {
			t.Errorf("reservation %d at %d, want %d", i, got, want)
		}
	}
}

// The slowest clocks that can be written have a ratio too; a clock of 0 is the SM's.
func TestSlowestRatio(t *testing.T) {
	for _, x := range []struct {
		clock, core float64
		want        Time
	}{{0.001, 0.002, 5}, {0.002, 0.001, 20}, {0.001, 0.001, 10}, {0, 0.002, 10}} {
		if r := NewRatio(x.clock, x.core); r.To(10) != x.want {
			t.Errorf("%v MHz beside %v: cycle 10 is %d, want %d", x.clock, x.core, r.To(10), x.want)
		}
	}
}
