package graph

import (
	"bytes"
	"io"
)

// readEdges reads an edge list, as SNAP publishes them: lines "u v" or "u v w"
// between blanks or tabs; lines that begin with # or % are comments.
//
//  1. Vertex numbers are names: the vertices that occur are renumbered densely
//     in ascending order, so there is no vertex without an arc.
//  2. The list is directed as it stands; [Options].Mirrored adds the reverse arcs.
func readEdges(l *lines, o *Options) (*Graph, error) {
	return readPairs(l, o, nil, false)
}

// readCSV reads GraphBIG's edge files and other lists with the separators | , or
// ; whose first line may be a header. Vertices are as in [readEdges].
func readCSV(l *lines, o *Options) (*Graph, error) {
	blank := func(line []byte) {
		for i, c := range line {
			if c == '|' || c == ',' || c == ';' {
				line[i] = ' '
			}
		}
	}
	return readPairs(l, o, blank, true)
}

func readPairs(l *lines, o *Options, prepare func([]byte), header bool) (*Graph, error) {
	var a arcs
	fields := 0
	for {
		line, err := l.data("#%")
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if prepare != nil {
			prepare(line)
		}
		if header {
			header = false
			if _, ok := numbers(line); !ok {
				continue
			}
		}
		if len(a.src) == o.Limits.Arcs {
			return nil, l.errorf("more than %d arcs, the limit", o.Limits.Arcs)
		}
		if fields, err = a.line(l, line, fields); err != nil {
			return nil, err
		}
	}
	if len(a.src) == 0 {
		return nil, l.errorf("the file has no arc")
	}
	if o.Mirrored {
		a.mirror()
	}
	vertices := a.compact()
	if vertices > o.Limits.Vertices {
		return nil, l.errorf("%d vertices, more than the limit of %d", vertices, o.Limits.Vertices)
	}
	return a.csr("", vertices), nil
}

// line adds the arc of a line, which must have as many fields as the first one.
func (a *arcs) line(l *lines, line []byte, fields int) (int, error) {
	var f [3][]byte
	n := split(bytes.TrimSpace(line), f[:])
	if fields == 0 && (n == 2 || n == 3) {
		fields = n
	}
	if n != fields {
		return 0, l.errorf("want %s, not %q", map[int]string{0: "two or three numbers", 2: "two numbers as before",
			3: "three numbers as before"}[fields], short(line))
	}
	const most = 1<<32 - 1
	u, err := l.wide(f[0], 0, most, "the arc's source")
	if err != nil {
		return 0, err
	}
	v, err := l.wide(f[1], 0, most, "the arc's destination")
	if err != nil {
		return 0, err
	}
	a.add(uint32(u), uint32(v))
	if n == 3 {
		w, err := l.float(f[2], "the arc's weight")
		if err != nil {
			return 0, err
		}
		a.weight = append(a.weight, w)
	}
	return fields, nil
}
