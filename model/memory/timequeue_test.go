package memory

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The queue gives what a sorted list gives, through growth and round its ring.
func TestTimeQueue(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var q timeQueue
	var want []Time
	for range 20_000 {
		switch op := r.IntN(10); {
		case op < 5:
			x := Time(r.IntN(1000))
			q.push(x)
			want = append(want, x)
			slices.Sort(want)
		case op < 8 && len(want) > 0:
			if got := q.pop(); got != want[0] {
				t.Fatalf("pop %d, want %d", got, want[0])
			}
			want = want[1:]
		case op == 9 && len(want) > 0:
			x := q.first() + Time(r.IntN(20))
			q.drop(x)
			for len(want) > 0 && want[0] <= x {
				want = want[1:]
			}
		}
		if q.n != len(want) || q.n > 0 && q.first() != want[0] {
			t.Fatalf("holds %d, want %v", q.n, want)
		}
	}
}
