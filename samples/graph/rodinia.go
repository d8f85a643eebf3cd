package graph

// readRodinia reads Rodinia's BFS input: n; n lines "first-arc degree"; the
// source vertex; m; m lines "destination cost".
func readRodinia(l *lines, o *Options) (*Graph, error) {
	vertices, err := l.single(o.Limits.Vertices, "the number of vertices")
	if err != nil {
		return nil, err
	}
	g := &Graph{Row: []uint32{0}}
	for range vertices {
		first, arcs, err := l.pair(o.Limits.Arcs, int64(o.Limits.Arcs), "a vertex")
		if err != nil {
			return nil, err
		}
		last, degree := int(g.Row[len(g.Row)-1]), int(arcs)
		if first != last || last+degree > o.Limits.Arcs {
			return nil, l.errorf("a row of %d arcs from %d; the row before ends at %d, and %d is the limit", degree, first,
				last, o.Limits.Arcs)
		}
		g.Row = append(g.Row, uint32(last+degree))
	}
	if _, err := l.single(max(vertices-1, 0), "the source vertex"); err != nil {
		return nil, err
	}
	arcs, err := l.single(o.Limits.Arcs, "the number of arcs")
	if err != nil {
		return nil, err
	}
	if uint32(arcs) != g.Row[vertices] {
		return nil, l.errorf("%d arcs, but the rows have %d", arcs, g.Row[vertices])
	}
	for range arcs {
		u, cost, err := l.pair(vertices-1, 1<<31, "an arc")
		if err != nil {
			return nil, err
		}
		g.Col = append(g.Col, uint32(u))
		g.Weight = append(g.Weight, float64(cost))
	}
	if o.Mirrored {
		return mirrored(g), nil
	}
	return g, nil
}

// single reads a line of one number.
func (l *lines) single(most int, what string) (int, error) {
	line, err := l.must("", what)
	if err != nil {
		return 0, err
	}
	return l.uint(line, 0, most, what)
}

// pair reads a line of two numbers.
func (l *lines) pair(most0 int, most1 int64, what string) (a int, b int64, err error) {
	line, err := l.must("", what)
	if err != nil {
		return 0, 0, err
	}
	var f [2][]byte
	if split(line, f[:]) != 2 {
		return 0, 0, l.errorf("want two numbers of %s, not %q", what, short(line))
	}
	if a, err = l.uint(f[0], 0, most0, what); err != nil {
		return 0, 0, err
	}
	b, err = l.wide(f[1], 0, most1, what)
	return a, b, err
}
