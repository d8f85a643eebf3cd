package intervals

import (
	"math/rand/v2"
	"testing"

	"gpureplay/model"
)

// A union covers each cycle that a stretch covers, in whatever order the stretches come.
func TestIntervalSet(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var s Set
		covered := map[model.Time]bool{}
		for range r.IntN(3 * fewStretches) {
			from := model.Time(r.IntN(20000))
			to := from + model.Time(r.IntN(8))
			s.Add(from, to)
			for c := from; c < to; c++ {
				covered[c] = true
			}
		}
		if got := s.Length(); got != model.Time(len(covered)) {
			t.Fatalf("%d cycles, want %d", got, len(covered))
		}
	}
}
