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
	q := newReplyQueue()
	var want []reply
	for i := range int32(5000) {
		if r.IntN(9) < 5 {
			x := reply{at: Time(i) + Time(r.IntN(12)), of: i}
			at := len(want)
			for at > 0 && want[at-1].at > x.at {
				at--
			}
			want = slices.Insert(want, at, x)
			q.push(&x)
		}
		if i%500 > 250 && len(want) > 0 {
			var got reply
			if q.pop(&got); got != want[0] {
				t.Fatalf("%+v comes for %+v", got, want[0])
			}
			want = want[1:]
		}
		first := Never
		if len(want) > 0 {
			first = want[0].at
		}
		if q.soon != first {
			t.Fatalf("the first is said to be ready at %d, not %d", q.soon, first)
		}
	}
}
