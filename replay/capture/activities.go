package capture

import (
	"context"
	"fmt"
	"slices"

	"gpureplay/model/host"
	"gpureplay/replay/table"
	"gpureplay/trace"
	"gpureplay/trace/container"
)

// Activities reads the work of each run under a folder of tables: from the tables
// kernels and stages, and its time from the table runs. It fails where no table is found.
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
	runs, err := table.Find(dir, "runs")
	if err != nil {
		return nil, err
	}
	var all []*Activity
	for _, p := range parts {
		a := &Activity{Policy: p.Policy, Title: p.Trace + " under " + p.Policy + " on " + p.GPU}
		if words := table.Words(p.Set); words != "" {
			a.Title += " with " + words
		}
		clock, err := table.ClockOf(p.Path)
		if err != nil {
			return nil, err
		}
		err = EachRow(p.Path, []string{"function", "stream", "arrive_cycles", "first_cta_cycles", "end_cycles"},
			func(b *table.Batch, row int) error {
				name, _ := b.Column("function").Text(row)
				stream, _ := b.Column("stream").Int(row)
				s := Span{Name: name, Stream: stream, Asked: -1}
				if arrive, ok := b.Column("arrive_cycles").Int(row); ok {
					s.Asked = clock.Ns(arrive)
				}
				a.add(&a.Kernels, clock, b, row, s, "first_cta_cycles")
				return nil
			})
		if err != nil {
			return nil, err
		}
		if err := a.readStages(clock, p.Key, stages); err != nil {
			return nil, err
		}
		if err := a.readEnd(p.Key, runs); err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

// readStages reads copies and accesses of files.
func (a *Activity) readStages(clock table.Clock, run table.Key, stages []table.Part) error {
	i := slices.IndexFunc(stages, func(s table.Part) bool { return s.Key == run })
	if i < 0 {
		a.Unknown = true
		return nil
	}
	return EachRow(stages[i].Path, []string{"stage", "start_cycles", "end_cycles", "bytes"},
		func(b *table.Batch, row int) error {
			name, _ := b.Column("stage").Text(row)
			bytes, _ := b.Column("bytes").Int(row)
			switch name {
			case "h2d", "d2h":
				a.add(&a.Copies, clock, b, row, Span{Name: name, Bytes: bytes}, "start_cycles")
			case "prelude", "postlude":
				a.add(&a.Files, clock, b, row, Span{Name: name, Bytes: bytes}, "start_cycles")
			}
			return nil
		})
}

// readEnd reads how long the run took. Without its row the run ends with its last work.
func (a *Activity) readEnd(run table.Key, runs []table.Part) error {
	for _, list := range [][]Span{a.Kernels, a.Copies, a.Files} {
		for _, s := range list {
			a.Ns = max(a.Ns, s.To)
		}
	}
	i := slices.IndexFunc(runs, func(s table.Part) bool { return s.Key == run })
	if i < 0 {
		return nil
	}
	return EachRow(runs[i].Path, []string{"time_ns"}, func(b *table.Batch, row int) error {
		if ns, ok := b.Column("time_ns").Int(row); ok {
			a.Ns = ns
		}
		return nil
	})
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

// RecordedActivity returns the recorded times of a capture's kernels and copies. It fails
// where the trace cannot be read.
func RecordedActivity(r *container.Reader, name string) (*Activity, error) {
	times, err := host.ReadCapture(r)
	if err != nil {
		return nil, err
	}
	a := &Activity{Title: name + " as captured", Recorded: true, Start: times.Origin, Ns: times.SpanNs()}
	var k trace.Kernel
	for id := range uint32(r.Kernels()) {
		if err := r.Kernel(id, &k); err != nil {
			return nil, err
		}
		asked := int64(-1)
		if k.Recorded != nil {
			asked = k.Recorded.HostNs
		}
		a.recorded(&a.Kernels, k.Recorded, Span{Asked: asked, Name: r.Program().Functions[k.Function].Name,
			Stream:     int64(k.Stream),
			Collective: k.Flags&trace.KernelCollective != 0})
	}
	for op, err := range trace.Each(r.HostOps()) {
		if err != nil {
			return nil, err
		}
		if op.Kind != trace.OpLaunch {
			a.recorded(&a.Copies, op.Recorded, Span{Name: op.Kind.String(), Stream: int64(op.Stream), Bytes: int64(op.Bytes)})
		}
	}
	return a, nil
}

// recorded adds the kernels and copies that have times.
func (a *Activity) recorded(to *[]Span, t *trace.Recorded, s Span) {
	if t != nil && t.StartNs >= 0 && t.DurationNs >= 0 {
		s.From, s.To = t.StartNs, t.StartNs+t.DurationNs
		*to = append(*to, s)
	}
}

// EachRow calls f for each row of a file that has the needed columns. It returns an error if the file lacks a
// column.
func EachRow(path string, need []string, f func(b *table.Batch, row int) error) error {
	r, err := table.OpenReader(path, table.Limits{})
	if err != nil {
		return err
	}
	defer r.Close()
	for _, name := range need {
		if !slices.ContainsFunc(r.Columns(), func(c table.Column) bool { return c.Name == name }) {
			return fmt.Errorf("correlate: %s lacks the column %s", path, name)
		}
	}
	n := 0
	return r.Each(context.Background(), func(b *table.Batch) error {
		for row := range b.Rows {
			if err := f(b, row); err != nil {
				return fmt.Errorf("correlate: %s, row %d: %w", path, n, err)
			}
			n++
		}
		return nil
	})
}
