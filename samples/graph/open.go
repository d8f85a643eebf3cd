package graph

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// Options say how to read a file. The zero value reads any format with the
// default limits.
type Options struct {
	Format   string // one of [Formats]; "": [Detect]
	Mirrored bool   // add the reverse of every arc: a list that names each undirected edge once
	Limits   Limits
}

// Limits bound a file's contents before memory is allocated. Zero fields have the values of [DefaultLimits].
type Limits struct {
	Vertices  int // rows
	Arcs      int // as read, before mirroring; at most 1<<30
	LineBytes int // of one text line
}

// DefaultLimits take every graph of the DIMACS challenges.
var DefaultLimits = Limits{Vertices: 1 << 26, Arcs: 1 << 28, LineBytes: 1 << 26}

func (l Limits) filled() Limits {
	if l.Vertices <= 0 {
		l.Vertices = DefaultLimits.Vertices
	}
	if l.Arcs <= 0 || l.Arcs > 1<<30 {
		l.Arcs = DefaultLimits.Arcs
	}
	if l.LineBytes <= 0 {
		l.LineBytes = DefaultLimits.LineBytes
	}
	return l
}

// reader reads one format.
type reader func(l *lines, o *Options) (*Graph, error)

// readers are the formats, by name.
var readers = map[string]reader{
	"mtx":         readMatrixMarket,
	"dimacs":      readDIMACS,
	"metis":       readMETIS,
	"edges":       readEdges,
	"csv":         readCSV,
	"galois":      readGalois,
	"rodinia":     readRodinia,
	"openflights": readOpenFlights,
}

// Formats returns the names of the formats, sorted.
func Formats() []string {
	var names []string
	for name := range readers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Open reads the graph of a file. Errors name the file and the line, or the
// byte of a binary file.
func Open(path string, o Options) (*Graph, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f, path, o)
}

// Read reads a graph from r; errors name path, and its last element without extensions becomes the graph's name.
func Read(r io.Reader, path string, o Options) (*Graph, error) {
	o.Limits = o.Limits.filled()
	buffered := bufio.NewReaderSize(r, headBytes)
	if magic, _ := buffered.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		defer z.Close()
		buffered = bufio.NewReaderSize(z, headBytes)
	}
	format := o.Format
	if format == "" {
		head, err := buffered.Peek(headBytes)
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if format = Detect(head, err == io.EOF); format == "" {
			return nil, fmt.Errorf("%s: no known graph format; there are: %s", path, strings.Join(Formats(), ", "))
		}
	}
	read := readers[format]
	if read == nil {
		return nil, fmt.Errorf("no graph format %q; there are: %s", format, strings.Join(Formats(), ", "))
	}
	l := &lines{r: buffered, path: path, limit: o.Limits.LineBytes}
	g, err := read(l, &o)
	if err != nil {
		return nil, err
	}
	g.Name = strings.TrimSuffix(filepath.Base(path), ".gz")
	g.Name = strings.TrimSuffix(g.Name, filepath.Ext(g.Name))
	return g, nil
}
