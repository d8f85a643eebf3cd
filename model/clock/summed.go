package clock

import (
	"math"
	"sort"
)

// Summed is a clock whose ticks are sums of its period in double precision, as GPGPU-Sim adds them
// (gpgpu_sim::next_clock_domain): tick 0 is at 0 s. Sums of two clocks are not equal where exact times are.
type Summed []stretch

// stretch are ticks one step apart: within a power of two each sum is rounded by as much.
type stretch struct {
	first    uint64  // tick
	at, step float64 // seconds
}

// longestSummed is up to when ticks are known; behind it the last step goes on.
const longestSummed = 1 << 17 // seconds

// NewSummed returns the clock of a frequency in MHz.
func NewSummed(mhz float64) (s Summed) {
	period, n := 1/float64(mhz*1e6), uint64(0)
	for at := 0.0; at < longestSummed; {
		next := at + period
		s = append(s, stretch{n, at, next - at})
		at, n = next, n+1
		step := float64(at+period) - at
		if again := at + step; float64(again+period)-again != step {
			continue // a tie, rounded to even: behind it all are rounded as the next
		}
		_, exp := math.Frexp(at)
		if many := math.Ceil((math.Ldexp(1, exp)-at)/step) - 1; many >= 1 {
			s = append(s, stretch{n, at, step})
			at += float64(many * step)
			n += uint64(many)
		}
	}
	return s
}

// At returns the time of a tick in seconds.
func (s Summed) At(n uint64) float64 {
	i := sort.Search(len(s), func(i int) bool { return s[i].first > n }) - 1
	x := &s[i]
	return x.at + float64(float64(n-x.first)*x.step)
}
