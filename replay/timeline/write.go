package timeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"gpureplay/replay/table"
)

// Options choose the part of the tables that is shown.
type Options struct {
	Trace, Policy string // "": all
	From, To      int64  // cycles; events that end before From or start after To are left out. To 0: to the end
}

// Stats counts a timeline's contents.
type Stats struct {
	Replays int
	Slices  int
	Left    []Left
}

// Left counts the rows of a replay's table that are left out.
type Left struct {
	Replay, Of string
	Count      int
	From       int64  // the first cycle of it
	Instead    string // the counter that shows it instead; "": none
}

func (l *Left) add(from int64) {
	if l.Count == 0 || from < l.From {
		l.From = from
	}
	l.Count++
}

// sources are the tables that a timeline is made of.
var sources = []string{"runs", "stages", "kernels", "ctas", "launches", "timeline", "tasks", "calls"}

// Write writes the replays that lie under dir, in the order of their traces, then policies, as one Perfetto trace.
// It returns an error that names the file if a table cannot be read, one if there is nothing to show, and ctx's
// error soon after it ends.
func Write(ctx context.Context, w io.Writer, dir string, opt Options) (Stats, error) {
	var stats Stats
	runs, err := find(dir, opt)
	if err != nil {
		return stats, err
	}
	p := newPackets(w)
	for i, r := range runs {
		if err := r.write(ctx, p, i+1, len(runs), opt, &stats); err != nil {
			return stats, err
		}
		stats.Replays++
		if p.err != nil {
			break
		}
	}
	if err := p.close(); err != nil {
		return stats, fmt.Errorf("timeline: writing: %w", err)
	}
	return stats, nil
}

// run is one replay with its tables.
type run struct {
	table.Key
	parts map[string]*table.Part
}

func find(dir string, opt Options) ([]*run, error) {
	var runs []*run
	for _, name := range sources {
		parts, err := table.Find(dir, name)
		if err != nil {
			return nil, err
		}
		for _, part := range parts {
			if (opt.Trace != "" && part.Trace != opt.Trace) || (opt.Policy != "" && part.Policy != opt.Policy) {
				continue
			}
			i := slices.IndexFunc(runs, func(r *run) bool { return r.Key == part.Key })
			if i < 0 {
				i = len(runs)
				runs = append(runs, &run{part.Key, map[string]*table.Part{}})
			}
			runs[i].parts[name] = &part
		}
	}
	if len(runs) == 0 {
		return nil, fmt.Errorf("timeline: no requested tables lie under %s: replay with -o %s first", dir, dir)
	}
	slices.SortFunc(runs, func(a, b *run) int {
		return a.Compare(b.Key)
	})
	return runs, nil
}

// clock returns the clock that the tables of a run keep.
func (r *run) clock() (table.Clock, error) {
	for _, name := range sources {
		if part := r.parts[name]; part != nil {
			return table.ClockOf(part.Path)
		}
	}
	return table.Clock{}, errors.New("timeline: a run without tables")
}
