package graph

import (
	"math/rand/v2"
	"slices"
)

// cage15Degrees are the rows of the matrix cage15 by their entries beside the diagonal, from 0 on:
// those of the cage model of 15 monomers ([Cage]). Mean 18.24, highest 46.
var cage15Degrees = [...]int{
	0, 0, 128, 0, 8912, 888, 29656, 57736, 28636, 113408, 197226, 116754, 221080, 334416, 277544, 332384,
	385774, 344308, 361776, 360106, 300817, 301900, 275404, 205396, 200480, 156318, 113060, 108634, 72584, 63826,
	50530, 37222,
	30615, 17842, 14756, 7144, 5363, 5426, 4690, 4480, 3408, 2140, 1250, 548, 218, 64, 12,
}

const (
	cage15Rows = 5154859
	cage15Mean = float64(99199551-cage15Rows) / cage15Rows
)

// Banded generates a graph with the degrees of cage15, scaled to a mean (0: cage15's own), whose
// vertices are joined at random to others within the band of `width` on either side.
func Banded(vertices int, mean float64, width int, seed uint64) *Graph {
	scale := 1.
	if mean > 0 {
		scale = mean / cage15Mean
	}
	r := rand.New(rand.NewPCG(seed, 15))
	left := make([]int, vertices) // ends of edges that a vertex has to give
	for v := range left {
		n, degree := r.IntN(cage15Rows), 0
		for n >= cage15Degrees[degree] {
			n -= cage15Degrees[degree]
			degree++
		}
		left[v] = int(scale*float64(degree) + r.Float64())
	}
	var a arcs
	var joined []int
	for v := range vertices {
		joined = joined[:0]
		for left[v] > 0 {
			u := partner(r, left, joined, v, min(width, vertices-1-v))
			if u < 0 {
				break
			}
			left[v]--
			left[u]--
			joined = append(joined, u)
			a.add(uint32(v), uint32(u))
		}
	}
	return undirected("banded", vertices, func(add func(u, v uint32)) {
		for i, u := range a.src {
			add(u, a.dst[i])
		}
	})
}

// partner draws a vertex of the band behind v that has ends to give and is not joined to it; -1:
// there is none.
func partner(r *rand.Rand, left, joined []int, v, width int) int {
	free := func(u int) bool { return left[u] > 0 && !slices.Contains(joined, u) }
	if width < 1 {
		return -1
	}
	for range 64 {
		if u := v + 1 + r.IntN(width); free(u) {
			return u
		}
	}
	for u := v + width; u > v; u-- {
		if free(u) {
			return u
		}
	}
	return -1
}

// Weigh gives every arc a whole weight from 1 to most, the same for both arcs of
// an undirected edge, unless the graph has weights.
func (g *Graph) Weigh(most int, seed uint64) {
	if g.Weight != nil {
		return
	}
	g.Weight = make([]float64, g.Arcs())
	for v := range g.Vertices() {
		for i := g.Row[v]; i < g.Row[v+1]; i++ {
			u := uint64(g.Col[i])
			lo, hi := min(u, uint64(v)), max(u, uint64(v))
			g.Weight[i] = float64(1 + rand.New(rand.NewPCG(seed^lo, hi)).IntN(most))
		}
	}
}
