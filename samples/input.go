package samples

import "math/rand/v2"

// Uniform returns n values in [0, 1) from a seed; stream tells the inputs of one
// program apart.
func Uniform(n int, seed, stream uint64) []float32 {
	r := rand.New(rand.NewPCG(seed, stream))
	v := make([]float32, n)
	for i := range v {
		v[i] = r.Float32()
	}
	return v
}
