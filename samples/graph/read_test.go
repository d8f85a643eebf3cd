package graph

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
)

// galoisFile builds a file of that format.
func galoisFile(rows []uint64, cols []uint32, weights []int32) []byte {
	var b []byte
	size := uint64(0)
	if weights != nil {
		size = 4
	}
	for _, v := range append([]uint64{1, size, uint64(len(rows)), uint64(len(cols))}, rows...) {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	for _, v := range cols {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	if len(cols)%2 == 1 && weights != nil {
		b = append(b, 0, 0, 0, 0)
	}
	for _, v := range weights {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return b
}

// seeds has a small file of each format; every one holds the arcs of want.
var seeds = []struct {
	format, file string
	want         [][]uint32
	weights      []float64
}{
	{"mtx", "%%MatrixMarket matrix coordinate real symmetric\n% c\n3 3 3\n1 1 2.5\n2 1 -1\n3 2 1e2\n",
		[][]uint32{{0, 1}, {0, 2}, {1}}, []float64{2.5, -1, -1, 100, 100}},
	{"mtx", "%%MatrixMarket matrix coordinate pattern general\n2 3 2\n1 3\n2 1\n", [][]uint32{{2}, {0}}, nil},
	{"mtx", "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 7\n", [][]uint32{{1}, {0}},
		[]float64{-7, 7}},
	{"dimacs", "c x\np sp 3 3\na 1 2 5\na 1 3 4\na 3 1 9\n", [][]uint32{{1, 2}, {}, {0}}, []float64{5, 4, 9}},
	{"metis", "% c\n4 3 0\n2 3\n1\n1 4\n3\n", [][]uint32{{1, 2}, {0}, {0, 3}, {2}}, nil},
	{"metis", "3 2 111 2\n1 8 8 2 5 3 6\n1 9 9 1 5\n2 7 7 1 6\n", [][]uint32{{1, 2}, {0}, {0}}, []float64{5, 6, 5, 6}},
	{"metis", "3 1 1\n2 4\n1 4\n\n", [][]uint32{{1}, {0}, {}}, []float64{4, 4}},
	{"edges", "# c\n10\t30\n30\t20\n10\t20\n", [][]uint32{{2, 1}, {}, {1}}, nil},
	{"edges", "5 7 0.5\r\n7 5 1\r\n", [][]uint32{{1}, {0}}, []float64{0.5, 1}},
	{"csv", "Person.id|Person.id\n4|8\n8|6\n", [][]uint32{{2}, {}, {1}}, nil},
	{"csv", "1,2,3\n2,1,4\n", [][]uint32{{1}, {0}}, []float64{3, 4}},
	{"rodinia", "2\n0 2\n2 1\n\n0\n\n3\n0 4\n1 5\n0 6\n", [][]uint32{{0, 1}, {0}}, []float64{4, 5, 6}},
	{"openflights", "A,1,ZRH,1,AMS,2,,0,X\nA,1,AMS,2,LHR,\\N,,0,X\nB,1,ZRH,1,AMS,2,,0,X\n", [][]uint32{{1}, {}, {0, 0}},
		nil},
	{"galois", string(galoisFile([]uint64{1, 3}, []uint32{1, 0, 1}, []int32{5, -6, 7})), [][]uint32{{1}, {0, 1}},
		[]float64{5, -6, 7}},
	{"galois", string(galoisFile([]uint64{0, 1}, []uint32{0}, nil)), [][]uint32{{}, {0}}, nil},
}

func TestReadEachFormat(t *testing.T) {
	for _, s := range seeds {
		if got := Detect([]byte(s.file), true); got != s.format {
			t.Errorf("%s file taken for %q: %q", s.format, got, s.file)
			continue
		}
		var zipped bytes.Buffer
		z := gzip.NewWriter(&zipped)
		z.Write([]byte(s.file))
		z.Close()
		for _, file := range []string{s.file, zipped.String()} {
			g, err := Read(strings.NewReader(file), "dir/name.x.gz", Options{})
			if err != nil {
				t.Errorf("%s: %v", s.format, err)
				continue
			}
			if g.Name != "name" || g.Vertices() != len(s.want) || !slices.Equal(g.Weight, s.weights) {
				t.Errorf("%s: %q with %d vertices, weights %v", s.format, g.Name, g.Vertices(), g.Weight)
			}
			for v, want := range s.want {
				if !slices.Equal(g.Neighbours(v), want) {
					t.Errorf("%s: row %d is %v, want %v", s.format, v, g.Neighbours(v), want)
				}
			}
		}
	}
}

func TestReadMirrored(t *testing.T) {
	for _, s := range seeds {
		if s.format == "metis" || s.want[0] != nil && strings.Contains(s.file, "2 3 2\n1 3") {
			continue // undirected already; not square
		}
		g, err := Read(strings.NewReader(s.file), "x", Options{Mirrored: true})
		if err != nil {
			t.Errorf("%s: %v", s.format, err)
			continue
		}
		count := map[[2]uint32]int{}
		for v := range g.Vertices() {
			for _, u := range g.Neighbours(v) {
				count[[2]uint32{uint32(v), u}]++
			}
		}
		for arc, n := range count {
			if m := count[[2]uint32{arc[1], arc[0]}]; m != n {
				t.Errorf("%s: arc %v %d times, its reverse %d", s.format, arc, n, m)
			}
		}
	}
}

// Bad files are errors of one line that say where they are wrong.
func TestReadErrors(t *testing.T) {
	for _, c := range []struct{ format, file, want string }{
		{"mtx", "%%MatrixMarket matrix array real general\n", "f:1: "},
		{"mtx", "%%MatrixMarket matrix coordinate complex general\n", `f:1: values of kind "complex"`},
		{"mtx", "%%MatrixMarket matrix coordinate real hermitian\n", "f:1: symmetry"},
		{"mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n3 1\n", "f:3: the row is 3, not from 1 to 2"},
		{"mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n", "f:4: the file ends"},
		{"mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 0\n1 1\n", "f:3: more than the 0"},
		{"mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 999999\n", "f:2: the number of non-zeros is 999999"},
		{"mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 NaN\n", "f:3: the value"},
		{"mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n2 3 0\n", "f:2: a symmetric matrix of 2 x 3"},
		{"dimacs", "p sp 2 1\na 1 3 1\n", "f:2: the arc's destination is 3"},
		{"dimacs", "p sp 2 2\na 1 2 1\n", "f:3: the file ends after 1 of the 2"},
		{"dimacs", "p max 2 2\n", "f:1: want a problem line"},
		{"dimacs", "p sp 99999999999999999999 2\n", "f:1: the number of vertices"},
		{"metis", "2 1\n2\n", "f:3: the file ends after 1 of 2 vertices"},
		{"metis", "2 1\n2\n1\n1\n", "f:4: more than the 2 vertices"},
		{"metis", "2 1\n2 2 2\n1\n", "f:2: more neighbours"},
		{"metis", "2 1\n\n\n", "f:4: 0 neighbours"},
		{"metis", "2 1 5\n2\n1\n", "f:1: format 5"},
		{"edges", "1 2\n1 2 3\n", "f:2: want two numbers as before"},
		{"edges", "1 -2\n", `f:1: the arc's destination is "-2"`},
		{"edges", "# nothing\n", "f:2: the file has no arc"},
		{"rodinia", "1\n1 1\n0\n1\n0 0\n", "f:2: a row of 1 arcs from 1"},
		{"rodinia", "1\n0 1\n0\n2\n0 0\n", "f:4: 2 arcs, but the rows have 1"},
		{"openflights", "a,b,c\n", "f:1: a route of 3 fields"},
		{"galois", string(galoisFile([]uint64{2, 1}, []uint32{0}, nil)), "f: byte 40: row end 2"},
		{"galois", string(galoisFile([]uint64{1}, []uint32{7}, nil)), "f: byte 44: destination 7 of 1"},
		{"galois", string(galoisFile([]uint64{1}, nil, nil)), "f: byte 40: row end 1"},
		{"galois", "short", "f: byte 0: the file is cut short"},
		{"", "hello world\n", "no known graph format; there are: csv, dimacs,"},
		{"nope", "1 2\n", `no graph format "nope"`},
		{"edges", strings.Repeat("1 2\n", 2000), "f:1001: more than 1000 arcs, the limit"},
		{"edges", strings.Repeat(" ", 70000), "f:1: line of more than 60000 bytes"},
	} {
		_, err := Read(strings.NewReader(c.file), "f",
			Options{Format: c.format, Limits: Limits{Vertices: 1000, Arcs: 1000, LineBytes: 60000}})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s %.40q: error %v, want %q", c.format, c.file, err, c.want)
		}
	}
}

// fuzz reads bytes as one format: no panic, and the result is a graph within the limits.
func fuzz(f *testing.F, format string) {
	for _, s := range seeds {
		if s.format == format || format == "" {
			f.Add([]byte(s.file))
		}
	}
	limits := Limits{Vertices: 1000, Arcs: 1000, LineBytes: 10000}
	f.Fuzz(func(t *testing.T, file []byte) {
		for _, mirror := range []bool{false, true} {
			g, err := Read(bytes.NewReader(file), "f", Options{Format: format, Mirrored: mirror, Limits: limits})
			if err != nil {
				continue
			}
			if g.Vertices() > limits.Vertices || g.Arcs() > 2*limits.Arcs || int(g.Row[g.Vertices()]) != g.Arcs() ||
				g.Row[0] != 0 {
				t.Fatalf("%d vertices, %d arcs", g.Vertices(), g.Arcs())
			}
			if g.Weight != nil && len(g.Weight) != g.Arcs() {
				t.Fatalf("%d weights of %d arcs", len(g.Weight), g.Arcs())
			}
			for v := range g.Vertices() {
				for _, u := range g.Neighbours(v) {
					if int(u) >= g.Columns() {
						t.Fatalf("arc to %d of %d", u, g.Columns())
					}
				}
			}
		}
	})
}

func FuzzDetect(f *testing.F)       { fuzz(f, "") }
func FuzzMatrixMarket(f *testing.F) { fuzz(f, "mtx") }
func FuzzDIMACS(f *testing.F)       { fuzz(f, "dimacs") }
func FuzzMETIS(f *testing.F)        { fuzz(f, "metis") }
func FuzzEdges(f *testing.F)        { fuzz(f, "edges") }
func FuzzCSV(f *testing.F)          { fuzz(f, "csv") }
func FuzzGalois(f *testing.F)       { fuzz(f, "galois") }
func FuzzRodinia(f *testing.F)      { fuzz(f, "rodinia") }
func FuzzOpenFlights(f *testing.F)  { fuzz(f, "openflights") }
