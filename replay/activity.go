package replay

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gpureplay/replay/table"
	"gpureplay/trace"
)

// Span is a kernel or a copy in time, in nanoseconds.
type Span struct {
	Name     string
	Stream   int64
	From, To int64
	Bytes    int64 // of a copy
}

// Activity is what a GPU did in one run, or in a capture.
type Activity struct {
	Title    string
	Policy   string // "": a capture
	Recorded bool   // times are those of the capture, not of a replay
	Kernels  []Span
	Copies   []Span // named h2d and d2h
}

// Activities reads what each run under a folder of tables did, from its tables
// kernels and stages.
func Activities(dir string) ([]*Activity, error) {
	parts, err := table.Find(dir, "kernels")
	if err != nil {
		return nil, err
	}
	if len(parts) == 0 {
		return nil, fmt.Errorf("top: %s has no table kernels: replay with --tables=kernels,stages or all", dir)
	}
	stages, err := table.Find(dir, "stages")
	if err != nil {
		return nil, err
	}
	var all []*Activity
	for _, p := range parts {
		a := &Activity{Policy: p.Policy, Title: p.Trace + " under " + p.Policy + " on " + p.GPU}
		if p.Set != "" {
			a.Title += " with " + p.Set
		}
		clock, err := clockOf(p.Path)
		if err != nil {
			return nil, err
		}
		err = eachRow(p.Path, []string{"function", "stream", "first_cta_cycles", "end_cycles"}, func(b *table.Batch, row int) error {
			name, _ := b.Column("function").Text(row)
			stream, _ := b.Column("stream").Int(row)
			a.add(&a.Kernels, clock, b, row, Span{Name: name, Stream: stream}, "first_cta_cycles")
			return nil
		})
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(stages, func(s table.Part) bool { return s.Key == p.Key }); i >= 0 {
			err = eachRow(stages[i].Path, []string{"stage", "start_cycles", "end_cycles", "bytes"}, func(b *table.Batch, row int) error {
				if name, _ := b.Column("stage").Text(row); name == "h2d" || name == "d2h" {
					bytes, _ := b.Column("bytes").Int(row)
					a.add(&a.Copies, clock, b, row, Span{Name: name, Bytes: bytes}, "start_cycles")
				}
				return nil
			})
		}
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

// add adds a span, if both of its ends are known.
func (a *Activity) add(to *[]Span, clock table.Clock, b *table.Batch, row int, s Span, start string) {
	from, ok1 := b.Column(start).Int(row)
	end, ok2 := b.Column("end_cycles").Int(row)
	if ok1 && ok2 {
		s.From, s.To = clock.Ns(from), clock.Ns(end)
		*to = append(*to, s)
	}
}

// clockOf is the clock that a file keeps; without one a cycle is a nanosecond.
func clockOf(path string) (table.Clock, error) {
	r, err := table.OpenReader(path, table.Limits{})
	if err != nil {
		return table.Clock{}, err
	}
	defer r.Close()
	for _, kv := range r.Metadata() {
		if kv.Key == "clock_mhz" {
			mhz, err := strconv.ParseFloat(kv.Value, 64)
			if err != nil {
				return table.Clock{}, fmt.Errorf("tables: %s: clock_mhz is %q, no number", path, kv.Value)
			}
			return table.NewClock(mhz)
		}
	}
	return table.NewClock(1000)
}

// RecordedActivity is what a capture recorded of its kernels; none have times where
// the source has none.
func RecordedActivity(r *trace.Reader, name string) (*Activity, error) {
	a := &Activity{Title: name + " as captured", Recorded: true}
	var k trace.Kernel
	for id := range uint32(r.Kernels()) {
		if err := r.Kernel(id, &k); err != nil {
			return nil, err
		}
		if t := k.Recorded; t != nil && t.StartNs >= 0 && t.DurationNs >= 0 {
			a.Kernels = append(a.Kernels, Span{Name: r.Program().Functions[k.Function].Name, Stream: int64(k.Stream), From: t.StartNs, To: t.StartNs + t.DurationNs})
		}
	}
	return a, nil
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

// Links sums copies by direction.
func (a *Activity) Links() []Times { return sorted(a.Copies, func(s *Span) string { return s.Name }) }

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
	slices.SortStableFunc(all, func(a, b Times) int { return cmp.Or(cmp.Compare(b.Ns, a.Ns), strings.Compare(a.Name, b.Name)) })
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
// before it; that of the first is 0.
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

// Overlap says how much of the time in which anything went on there was what.
type Overlap struct {
	Span         int64 // from the first begin to the last end
	Kernels      int64 // with a kernel
	Several      int64 // with more than one
	Copies       int64 // with a copy
	CopiesHidden int64 // with a copy and a kernel
	Idle         int64 // with neither
}

// Overlap sweeps over time.
func (a *Activity) Overlap() Overlap {
	type step struct {
		at           int64
		kernel, copy int
	}
	var steps []step
	for _, k := range a.Kernels {
		steps = append(steps, step{k.From, 1, 0}, step{k.To, -1, 0})
	}
	for _, c := range a.Copies {
		steps = append(steps, step{c.From, 0, 1}, step{c.To, 0, -1})
	}
	slices.SortFunc(steps, func(a, b step) int { return cmp.Compare(a.at, b.at) })
	var o Overlap
	kernels, copies := 0, 0
	for i, s := range steps {
		if i > 0 {
			d := s.at - steps[i-1].at
			o.Span += d
			if kernels > 0 {
				o.Kernels += d
			}
			if kernels > 1 {
				o.Several += d
			}
			if copies > 0 {
				o.Copies += d
			}
			if copies > 0 && kernels > 0 {
				o.CopiesHidden += d
			}
			if copies == 0 && kernels == 0 {
				o.Idle += d
			}
		}
		kernels += s.kernel
		copies += s.copy
	}
	return o
}
