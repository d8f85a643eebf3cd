package children

import (
	"fmt"
	"math"

	"gpureplay/samples"
	"gpureplay/samples/graph"
	"gpureplay/trace"
)

// graphParams are the parameters of an input graph; kinds are the generated kinds, the default first.
func graphParams(kinds ...string) []samples.Param {
	return []samples.Param{
		samples.Text("graph", "", "file of a graph (Matrix Market, DIMACS or Galois .gr, METIS, edge list, Rodinia, "+
			"OpenFlights routes, CSV; also .gz); empty: generate one"),
		samples.Choice("format", "format of the file; auto: by its content", append([]string{"auto"}, graph.Formats()...)...),
		samples.Choice("undirected", "add the reverse of every arc of the file", "no", "yes"),
		samples.Choice("input", "kind of a generated graph: citation (configuration model), preferential (attachment), "+
			"graph500 (Kronecker), road (grid), cage (banded, degrees of cage15), cage-model (the largest cage matrix of at "+
			"most as many rows), "+
			"flight (few airports, many routes)", kinds...),
		samples.Int("scale", 12, 4, 22, "binary logarithm of a generated graph's vertices"),
		samples.Int("vertices", 0, 0, 1<<23, "of a citation or cage graph, if not a power of two; 0: 2^scale"),
		samples.Int("degree", 0, 0, 64, "mean degree of a generated graph; 0: its kind's"),
		samples.Seed(),
	}
}

