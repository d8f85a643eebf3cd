package timing

import (
	"math/rand/v2"
	"testing"
)

// Random intervals, nearly in order, against a set of cycles.
func TestCoverCountsEachCycleOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	c, seen := NewCover(nil), map[Time]bool{}
	var total Time
	for i := range 3000 {
		from := max(0, Time(i*20)+r.Int64N(4000)-2000)
		to := from + r.Int64N(500)
		want := Time(0)
		for x := from; x < to; x++ {
			if !seen[x] {
				seen[x] = true
				want++
			}
		}
		if got := c.Add(from, to); got != want {
			t.Fatalf("interval %d, %d to %d: %d new cycles, want %d", i, from, to, got, want)
		}
		total += want
	}
	if total != Time(len(seen)) || total < 3000 {
		t.Errorf("%d cycles, %d seen", total, len(seen))
	}
	if got := c.Add(0, 5); got != 0 {
		t.Errorf("cycles long past are counted again: %d", got)
	}
}
