package graph

import (
	"math/rand/v2"
	"slices"
)

// Banded generates the pattern of a symmetric banded matrix with a diagonal, like
// the cage matrices of DNA electrophoresis: each row is joined to about
// degree-1 others within the band of `width` on either side. cage15 has a mean of
// 19 non-zeros a row and none above 47.
func Banded(vertices, degree, width int, seed uint64) *Graph {
	return undirected("banded", vertices, func(add func(u, v uint32)) {
		r := rand.New(rand.NewPCG(seed, 15))
		for v := range vertices {
			for range (degree - 1) / 2 {
				if u := v + 1 + r.IntN(width); u < vertices {
					add(uint32(v), uint32(u))
				}
			}
		}
	}).diagonal()
}

// diagonal adds an arc from each vertex to itself, at the end of its row.
func (g *Graph) diagonal() *Graph {
	g.Col = slices.Grow(g.Col, g.Vertices())[:len(g.Col)+g.Vertices()]
	for v := g.Vertices() - 1; v >= 0; v-- { // from the last row on, each moved up by those before it
		from, to := g.Row[v], g.Row[v+1]
		g.Row[v+1] = to + uint32(v) + 1
		copy(g.Col[from+uint32(v):], g.Col[from:to])
		g.Col[to+uint32(v)] = uint32(v)
	}
	return g
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
