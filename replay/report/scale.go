package report

import (
	"math"
	"strconv"
)

// scale maps values to the pixels of an axis.
type scale struct {
	from, to   float64 // values
	start, end float64 // pixels
	log        bool
}

func (s scale) at(x float64) float64 {
	f := (x - s.from) / (s.to - s.from)
	if s.log {
		f = math.Log(x/s.from) / math.Log(s.to/s.from)
	}
	if !(s.to > s.from) {
		f = 0.5
	}
	return s.start + f*(s.end-s.start)
}

// ticks returns up to about n round values of a linear axis that starts at 0, the
// last at or above top.
func ticks(top float64, n int) []float64 {
	if !(top > 0) || math.IsInf(top, 0) {
		return []float64{0, 1}
	}
	raw := top / float64(n)
	size := math.Pow(10, math.Floor(math.Log10(raw)))
	step := 10 * size
	for _, m := range []float64{1, 2, 2.5, 5} {
		if m*size >= raw {
			step = m * size
			break
		}
	}
	var all []float64
	for i := 0; ; i++ {
		x := float64(i) * step
		all = append(all, x)
		if x >= top*(1-1e-9) {
			return all
		}
	}
}

// decades are the round values of a logarithmic axis that hold a range.
func decades(low, high float64) (all []float64) {
	for decade := math.Pow(10, math.Floor(math.Log10(low))); ; decade *= 10 {
		for _, m := range []float64{1, 2, 5} {
			x := m * decade
			if x <= low {
				all = all[:0]
			}
			if all = append(all, x); x >= high {
				return all
			}
		}
	}
}

// px writes a pixel position.
func px(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }
