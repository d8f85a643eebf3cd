package graph

import (
	"bytes"
	"io"
)

// metisHeader is "n m [fmt [ncon]]": fmt is three digits, vertex sizes, vertex
// weights, edge weights.
type metisHeader struct {
	vertices, edges int
	skip            int // numbers before a vertex's neighbours: its size and weights
	weighted        bool
}

// readMETIS reads METIS' and the 10th DIMACS challenge's format: a header, then
// one line per vertex with its neighbours, counted from 1; lines that begin with
// % are comments, empty lines are vertices without neighbours. Each edge is in
// two lines; the header counts it once.
func readMETIS(l *lines, o *Options) (*Graph, error) {
	h, err := metisHead(l, o.Limits)
	if err != nil {
		return nil, err
	}
	g := &Graph{Row: []uint32{0}}
	for v := 0; v < h.vertices; {
		line, err := l.next()
		if err == io.EOF {
			return nil, l.errorf("the file ends after %d of %d vertices", v, h.vertices)
		}
		if err != nil {
			return nil, err
		}
		if bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("%")) {
			continue
		}
		if err := h.vertex(l, line, g); err != nil {
			return nil, err
		}
		g.Row = append(g.Row, uint32(len(g.Col)))
		v++
	}
	if _, err := l.data("%"); err != io.EOF {
		if err == nil {
			err = l.errorf("more than the %d vertices of the header", h.vertices)
		}
		return nil, err
	}
	if len(g.Col) != 2*h.edges {
		return nil, l.errorf("%d neighbours, but the header has %d edges, which would be %d", len(g.Col), h.edges, 2*h.edges)
	}
	return g, nil
}

func metisHead(l *lines, limits Limits) (h metisHeader, err error) {
	line, err := l.must("%", "the header")
	if err != nil {
		return h, err
	}
	var f [4][]byte
	n := split(line, f[:])
	if n < 2 || n > 4 {
		return h, l.errorf("want a header %q, not %q", "VERTICES EDGES [FORMAT [WEIGHTS]]", short(line))
	}
	if h.vertices, err = l.uint(f[0], 0, limits.Vertices, "the number of vertices"); err != nil {
		return h, err
	}
	if h.edges, err = l.uint(f[1], 0, limits.Arcs/2, "the number of edges"); err != nil {
		return h, err
	}
	format := 0
	if n > 2 {
		if format, err = l.uint(f[2], 0, 111, "the format"); err != nil {
			return h, err
		}
	}
	sizes, weights, edges := format/100, format/10%10, format%10
	if sizes > 1 || weights > 1 || edges > 1 {
		return h, l.errorf("format %d; want three digits of 0 and 1", format)
	}
	perVertex := 1
	if n > 3 {
		if perVertex, err = l.uint(f[3], 0, 1024, "the number of vertex weights"); err != nil {
			return h, err
		}
	}
	h.skip, h.weighted = sizes+weights*perVertex, edges == 1
	return h, nil
}

// vertex adds the neighbours of one line.
func (h *metisHeader) vertex(l *lines, line []byte, g *Graph) error {
	for range h.skip {
		var f []byte
		f, line = field(line)
		if _, err := l.wide(f, 0, 1<<40, "a vertex weight"); err != nil {
			return err
		}
	}
	for {
		var f []byte
		if f, line = field(line); len(f) == 0 {
			return nil
		}
		if len(g.Col) == 2*h.edges {
			return l.errorf("more neighbours than the header's %d edges have", h.edges)
		}
		u, err := l.uint(f, 1, h.vertices, "a neighbour")
		if err != nil {
			return err
		}
		g.Col = append(g.Col, uint32(u-1))
		if h.weighted {
			f, line = field(line)
			w, err := l.float(f, "an edge weight")
			if err != nil {
				return err
			}
			g.Weight = append(g.Weight, w)
		}
	}
}
