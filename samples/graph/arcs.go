package graph

import "slices"

// arcs collects arcs in any order until they become rows.
type arcs struct {
	src, dst []uint32
	weight   []float64 // empty, or as long as src
}

func (a *arcs) add(src, dst uint32) { a.src, a.dst = append(a.src, src), append(a.dst, dst) }

// mirror adds the reverse of every arc but of self-loops.
func (a *arcs) mirror() {
	for i := range len(a.src) {
		if a.src[i] != a.dst[i] {
			a.add(a.dst[i], a.src[i])
			if len(a.weight) > 0 {
				a.weight = append(a.weight, a.weight[i])
			}
		}
	}
}

// csr sorts the arcs by source, in the order given within a row.
func (a *arcs) csr(name string, vertices int) *Graph {
	g := &Graph{Name: name, Row: make([]uint32, vertices+1), Col: make([]uint32, len(a.dst))}
	for _, v := range a.src {
		g.Row[v+1]++
	}
	for v := range vertices {
		g.Row[v+1] += g.Row[v]
	}
	if len(a.weight) > 0 {
		g.Weight = make([]float64, len(a.weight))
	}
	next := slices.Clone(g.Row)
	for i, v := range a.src {
		at := next[v]
		next[v]++
		g.Col[at] = a.dst[i]
		if g.Weight != nil {
			g.Weight[at] = a.weight[i]
		}
	}
	return g
}

// compact renumbers the vertices densely, in ascending order of their numbers,
// and returns how many there are.
func (a *arcs) compact() int {
	names := append(slices.Clone(a.src), a.dst...)
	slices.Sort(names)
	names = slices.Compact(names)
	for _, list := range [][]uint32{a.src, a.dst} {
		for i, v := range list {
			at, _ := slices.BinarySearch(names, v)
			list[i] = uint32(at)
		}
	}
	return len(names)
}

// simple drops self-loops and repeated arcs, and sorts each row. Weights must
// be absent.
func (a *arcs) simple() {
	keys := make([]uint64, 0, len(a.src))
	for i, v := range a.src {
		if v != a.dst[i] {
			keys = append(keys, uint64(v)<<32|uint64(a.dst[i]))
		}
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	a.src, a.dst = a.src[:0], a.dst[:0]
	for _, k := range keys {
		a.add(uint32(k>>32), uint32(k))
	}
}

// Undirected returns the graph with every arc both ways, without self-loops,
// repeated arcs and weights, and with sorted rows.
func (g *Graph) Undirected() *Graph {
	a := arcs{dst: slices.Clone(g.Col)}
	for v := range g.Vertices() {
		for range g.Degree(v) {
			a.src = append(a.src, uint32(v))
		}
	}
	a.mirror()
	a.simple()
	return a.csr(g.Name, g.Vertices())
}
