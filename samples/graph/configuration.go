package graph

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Configuration generates a graph of given degrees by the configuration model: degrees are drawn from a power law
// between 1 and highest whose exponent gives the mean, one vertex has the highest, and the ends of edges are joined
// at random. Edges are undirected. The ends of self-loops and of repeated edges are joined anew, a few times; the
// rest is dropped.
func Configuration(vertices int, mean float64, highest int, seed uint64) *Graph {
	r := rand.New(rand.NewPCG(seed, 1978))
	cumulated := powerLaw(mean, highest)
	names := r.Perm(vertices)
	var ends []uint32
	for i, v := range names {
		d := highest
		if i > 0 {
			at, _ := slices.BinarySearch(cumulated, r.Float64())
			d = min(at, highest-1) + 1
		}
		for range d {
			ends = append(ends, uint32(v))
		}
	}
	var a arcs
	joined := make(map[uint64]bool, len(ends)/2)
	for range 20 {
		r.Shuffle(len(ends), func(i, j int) { ends[i], ends[j] = ends[j], ends[i] })
		left := ends[:0]
		for i := 0; i+1 < len(ends); i += 2 {
			u, v := ends[i], ends[i+1]
			edge := uint64(min(u, v))<<32 | uint64(max(u, v))
			if u == v || joined[edge] {
				left = append(left, u, v)
				continue
			}
			joined[edge] = true
			a.add(u, v)
		}
		ends = left
	}
	return undirected("configuration", vertices, func(add func(u, v uint32)) {
		for i, u := range a.src {
			add(u, a.dst[i])
		}
	})
}

// powerLaw returns the cumulated probabilities of the degrees from 1 to highest,
// proportional to d^-e, with the exponent e at which their mean is as requested.
func powerLaw(mean float64, highest int) []float64 {
	low, high := -8.0, 16.0 // from nearly all at the highest to nearly all at 1
	p := make([]float64, highest)
	for range 60 {
		e := (low + high) / 2
		sum, weighed := 0.0, 0.0
		for d := range p {
			x := math.Pow(float64(d+1), -e)
			sum += x
			weighed += x * float64(d+1)
			p[d] = sum
		}
		for d := range p {
			p[d] /= sum
		}
		if weighed/sum > mean {
			low = e
		} else {
			high = e
		}
	}
	return p
}
