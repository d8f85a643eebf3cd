package model

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Flights give what a sorted list gives: times before the window and beyond it,
// and many at one cycle, included.
func TestFlights(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 5))
		f := newFlights()
		var want []Time
		now := Time(0)
		for range 5000 {
			switch op := r.IntN(10); {
			case op < 5:
				x := max(0, now+Time(r.IntN(300))-20)
				if r.IntN(20) == 0 {
					x += Time(r.IntN(3 * flightWindow))
				}
				for range 1 + r.IntN(300)/298*300 {
					f.push(x)
					want = append(want, x)
				}
				slices.Sort(want)
			case op < 7 && len(want) > 0:
				if got := f.pop(); got != want[0] {
					t.Fatalf("seed %d: pop %d, want %d", seed, got, want[0])
				}
				want = want[1:]
			case op >= 7:
				now += Time(r.IntN(40))
				if r.IntN(200) == 0 {
					now += 5 * flightWindow
				}
				at := max(0, now-Time(r.IntN(30)))
				f.drop(at)
				for len(want) > 0 && want[0] <= at {
					want = want[1:]
				}
			}
			if f.n() != len(want) {
				t.Fatalf("seed %d: holds %d, want %d", seed, f.n(), len(want))
			}
		}
	}
}
