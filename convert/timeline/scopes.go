package timeline

import (
	"slices"

	"gpureplay/trace"
)

// Range is a part of the host program that its author named: an NVTX range, a step
// of PyTorch's profiler.
type Range struct {
	Name       []byte
	Host       uint64 // operating system process, as in [Call]
	Thread     uint64
	AnyThread  bool // holds for all threads of the process
	StartNs    int64
	DurationNs int64
}

const (
	maxScopes = 1 << 16 // distinct ones, by their names and those around them
	maxOpen   = 64      // ranges open at once on a thread
)

// Range takes a named range.
func (b *Builder) Range(r *Range) error {
	if len(b.names) >= maxNames/2 || b.chars >= maxNameBytes/2 { // the rest is for kernels
		b.counts.add(scopeDropped)
		return nil
	}
	name, err := b.Name(r.Name)
	if err != nil {
		return err
	}
	row := row{side: sideRange, name: name, host: r.Host, thread: r.Thread, start: r.StartNs,
		duration: max(r.DurationNs, 0), seq: b.seq}
	row.set(flagAnyThread, r.AnyThread)
	b.seq++
	row.encode(b.buf, [keyWords]uint64{ordered(row.start), 0, ^uint64(row.duration), row.thread, row.seq})
	return b.host.Add(b.buf)
}

// open is a range that has begun.
type open struct {
	name       uint32
	start, end int64
}

// place is a scope: a name within a scope.
type place struct{ in, name uint32 }

// scopes knows which ranges are open as the host goes on.
type scopes struct {
	threads   map[thread][]open
	processes map[uint64][]open // of all threads
	known     map[place]uint32  // their indices in the sink
	path      []open            // reused
}

func newScopes() scopes {
	return scopes{threads: map[thread][]open{}, processes: map[uint64][]open{}, known: map[place]uint32{}}
}

// begin opens a range.
func (e *emitter) begin(r *row) {
	s, o := &e.scopes, open{r.name, r.start, r.start + r.duration}
	if r.flags&flagAnyThread != 0 {
		s.processes[r.host] = e.push(s.processes[r.host], o)
		return
	}
	t := thread{r.host, r.thread}
	if _, ok := s.threads[t]; !ok && len(s.threads) == maxThreads {
		e.b.counts.add(scopeDropped)
		return
	}
	s.threads[t] = e.push(s.threads[t], o)
}

func (e *emitter) push(list []open, o open) []open {
	list = slices.DeleteFunc(list, func(x open) bool { return x.end <= o.start })
	if len(list) == maxOpen {
		e.b.counts.add(scopeDropped)
		return list
	}
	return append(list, o)
}

// scope returns the innermost scope of an activity. It consists of the ranges that were open on its thread, or for
// its whole process, when it was called; the first that began is outermost. An activity without a call has none.
func (e *emitter) scope(r *row) uint32 {
	s := &e.scopes
	if r.flags&flagHostTime == 0 {
		return 0
	}
	s.path = s.path[:0]
	for _, list := range [2][]open{s.processes[r.host], s.threads[thread{r.host, r.thread}]} {
		for _, o := range list {
			if o.start <= r.start && r.start < o.end {
				s.path = append(s.path, o)
			}
		}
	}
	slices.SortStableFunc(s.path, func(a, b open) int {
		switch {
		case a.start < b.start:
			return -1
		case a.start > b.start:
			return 1
		}
		return 0
	})
	in := uint32(0)
	for _, o := range s.path {
		at := place{in, o.name}
		id, ok := s.known[at]
		if !ok {
			if len(s.known) == maxScopes {
				e.b.counts.add(scopeDropped)
				break
			}
			id = e.sink.Scope(trace.Scope{Name: e.b.names[o.name], In: in})
			s.known[at] = id
		}
		in = id
	}
	return in
}
