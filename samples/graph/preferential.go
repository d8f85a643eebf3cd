package graph

import "math/rand/v2"

// Preferential generates a citation-like graph by preferential attachment
// (Barabasi and Albert, 1999): every new vertex is joined to `edges` earlier
// ones, each chosen with a probability proportional to its degree. Edges are
// undirected, as in the collection's coAuthors graphs; repeated ones are dropped.
func Preferential(vertices, edges int, seed uint64) *Graph {
	return undirected("preferential", vertices, func(add func(u, v uint32)) {
		preferential(vertices, edges, rand.New(rand.NewPCG(seed, 1999)), add)
	})
}

func preferential(vertices, edges int, r *rand.Rand, add func(u, v uint32)) {
	ends := []uint32{0} // every vertex as often as it has edges
	for v := 1; v < vertices; v++ {
		before := len(ends)
		for range min(edges, v) {
			u := ends[r.IntN(before)]
			add(uint32(v), u)
			ends = append(ends, uint32(v), u)
		}
	}
}