// allKinds are the kinds of generated graphs with first in front.
func allKinds(first string) []string {
	kinds := []string{first}
	for _, k := range []string{"citation", "preferential", "graph500", "road", "cage", "cage-model", "flight"} {
		if k != first {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// openGraph reads or generates the input graph.
//
//  1. The mean degrees equal the papers' graphs in the DIMACS collection: citation 8.6 (citationCiteseer: 268,495
//     vertices, 1,156,647 edges, highest degree 1,318). With fewer vertices the highest degree falls with their
//     square root, as the cutoff of a power law does. graph500 has 87, with an edge factor of 48 before repeated
//     edges go (kron_g500-logn20: 89). cage has 18.2 (cage15 without its diagonal, with all its degrees). A road
//     network's is 2.6 whatever `degree` says.
//  2. "flight" stands for a network of airports: preferential attachment with 20 routes per airport, as OpenFlights
//     has; its file is the better input.
func openGraph(p samples.Params) (*graph.Graph, error) {
	if path := p.Text("graph"); path != "" {
		o := graph.Options{Mirrored: p.Text("undirected") == "yes"}
		if f := p.Text("format"); f != "auto" {
			o.Format = f
		}
		g, err := graph.Open(path, o)
		if err != nil {
			return nil, err
		}
		if g.Vertices() == 0 {
			return nil, fmt.Errorf("%s: a graph without vertices", path)
		}
		return g, g.Square()
	}
	kind := p.Text("input")
	n, degree, seed := 1<<p.Int("scale"), p.Int("degree"), p.Seed()
	if v := p.Int("vertices"); v > 0 && (kind == "citation" || kind == "cage" || kind == "cage-model") {
		n = v
	}
	mean := func(usual int) int {
		if degree > 0 {
			return degree
		}
		return usual
	}
	degrees := map[string]int{
		"graph500": mean(96), "cage": mean(19), "cage-model": 20, "flight": mean(20), "preferential": mean(14),
		"citation": mean(9), "road": 4,
	}
	if err := fits("arcs", degrees[kind]*n); err != nil {
		return nil, err
	}
	switch kind {
	case "graph500":
		return graph.Kronecker(p.Int("scale"), max(mean(96)/2, 1), seed), nil
	case "road":
		width := 1 << (p.Int("scale") / 2)
		return graph.Road(width, n/width, seed), nil
	case "cage":
		return graph.Banded(n, float64(degree), max(n/32, 8), seed), nil
	case "cage-model":
		return graph.Cage(n)
	case "flight":
		return graph.Preferential(n, max(mean(20)/2, 1), seed), nil
	case "preferential":
		return graph.Preferential(n, max(mean(14)/2, 1), seed), nil
	}
	const citeseer = 268495.
	usual := 2 * 1156647 / citeseer
	if degree > 0 {
		usual = float64(degree)
	}
	return graph.Configuration(n, usual, max(int(1318*math.Sqrt(float64(n)/citeseer)+0.5), int(2*usual)), seed), nil
}

// deviceGraph is a graph in device memory.
type deviceGraph struct {
	*graph.Graph
	row, col samples.Array
}

func newDeviceGraph(p *samples.Program, g *graph.Graph) deviceGraph {
	return deviceGraph{
		Graph: g,
		row:   p.Array("row", len(g.Row), 4, trace.ArrayInput),
		col:   p.Array("col", max(g.Arcs(), 1), 4, trace.ArrayInput),
	}
}

// lengths returns whole arc lengths from 0 to 2^20 for shortest paths.
//
//  1. Weights that are all such numbers are taken; others, such as the values of
//     a matrix, are no lengths, and lengths from 1 to 100 are drawn instead.
func lengths(g *graph.Graph, seed uint64) []uint32 {
	fit := g.Weight != nil
	for _, w := range g.Weight {
		fit = fit && w >= 0 && w <= 1<<20 && w == math.Trunc(w)
	}
	if !fit {
		g.Weight = nil
		g.Weigh(100, seed)
	}
	out := make([]uint32, len(g.Weight))
	for i, w := range g.Weight {
		out[i] = uint32(w)
	}
	return out
}

// rowsCode loads the ends of a vertex' row. Per thread: two addresses, two loads,
// a subtraction for the degree.
type rowsCode struct {
	address     []samples.Op
	first, last samples.Op
	subtract    samples.Op
	degree      trace.Reg
}

func newRows(c *samples.Code, vertex trace.Reg) rowsCode {
	a, b, first, last := c.Reg(), c.Reg(), c.Reg(), c.Reg()
	r := rowsCode{degree: c.Reg()}
	r.address = []samples.Op{c.Op("IMAD.WIDE", a, vertex), c.Op("IADD3", b, a)}
	r.first = c.Load("LDG.E", 4, first, a)
	r.last = c.Load("LDG.E", 4, last, b)
	r.subtract = c.Op("IADD3", r.degree, last, first)
	return r
}

// load records the loads for each lane's vertex and returns the degrees.
func (r *rowsCode) load(w *samples.Warp, g *deviceGraph, vertex func(lane int) int) (degrees items) {
	w.Do(r.address...)
	w.Mem(r.first, func(lane int) uint64 { return g.row.At(vertex(lane)) })
	w.Mem(r.last, func(lane int) uint64 { return g.row.At(vertex(lane) + 1) })
	w.Do(r.subtract)
	w.Lanes(func(lane int) { degrees[lane] = g.Degree(vertex(lane)) })
	return degrees
}

// rowsParent is a parent that requests the whole row of its item. Per item: the row (five)
// and the request.
type rowsParent struct {
	*loopCode
	rows rowsCode
	nest *nest
}

func newRowsParent(p *samples.Program, name string, r rule, child *childCode, registers uint32) rowsParent {
	c := rowsParent{loopCode: newLoop(p, name)}
	c.rows = newRows(c.Code, c.item)
	c.nest = newNest(p, r, c.Code, c.rows.degree, child, registers)
	c.nest.synced(c.Code)
	c.end()
	return c
}

// sourceOf checks the vertex to start from; -1 is the first of the highest degree.
func sourceOf(g *graph.Graph, source int) (int, error) {
	if source >= g.Vertices() {
		return 0, fmt.Errorf("source=%d: the graph has %d vertices", source, g.Vertices())
	}
	if source < 0 {
		source = g.Hub()
	}
	return source, nil
}
