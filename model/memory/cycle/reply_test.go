package cycle

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A slice's answers go by the time at which they are ready, equal times as they came, also while their queue grows
// and goes round.
func TestAnswersGoByTime(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	q, s := replyQueue{soon: Never}, packets{}
	var want []packet
	for i := range int32(5000) {
		if r.IntN(9) < 5 {
			x := packet{ready: Time(i) + Time(r.IntN(12)), of: i}
			at := len(want)
			for at > 0 && want[at-1].ready > x.ready {
				at--
			}
			want = slices.Insert(want, at, x)
			k := s.put()
			*k = x
			q.push(k)
		}
		if i%500 > 250 && len(want) > 0 {
			got := q.pop()
			if got.ready != want[0].ready || got.of != want[0].of {
				t.Fatalf("%+v comes for %+v", *got, want[0])
			}
			s.drop(got)
			want = want[1:]
		}
		first := Never
		if len(want) > 0 {
			first = want[0].ready
		}
		if q.soon != first {
			t.Fatalf("the first is said to be ready at %d, not %d", q.soon, first)
		}
	}
}
