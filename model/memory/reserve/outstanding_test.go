package reserve

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Outstanding misses admit the same as a list that is searched each time: times before the window and beyond it,
// and many at one cycle, included.
func TestFlights(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 5))
		f := newOutstandingMisses(nil)
		var list []Time
		limit := 1 + r.IntN(400)
		var now, latest Time
		for n := range 5000 {
			now += Time(r.IntN(20))
			if r.IntN(500) == 0 {
				now += 5 * flightWindow
			}
			at := max(0, now-Time(r.IntN(200)))
			latest = max(latest, at)
			list = slices.DeleteFunc(list, func(x Time) bool { return x <= latest })
			want := at
			if len(list) >= limit {
				want = list[0]
				list = list[1:]
			}
			if got := f.admit(at, limit); got != want {
				t.Fatalf("seed %d, request %d at %d: admitted at %d, want %d", seed, n, at, got, want)
			}
			fill := max(0, want+Time(r.IntN(2000))-50)
			if r.IntN(100) == 0 {
				fill += Time(r.IntN(3 * flightWindow))
			}
			for range 1 + r.IntN(300)/298*300 { // beyond a cycle's largest count
				f.push(fill)
				list = append(list, fill)
			}
			slices.Sort(list)
		}
	}
}
