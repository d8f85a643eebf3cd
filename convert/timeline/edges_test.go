package timeline

import "testing"

// A kernel is a programmatic launch if the activity before it in its stream is a kernel with an end, and that end is
// later than its begin.
func TestProgrammatic(t *testing.T) {
	e := newEdges()
	for i, x := range []struct {
		kind       ActivityKind
		stream     uint64
		began, ran int64
		flags      flags
		want       bool
	}{
		{Kernel, 7, 0, 10, 0, false}, {Kernel, 7, 9, 10, 0, true}, {Kernel, 8, 9, 10, 0, false},
		{Kernel, 7, 19, 10, 0, false}, {Copy, 7, 20, 5, 0, false}, {Kernel, 7, 21, 10, 0, false},
		{Kernel, 7, 22, 0, flagEndless, true}, {Kernel, 7, 23, 10, 0, false}, {Kernel, 7, 24, 1, flagUntimed, false},
		{Kernel, 7, 25, 1, 0, false},
	} {
		r := row{kind: uint8(x.kind), stream: x.stream, began: x.began, ran: x.ran, flags: x.flags}
		if got := e.programmatic(&r); got != x.want {
			t.Errorf("activity %d: programmatic %v, want %v", i, got, x.want)
		}
	}
}

// Activities of graphs alone have the number of a graph launch: equal within a call, the next number in the next call.
func TestGraphNumbers(t *testing.T) {
	e := newEdges()
	for i, x := range []struct {
		call uint64
		of   flags
		want uint32
	}{{1, 0, 0}, {2, flagGraph, 1}, {2, flagGraph, 1}, {3, 0, 0}, {4, flagGraph, 2}, {0, flagGraph, 0}} {
		r := row{kind: uint8(Kernel), correlation: x.call, flags: x.of}
		if got := e.graph(&r, 0); got != x.want {
			t.Errorf("activity %d is of graph launch %d, want %d", i, got, x.want)
		}
	}
}
