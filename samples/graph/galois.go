package graph

import (
	"encoding/binary"
	"fmt"
	"io"
)

// galoisHeader is the bytes of version, edge size, vertices and edges.
const galoisHeader = 32

// readGalois reads version 1 of Galois' binary .gr, little-endian: 64-bit
// version, bytes per edge datum, vertices n, edges m; n 64-bit row ends; m
// 32-bit destinations, padded to 8 bytes; m data.
//
//  1. A datum of 4 bytes is a signed whole number and one of 8 bytes likewise,
//     as the converters of LonestarGPU write them; 0 bytes: no weights.
func readGalois(l *lines, o *Options) (*Graph, error) {
	b := binaryFile{l: l}
	version, size := b.u64(), b.u64()
	vertices, arcs := b.u64(), b.u64()
	switch {
	case b.err != nil:
		return nil, b.err
	case version != 1:
		return nil, b.errorf("version %d of Galois' format; want 1", version)
	case size != 0 && size != 4 && size != 8:
		return nil, b.errorf("edge data of %d bytes; want 0, 4 or 8", size)
	case vertices > uint64(o.Limits.Vertices):
		return nil, b.errorf("%d vertices, more than the limit of %d", vertices, o.Limits.Vertices)
	case arcs > uint64(o.Limits.Arcs):
		return nil, b.errorf("%d arcs, more than the limit of %d", arcs, o.Limits.Arcs)
	}
	g := &Graph{Row: []uint32{0}}
	for range vertices {
		end := b.u64()
		if b.err != nil {
			return nil, b.err
		}
		if last := g.Row[len(g.Row)-1]; end < uint64(last) || end > arcs {
			return nil, b.errorf("row end %d, not from %d to %d", end, last, arcs)
		}
		g.Row = append(g.Row, uint32(end))
	}
	if uint64(g.Row[vertices]) != arcs {
		return nil, b.errorf("the last row ends at %d of %d arcs", g.Row[vertices], arcs)
	}
	if err := galoisArcs(&b, g, vertices, arcs, size); err != nil {
		return nil, err
	}
	if o.Mirrored {
		return mirrored(g), nil
	}
	return g, nil
}

func galoisArcs(b *binaryFile, g *Graph, vertices, arcs, size uint64) error {
	for range arcs {
		u := b.u32()
		if b.err != nil {
			return b.err
		}
		if uint64(u) >= vertices {
			return b.errorf("destination %d of %d vertices", u, vertices)
		}
		g.Col = append(g.Col, u)
	}
	if size == 0 {
		return nil
	}
	if arcs%2 == 1 {
		b.u32()
	}
	for range arcs {
		if size == 4 {
			g.Weight = append(g.Weight, float64(int32(b.u32())))
		} else {
			g.Weight = append(g.Weight, float64(int64(b.u64())))
		}
		if b.err != nil {
			return b.err
		}
	}
	return nil
}

// mirrored adds the reverse arcs to a graph.
func mirrored(g *Graph) *Graph {
	a := arcs{dst: g.Col, weight: g.Weight}
	for v := range g.Vertices() {
		for range g.Degree(v) {
			a.src = append(a.src, uint32(v))
		}
	}
	a.mirror()
	return a.csr(g.Name, g.Vertices())
}

// binaryFile reads numbers and keeps the first error.
type binaryFile struct {
	l   *lines
	at  int64
	buf [8]byte
	err error
}

func (b *binaryFile) u64() uint64 { return binary.LittleEndian.Uint64(b.bytes(8)) }
func (b *binaryFile) u32() uint32 { return binary.LittleEndian.Uint32(b.bytes(4)) }

func (b *binaryFile) bytes(n int) []byte {
	clear(b.buf[:])
	if b.err == nil {
		if _, err := io.ReadFull(b.l.r, b.buf[:n]); err != nil {
			b.err = b.errorf("the file is cut short (%v)", err)
		}
		b.at += int64(n)
	}
	return b.buf[:n]
}

func (b *binaryFile) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: byte %d: %s", b.l.path, b.at, fmt.Sprintf(format, args...))
}
