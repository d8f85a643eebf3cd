package policies

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gpureplay/model/exec"
)

// Each warp scheduler picks by its one sentence, checked the slow way: over all masks of a few warps, and over
// random ones of 64, whatever issued last and in whichever order the warps started.
func TestWarpSchedulers(t *testing.T) {
	eldest := func(ready []int, age *[64]uint64) int {
		return slices.MinFunc(ready, func(a, b int) int { return int(int64(age[a]) - int64(age[b])) })
	}
	youngest := func(ready []int, age *[64]uint64) int {
		return slices.MaxFunc(ready, func(a, b int) int { return int(int64(age[a]) - int64(age[b])) })
	}
	greedy := func(then func([]int, *[64]uint64) int) func([]int, int, *[64]uint64) int {
		return func(ready []int, last int, age *[64]uint64) int {
			if slices.Contains(ready, last) {
				return last
			}
			return then(ready, age)
		}
	}
	for _, c := range []struct {
		name string
		s    exec.WarpScheduler
		want func(ready []int, last int, age *[64]uint64) int
	}{
		{"gto", gto{}, greedy(eldest)},
		{"gty", gty{}, greedy(youngest)},
		{"lrr", lrr{}, func(ready []int, last int, _ *[64]uint64) int {
			for _, r := range ready {
				if r > last {
					return r
				}
			}
			return ready[0]
		}},
	} {
		check := func(mask uint64, last int, age *[64]uint64) {
			var ready []int
			for b := range 64 {
				if mask>>b&1 == 1 {
					ready = append(ready, b)
				}
			}
			if got, want := c.s.Pick(mask, last, age), c.want(ready, last, age); got != want {
				t.Fatalf("%s: of %v after %d with ages %v it picks %d, want %d", c.name, ready, last, *age, got, want)
			}
		}
		r := rand.New(rand.NewPCG(1, 2))
		for range 200 {
			var age [64]uint64
			for b, a := range r.Perm(64) {
				age[b] = uint64(a) + 1<<40
			}
			for mask := uint64(3); mask < 64; mask++ {
				if mask&(mask-1) != 0 {
					for last := -1; last < 6; last++ {
						check(mask, last, &age)
						check(mask<<58, min(63, last+58), &age)
					}
				}
			}
			check(r.Uint64()|3<<r.IntN(63), r.IntN(65)-1, &age)
		}
	}
}
