package pipelines

import (
	"math/rand/v2"

	"gpureplay/samples"
)

// maxCells limits the grids whose size is a product of parameters: 512 MiB an array.
const maxCells = 1 << 27

// vector is an array with its values.
type vector struct {
	samples.Array
	v []float32
}

// uniform returns n values in [0, 1) from a seed; stream tells the inputs of one
// program apart.
func uniform(n int, seed, stream uint64) []float32 {
	r := rand.New(rand.NewPCG(seed, stream))
	v := make([]float32, n)
	for i := range v {
		v[i] = r.Float32()
	}
	return v
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
