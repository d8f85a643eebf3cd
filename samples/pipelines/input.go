package pipelines

import (
	"gpureplay/samples"
)

// maxCells limits the grids whose size is a product of parameters: 512 MiB an array.
const maxCells = 1 << 27

// vector is an array with its values.
type vector struct {
	samples.Array
	v []float32
}

// scale maps [0, 1) to [from, from+span).
func scale(v []float32, from, span float32) []float32 {
	for i := range v {
		v[i] = from + span*v[i]
	}
	return v
}

// ceil divides and rounds up.
func ceil(n, by int) uint32 { return uint32((n + by - 1) / by) }
