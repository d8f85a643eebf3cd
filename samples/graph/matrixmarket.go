package graph

import (
	"bytes"
	"io"
	"strings"
)

// marketHeader is the first line of a Matrix Market file.
type marketHeader struct {
	pattern   bool // no values
	symmetric bool // the file holds one triangle
	skew      bool // the other triangle has the opposite sign
}

// readMatrixMarket reads a coordinate Matrix Market file: real, integer or
// pattern; general, symmetric or skew-symmetric. Rows become vertices, a
// non-zero (i, j) an arc from i to j.
func readMatrixMarket(l *lines, o *Options) (*Graph, error) {
	h, err := marketHead(l)
	if err != nil {
		return nil, err
	}
	line, err := l.must("%", "the size line")
	if err != nil {
		return nil, err
	}
	rows, cols, entries, err := marketSize(l, line, o.Limits)
	if err != nil {
		return nil, err
	}
	if h.symmetric && rows != cols {
		return nil, l.errorf("a symmetric matrix of %d x %d", rows, cols)
	}
	var a arcs
	for range entries {
		if line, err = l.must("%", "a non-zero"); err != nil {
			return nil, err
		}
		if err := h.entry(l, line, rows, cols, &a); err != nil {
			return nil, err
		}
	}
	if _, err := l.data("%"); err != io.EOF {
		if err == nil {
			err = l.errorf("more than the %d non-zeros of the size line", entries)
		}
		return nil, err
	}
	h.mirror(&a)
	if o.Mirrored && !h.symmetric {
		if rows != cols {
			return nil, l.errorf("only a square matrix can be mirrored, and this is %d x %d", rows, cols)
		}
		a.mirror()
	}
	g := a.csr("", rows)
	if cols != rows {
		g.Cols = cols
	}
	return g, nil
}

func marketHead(l *lines) (h marketHeader, err error) {
	line, err := l.next()
	if err != nil && err != io.EOF {
		return h, err
	}
	words := strings.Fields(strings.ToLower(string(line[:min(len(line), 200)])))
	if len(words) != 5 || words[0] != "%%matrixmarket" || words[1] != "matrix" {
		return h, l.errorf("want a line %q", "%%MatrixMarket matrix coordinate FIELD SYMMETRY")
	}
	if words[2] != "coordinate" {
		return h, l.errorf("a matrix in %q form; only coordinate ones are sparse", words[2])
	}
	switch words[3] {
	case "real", "integer", "double":
	case "pattern":
		h.pattern = true
	default:
		return h, l.errorf("values of kind %q; want real, integer or pattern", words[3])
	}
	switch words[4] {
	case "general":
	case "symmetric":
		h.symmetric = true
	case "skew-symmetric":
		h.symmetric, h.skew = true, true
	default:
		return h, l.errorf("symmetry %q; want general, symmetric or skew-symmetric", words[4])
	}
	return h, nil
}

func marketSize(l *lines, line []byte, limits Limits) (rows, cols, entries int, err error) {
	var f [3][]byte
	if split(line, f[:]) != 3 {
		return 0, 0, 0, l.errorf("want rows, columns and non-zeros, not %q", short(line))
	}
	if rows, err = l.uint(f[0], 0, limits.Vertices, "the number of rows"); err != nil {
		return
	}
	if cols, err = l.uint(f[1], 0, limits.Vertices, "the number of columns"); err != nil {
		return
	}
	entries, err = l.uint(f[2], 0, limits.Arcs, "the number of non-zeros")
	return
}

func (h *marketHeader) entry(l *lines, line []byte, rows, cols int, a *arcs) error {
	var f [3][]byte
	want := 3
	if h.pattern {
		want = 2
	}
	if split(line, f[:]) != want {
		return l.errorf("want %d fields, not %q", want, short(line))
	}
	i, err := l.uint(f[0], 1, rows, "the row")
	if err != nil {
		return err
	}
	j, err := l.uint(f[1], 1, cols, "the column")
	if err != nil {
		return err
	}
	a.add(uint32(i-1), uint32(j-1))
	if h.pattern {
		return nil
	}
	v, err := l.float(bytes.Replace(f[2], []byte("D"), []byte("E"), 1), "the value")
	a.weight = append(a.weight, v)
	return err
}

// mirror adds the other triangle.
func (h *marketHeader) mirror(a *arcs) {
	if !h.symmetric {
		return
	}
	n := len(a.weight)
	a.mirror()
	if h.skew {
		for i := n; i < len(a.weight); i++ {
			a.weight[i] = -a.weight[i]
		}
	}
}
