package graph

import "io"

// readDIMACS reads the text format of the 9th DIMACS challenge: "p sp n m", then
// m lines "a u v w"; lines that begin with c are comments.
func readDIMACS(l *lines, o *Options) (*Graph, error) {
	vertices, want, err := dimacsProblem(l, o.Limits)
	if err != nil {
		return nil, err
	}
	var a arcs
	for {
		line, err := l.data("c")
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		var f [4][]byte
		if n := split(line, f[:]); n != 4 || string(f[0]) != "a" {
			return nil, l.errorf("want an arc %q, not %q", "a FROM TO WEIGHT", short(line))
		}
		if len(a.src) == want {
			return nil, l.errorf("more than the %d arcs of the problem line", want)
		}
		u, err := l.uint(f[1], 1, vertices, "the arc's source")
		if err != nil {
			return nil, err
		}
		v, err := l.uint(f[2], 1, vertices, "the arc's destination")
		if err != nil {
			return nil, err
		}
		w, err := l.float(f[3], "the arc's weight")
		if err != nil {
			return nil, err
		}
		a.add(uint32(u-1), uint32(v-1))
		a.weight = append(a.weight, w)
	}
	if len(a.src) != want {
		return nil, l.errorf("the file ends after %d of the %d arcs of its problem line", len(a.src), want)
	}
	if o.Mirrored {
		a.mirror()
	}
	return a.csr("", vertices), nil
}

func dimacsProblem(l *lines, limits Limits) (vertices, arcs int, err error) {
	line, err := l.must("c", "the problem line")
	if err != nil {
		return 0, 0, err
	}
	var f [4][]byte
	if split(line, f[:]) != 4 || string(f[0]) != "p" || string(f[1]) != "sp" {
		return 0, 0, l.errorf("want a problem line %q, not %q", "p sp VERTICES ARCS", short(line))
	}
	if vertices, err = l.uint(f[2], 0, limits.Vertices, "the number of vertices"); err != nil {
		return
	}
	arcs, err = l.uint(f[3], 0, limits.Arcs, "the number of arcs")
	return
}
