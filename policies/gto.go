package policies

import (
	"math/bits"

	"gpureplay/model/exec"
)

func init() {
	WarpSchedulers.Register(Option[exec.WarpScheduler]{
		Name: "gto", Title: "greedy, then oldest",
		Source: "Rogers et al., Cache-Conscious Wavefront Scheduling, MICRO 2012",
		New:    func(Args) (exec.WarpScheduler, error) { return gto{}, nil },
	})
}

// gto issues from the warp that it issued from last as long as it can, then
// from the oldest.
type gto struct{}

func (gto) Pick(ready uint64, last int, age *[64]uint64) int {
	if last >= 0 && ready>>last&1 != 0 {
		return last
	}
	best := bits.TrailingZeros64(ready)
	for m := ready & (ready - 1); m != 0; m &= m - 1 {
		if b := bits.TrailingZeros64(m); age[b] < age[best] {
			best = b
		}
	}
	return best
}
