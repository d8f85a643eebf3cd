package capture

import (
	"cmp"
	"slices"
	"strings"
)

// Span is a kernel, a copy or an access of files in time, in nanoseconds.
type Span struct {
	Name       string
	Stream     int64
	From, To   int64
	Asked      int64 // of a kernel: when the host launched it; -1: unknown
	Bytes      int64 // of a copy or a file
	Collective bool  // a kernel that moves data between devices (NCCL, RCCL)
}

// Activity is the work of a GPU in one run, or in a capture.
type Activity struct {
	Title    string
	Policy   string // "": a capture
	Recorded bool   // times of the capture, not of a replay
	Start    int64  // when the run or the capture begins
	Ns       int64  // end to end
	Kernels  []Span
	Copies   []Span // named by their direction; of a capture memsets too
	Files    []Span // named prelude (read) and postlude (written)
	Unknown  bool   // copies and files are: the table stages was not written
}

// Times sums spans of one name or stream.
type Times struct {
	Name      string
	Stream    int64
	Count     int
	Ns        int64 // sum of the durations; of a stream the time in which it was busy
	MostNs    int64 // the longest
	GapNs     int64 // of a stream: between its spans
	MostGapNs int64
	Bytes     int64
}

// Functions sums kernels by function, the longest in all first.
func (a *Activity) Functions() []Times {
	return sorted(a.Kernels, func(s *Span) string { return s.Name })
}

// Links sums copies by direction, and accesses of files.
func (a *Activity) Links() []Times {
	return sorted(slices.Concat(a.Copies, a.Files), func(s *Span) string { return s.Name })
}

func sorted(spans []Span, key func(*Span) string) []Times {
	at := map[string]int{}
	var all []Times
	for i := range spans {
		s := &spans[i]
		n, ok := at[key(s)]
		if !ok {
			n = len(all)
			at[key(s)] = n
			all = append(all, Times{Name: key(s)})
		}
		t := &all[n]
		t.Count++
		t.Ns += s.To - s.From
		t.MostNs = max(t.MostNs, s.To-s.From)
		t.Bytes += s.Bytes
	}
	slices.SortStableFunc(all, func(a, b Times) int {
		return cmp.Or(cmp.Compare(b.Ns, a.Ns), strings.Compare(a.Name, b.Name))
	})
	return all
}

// Streams says how busy each stream is, and how long it pauses between kernels.
func (a *Activity) Streams() []Times {
	byStream := map[int64][]Span{}
	var streams []int64
	for _, k := range a.Kernels {
		if byStream[k.Stream] == nil {
			streams = append(streams, k.Stream)
		}
		byStream[k.Stream] = append(byStream[k.Stream], k)
	}
	slices.Sort(streams)
	var all []Times
	for _, id := range streams {
		t := Times{Stream: id, Count: len(byStream[id])}
		union(byStream[id], func(from, to, gap int64) {
			t.Ns += to - from
			t.GapNs += gap
			t.MostGapNs = max(t.MostGapNs, gap)
		})
		for _, s := range byStream[id] {
			t.MostNs = max(t.MostNs, s.To-s.From)
		}
		all = append(all, t)
	}
	return all
}

// union calls f for each stretch of time that spans cover, in order, with the gap
// before it; the first has none, 0.
func union(spans []Span, f func(from, to, gap int64)) {
	in := slices.SortedFunc(slices.Values(spans), func(a, b Span) int { return cmp.Compare(a.From, b.From) })
	last := int64(0)
	for i := 0; i < len(in); {
		from, to := in[i].From, in[i].To
		for i++; i < len(in) && in[i].From <= to; i++ {
			to = max(to, in[i].To)
		}
		gap := int64(0)
		if last > 0 {
			gap = from - last
		}
		f(from, to, gap)
		last = to
	}
}

// Overlap splits the time of a run by the work that went on, ns.
type Overlap struct {
	Span         int64 // end to end
	Kernels      int64 // with a kernel
	Several      int64 // with more than one
	Copies       int64 // with a copy
	CopiesHidden int64 // with a copy and a kernel
	Files        int64 // with a file that is read or written
	Idle         int64 // with none of them
}

// Overlap sweeps over time.
func (a *Activity) Overlap() Overlap {
	type step struct {
		at    int64
		kind  int
		count int
	}
	const kernels, copies, files = 0, 1, 2
	var steps []step
	for kind, spans := range [][]Span{kernels: a.Kernels, copies: a.Copies, files: a.Files} {
		for _, s := range spans {
			steps = append(steps, step{s.From, kind, 1}, step{s.To, kind, -1})
		}
	}
	slices.SortFunc(steps, func(a, b step) int { return cmp.Compare(a.at, b.at) })
	var o Overlap
	var now [3]int
	busy := int64(0)
	for i, s := range steps {
		if i > 0 {
			d := s.at - steps[i-1].at
			add := func(to *int64, on bool) {
				if on {
					*to += d
				}
			}
			add(&o.Kernels, now[kernels] > 0)
			add(&o.Several, now[kernels] > 1)
			add(&o.Copies, now[copies] > 0)
			add(&o.CopiesHidden, now[copies] > 0 && now[kernels] > 0)
			add(&o.Files, now[files] > 0)
			add(&busy, now != [3]int{})
		}
		now[s.kind] += s.count
	}
	o.Span = max(a.Ns, busy)
	o.Idle = o.Span - busy
	return o
}
