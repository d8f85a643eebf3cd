package policies

import (
	"math/bits"

	"gpureplay/model/exec"
)

func init() {
	WarpSchedulers.Register(Option[exec.WarpScheduler]{
		Name: "lrr", Title: "loose round robin", Source: "GPGPU-Sim's lrr scheduler",
		New: func(Args) (exec.WarpScheduler, error) { return lrr{}, nil },
	})
}

// lrr issues from the next ready warp after the one that it issued from last.
type lrr struct{}

func (lrr) Pick(ready uint64, last int, _ *[64]uint64) int {
	if after := ready &^ (1<<(last+1) - 1); last < 63 && after != 0 {
		return bits.TrailingZeros64(after)
	}
	return bits.TrailingZeros64(ready)
}
