package graph

import (
	"bytes"
	"io"
	"slices"
)

// readOpenFlights reads OpenFlights' routes.dat: airline, its id, source
// airport, its id, destination airport, its id, codeshare, stops, equipment.
//
//  1. An airport is its three- or four-letter code, since some routes have no
//     id; airports are numbered in the order of their codes. Every route is an
//     arc, so airlines that fly the same way make arcs that repeat.
func readOpenFlights(l *lines, o *Options) (*Graph, error) {
	var a arcs
	ids := map[string]uint32{}
	var codes []string
	id := func(code []byte) uint32 {
		n, ok := ids[string(code)]
		if !ok {
			n = uint32(len(codes))
			codes = append(codes, string(code))
			ids[codes[n]] = n
		}
		return n
	}
	for {
		line, err := l.data("#")
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		fields := bytes.SplitN(line, []byte{','}, 10)
		if len(fields) != 9 {
			return nil, l.errorf("a route of %d fields; want 9 between commas", len(fields))
		}
		from, to := fields[2], fields[4]
		if len(from) == 0 || len(to) == 0 || len(from) > 8 || len(to) > 8 {
			return nil, l.errorf("airports %q and %q; want codes of at most 8 letters", short(from), short(to))
		}
		if len(a.src) == o.Limits.Arcs || len(codes)+2 > o.Limits.Vertices {
			return nil, l.errorf("more than %d routes or %d airports, the limits", o.Limits.Arcs, o.Limits.Vertices)
		}
		a.add(id(from), id(to))
	}
	if len(a.src) == 0 {
		return nil, l.errorf("the file has no route")
	}
	sorted := slices.Sorted(slices.Values(codes))
	for _, list := range [][]uint32{a.src, a.dst} {
		for i, v := range list {
			at, _ := slices.BinarySearch(sorted, codes[v])
			list[i] = uint32(at)
		}
	}
	if o.Mirrored {
		a.mirror()
	}
	return a.csr("", len(codes)), nil
}
