package policies

import (
	"math/bits"

	"gpureplay/model/exec"
)

func init() {
	WarpSchedulers.Register(Option[exec.WarpScheduler]{
		Name: "gty", Title: "greedy, then youngest",
		Source: "Huerta et al., Dissecting and Modeling the Architecture of Modern GPU Cores, MICRO 2025, section 5.1",
		New:    func(Args) (exec.WarpScheduler, error) { return gty{}, nil },
	})
}

// gty issues from the warp that it issued from last as long as it can, then
// from the youngest.
type gty struct{}

func (gty) Pick(ready uint64, last int, age *[64]uint64) int {
	if last >= 0 && ready>>last&1 != 0 {
		return last
	}
	best := bits.TrailingZeros64(ready)
	for m := ready & (ready - 1); m != 0; m &= m - 1 {
		if b := bits.TrailingZeros64(m); age[b] > age[best] {
			best = b
		}
	}
	return best
}
