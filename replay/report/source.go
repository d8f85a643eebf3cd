package report

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gpureplay/replay/table"
)

// source is a folder of tables: of a run, with a file for each trace and policy,
// or of a sweep, with one merged file for each table.
type source struct {
	dir       string
	merged    bool
	named     string // the baseline that was requested; "": each group's own
	runs      []*run
	byKey     map[string]*run
	axes      []string // names of the settings that vary
	described bool     // machines are known by their descriptions
	changes   []WhatIf
	fixed     []string       // those that all runs have, as "name = value"
	scales    []axis         // of axes
	place     map[string]int // of a trace on a GPU among the others
}

// row is one row of a table in a batch.
type row struct {
	*table.Batch
	at int
}

func (r row) text(column string) string {
	if v := r.Column(column); v != nil {
		s, _ := v.Text(r.at)
		return s
	}
	return ""
}

func (r row) int(column string) int64 {
	if v := r.Column(column); v != nil {
		n, _ := v.Int(r.at)
		return n
	}
	return 0
}

// float returns a number, or ok false where it is NULL.
func (r row) float(column string) (x float64, ok bool) {
	if v := r.Column(column); v != nil {
		return v.Float(r.at)
	}
	return 0, false
}

// open reads the runs of a folder. It fails if the folder has none.
func open(ctx context.Context, dir string) (*source, error) {
	s := &source{dir: dir, byKey: map[string]*run{}}
	parts, err := table.Find(dir, "runs")
	if err != nil {
		return nil, err
	}
	merged, err := table.FindMerged(dir, "runs")
	if err != nil {
		return nil, err
	}
	s.merged = merged != ""
	if !s.merged && len(parts) == 0 {
		return nil, fmt.Errorf("report: no table runs in Parquet or CSV lies under %s: replay or sweep with -o %s first",
			dir, dir)
	}
	err = s.each(ctx, "runs", func(name names, r row) error {
		s.add(name, r)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(s.runs) == 0 {
		return nil, fmt.Errorf("report: the table runs under %s is empty", dir)
	}
	if err := s.eachOf(ctx, "classes", func(x *run, _ row) { x.sampled = true }); err != nil {
		return nil, err
	}
	s.align()
	for i, a := range s.axes {
		s.scales = append(s.scales, s.newAxis(a, i))
	}
	s.sort()
	return s, nil
}

// names say which run a row belongs to.
type names struct {
	trace, gpu, policy string
	axes, settings     []string
	cell               string
	part               string // the file that the row is of
}

func (n names) key() string {
	return strings.Join(append([]string{n.trace, n.gpu, n.policy}, append(slices.Clone(n.axes), n.settings...)...), "\x00")
}

// each calls f for every row of a table, none if there is no such table.
func (s *source) each(ctx context.Context, name string, f func(names, row) error) error {
	if s.merged {
		path, err := table.FindMerged(s.dir, name)
		if err != nil || path == "" {
			return err
		}
		return rows(ctx, path, func(r row) error { return f(mergedNames(path, r), r) })
	}
	parts, err := table.Find(s.dir, name)
	if err != nil {
		return err
	}
	for _, p := range parts {
		n := partNames(p)
		if err := rows(ctx, p.Path, func(r row) error { return f(n, r) }); err != nil {
			return err
		}
	}
	return nil
}

// eachOf calls f for every row of a table whose run is known: a run that is not
// whole may have left others.
func (s *source) eachOf(ctx context.Context, name string, f func(*run, row)) error {
	if !s.merged {
		parts, err := table.Find(s.dir, name)
		if err != nil {
			return err
		}
		for _, p := range parts {
			x := s.byKey[partNames(p).key()]
			if x == nil {
				continue
			}
			err := rows(ctx, p.Path, func(r row) error {
				f(x, r)
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
	path, err := table.FindMerged(s.dir, name)
	if err != nil || path == "" {
		return err
	}
	var x *run // the run of the row before: rows of a run lie together
	return rows(ctx, path, func(r row) error {
		if x == nil || r.text("cell") != x.cell || r.text("trace") != x.trace {
			x = s.byKey[mergedNames(path, r).key()]
		}
		if x != nil {
			f(x, r)
		}
		return nil
	})
}

// mergedNames are the names in a row of a sweep's table.
func mergedNames(path string, r row) names {
	n := names{trace: r.text("trace"), gpu: r.text("gpu"), policy: r.text("policy"), cell: r.text("cell"), part: path}
	for i, c := range r.Columns {
		if strings.HasPrefix(c.Name, "set_") {
			text, _ := r.Values[i].Text(r.at)
			n.axes = append(n.axes, strings.TrimPrefix(c.Name, "set_"))
			n.settings = append(n.settings, text)
		}
	}
	return n
}

// partNames are the names of all rows of a run's table. Its settings are words; one without a key is of the machine
// as a whole, or goes on with the value before it.
func partNames(p table.Part) names {
	n := names{trace: p.Trace, gpu: p.GPU, policy: p.Policy, part: p.Path}
	if p.Set == "" {
		return n
	}
	for _, word := range strings.Split(p.Set, ",") {
		key, value, ok := strings.Cut(word, "=")
		switch last := len(n.settings) - 1; {
		case ok:
			n.axes, n.settings = append(n.axes, key), append(n.settings, value)
		case last >= 0 && n.axes[last] != "machine":
			n.settings[last] += "," + word
		default:
			n.axes, n.settings = append(n.axes, "machine"), append(n.settings, word)
		}
	}
	return n
}

// align gives all runs the settings of any of them, in the order in which they were met; where a run has none it is
// as the preset says. Settings that are the same in all runs are the page's runs.
func (s *source) align() {
	s.place = map[string]int{}
	var axes []string
	for _, r := range s.runs {
		if key := r.trace + "\x00" + r.gpu; s.place[key] == 0 {
			s.place[key] = len(s.place) + 1
		}
		for _, a := range r.axes {
			if !slices.Contains(axes, a) {
				axes = append(axes, a)
			}
		}
	}
	for _, a := range axes {
		if a == "machine" && s.oneMachineEach() {
			s.described = true
			continue
		}
		first := s.runs[0].setting(a)
		if slices.ContainsFunc(s.runs, func(r *run) bool { return r.setting(a) != first }) {
			s.axes = append(s.axes, a)
		} else {
			s.fixed = append(s.fixed, a+" = "+first)
		}
	}
	for _, r := range s.runs {
		all := make([]string, len(s.axes))
		for i, a := range s.axes {
			all[i] = r.setting(a)
		}
		r.axes, r.settings = s.axes, all
	}
}

// oneMachineEach reports whether all runs of a trace on a GPU have one machine, as captures have: its hash is no
// setting that a reader compares.
func (s *source) oneMachineEach() bool {
	of := map[string]string{}
	for _, r := range s.runs {
		key, machine := r.trace+"\x00"+r.gpu, r.setting("machine")
		if was, ok := of[key]; ok && was != machine {
			return false
		}
		of[key] = machine
	}
	return true
}

// setting is a setting of a run by its name, as the run's folder has it.
func (r *run) setting(name string) string {
	if at := slices.Index(r.axes, name); at >= 0 {
		return r.settings[at]
	}
	return table.Unset
}

// rows calls f for every row of a file.
func rows(ctx context.Context, path string, f func(row) error) error {
	return table.Each(ctx, path, func(b *table.Batch) error {
		for i := range b.Rows {
			if err := f(row{b, i}); err != nil {
				return err
			}
		}
		return nil
	})
}
