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

// edges hands every edge of a graph to add, the same ones whenever it is called.
type edges func(add func(u, v uint32))

// undirected makes a graph of edges with both arcs of each, without self-loops and
// repeated arcs and with sorted rows. It counts them first and then puts them where they
// belong, so that no more memory is taken than by the arcs before repeated ones go.
func undirected(name string, vertices int, all edges) *Graph {
	g := &Graph{Name: name, Row: make([]uint32, vertices+1)}
	all(func(u, v uint32) {
		if u != v {
			g.Row[u]++
			g.Row[v]++
		}
	})
	sum := uint32(0)
	for v := range g.Row { // the end of each row, from which it is filled downwards
		sum += g.Row[v]
		g.Row[v] = sum
	}
	g.Col = make([]uint32, sum)
	put := func(u, v uint32) {
		g.Row[u]--
		g.Col[g.Row[u]] = v
	}
	all(func(u, v uint32) {
		if u != v {
			put(u, v)
			put(v, u)
		}
	})
	n := uint32(0)
	for v := range vertices {
		row := g.Col[g.Row[v]:g.Row[v+1]]
		slices.Sort(row)
		row = slices.Compact(row)
		g.Row[v] = n
		n += uint32(copy(g.Col[n:], row))
	}
	g.Row[vertices] = n
	g.Col = g.Col[:n]
	return g
}

// Undirected returns the graph with every arc both ways, without self-loops,
// repeated arcs and weights, and with sorted rows.
func (g *Graph) Undirected() *Graph {
	return undirected(g.Name, g.Vertices(), func(add func(u, v uint32)) {
		for v := range g.Vertices() {
			for _, u := range g.Neighbours(v) {
				add(uint32(v), u)
			}
		}
	})
}
