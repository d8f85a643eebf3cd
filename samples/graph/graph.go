package graph

import "fmt"

// Graph is a directed graph, or the non-zeros of a sparse matrix, in compressed
// sparse rows. An undirected edge is two arcs.
type Graph struct {
	Name   string
	Row    []uint32  // Vertices()+1 offsets into Col, ascending from 0
	Col    []uint32  // destination of each arc
	Weight []float64 // of each arc; nil: the source has none
	Cols   int       // columns of a matrix that is not square; 0: as many as vertices
}

// Vertices returns the number of vertices (rows).
func (g *Graph) Vertices() int { return len(g.Row) - 1 }

// Columns returns the number of columns: for a graph, its vertices.
func (g *Graph) Columns() int {
	if g.Cols != 0 {
		return g.Cols
	}
	return g.Vertices()
}

// Arcs returns the number of arcs (non-zeros).
func (g *Graph) Arcs() int { return len(g.Col) }

// Degree returns the number of arcs that leave v.
func (g *Graph) Degree(v int) int { return int(g.Row[v+1] - g.Row[v]) }

// Neighbours returns the destinations of the arcs that leave v.
func (g *Graph) Neighbours(v int) []uint32 { return g.Col[g.Row[v]:g.Row[v+1]] }

// Hub returns the first vertex of the highest degree, or 0 of an empty graph.
func (g *Graph) Hub() int {
	hub := 0
	for v := range g.Vertices() {
		if g.Degree(v) > g.Degree(hub) {
			hub = v
		}
	}
	return hub
}

// Square reports an error if the rows and columns differ: a graph's do not.
func (g *Graph) Square() error {
	if g.Columns() != g.Vertices() {
		return fmt.Errorf("%s: a matrix of %d x %d is no graph; give a square one", g.Name, g.Vertices(), g.Columns())
	}
	return nil
}

// Levels returns the distance in arcs of every vertex from source, -1 where
// there is no path.
func (g *Graph) Levels(source int) []int32 {
	level := make([]int32, g.Vertices())
	for v := range level {
		level[v] = -1
	}
	level[source] = 0
	queue := []uint32{uint32(source)}
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		for _, u := range g.Neighbours(int(v)) {
			if level[u] < 0 {
				level[u] = level[v] + 1
				queue = append(queue, u)
			}
		}
	}
	return level
}
