package timing

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The queue gives the same as a sorted list, through growth and round its ring.
func TestTimeQueue(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var q TimeQueue
	var want []Time
	for range 20_000 {
		switch op := r.IntN(10); {
		case op < 5:
			x := Time(r.IntN(1000))
			q.Push(x)
			want = append(want, x)
			slices.Sort(want)
		case op < 8 && len(want) > 0:
			if got := q.Pop(); got != want[0] {
				t.Fatalf("pop %d, want %d", got, want[0])
			}
			want = want[1:]
		case op == 9 && len(want) > 0:
			x := q.First() + Time(r.IntN(20))
			q.Drop(x)
			for len(want) > 0 && want[0] <= x {
				want = want[1:]
			}
		}
		if q.N != len(want) || q.N > 0 && q.First() != want[0] {
			t.Fatalf("holds %d, want %v", q.N, want)
		}
	}
}
