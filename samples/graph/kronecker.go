package graph

import "math/rand/v2"

// The probabilities of the Graph500 generator's four quadrants.
const (
	kroneckerA = 0.57
	kroneckerB = 0.19
	kroneckerC = 0.19
)

// Kronecker generates a graph of 2^scale vertices with the Graph500 benchmark's
// Kronecker generator (A = 0.57, B = C = 0.19) from edges·2^scale edges, with
// the vertices permuted. As in the DIMACS collection's kron_g500 graphs, edges
// are undirected, and self-loops and repeated edges are dropped.
func Kronecker(scale, edges int, seed uint64) *Graph {
	n := 1 << scale
	return undirected("kronecker", n, func(add func(u, v uint32)) {
		kronecker(scale, edges*n, rand.New(rand.NewPCG(seed, 500)), add)
	})
}

func kronecker(scale, edges int, r *rand.Rand, add func(u, v uint32)) {
	names := r.Perm(1 << scale)
	for range edges {
		u, v := 0, 0
		for range scale {
			u, v = u<<1, v<<1
			switch p := r.Float64(); {
			case p < kroneckerA:
			case p < kroneckerA+kroneckerB:
				v |= 1
			case p < kroneckerA+kroneckerB+kroneckerC:
				u |= 1
			default:
				u, v = u|1, v|1
			}
		}
		add(uint32(names[u]), uint32(names[v]))
	}
}
