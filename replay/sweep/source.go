package sweep

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gpureplay/policies"
	"gpureplay/replay"
	"gpureplay/trace/container"
)

// source is one trace of a sweep.
type source struct {
	path    string
	name    string // in the tables
	hash    string
	insts   uint64             // warp instructions
	machine *replay.Captured   // that it was made on; nil: the trace cannot be read
	choices []*policies.Choice // that it can feed, where the file says all
	err     error              // it cannot be read
	grid    *Grid
}

// sources opens each trace once, for its hash and its features.
func (g *Grid) sources(ctx context.Context) ([]*source, error) {
	f := g.File
	var all []*source
	for _, pattern := range f.Traces {
		paths, err := filepath.Glob(f.resolve(pattern))
		if err != nil {
			return nil, f.wrong("traces", "%q is no pattern: %w", pattern, err)
		}
		if len(paths) == 0 {
			return nil, f.wrong("traces", "no file fits %q in %s", pattern, filepath.Dir(f.path))
		}
		for _, p := range paths { // sorted
			if !slices.ContainsFunc(all, func(t *source) bool { return t.path == p }) {
				all = append(all, &source{path: p, name: replay.TraceName(p), grid: g})
			}
		}
	}
	g.distinguish(all)
	for _, t := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		t.err = t.read(slices.Equal(f.Policies, words{"all"}))
	}
	return all, nil
}

// distinguish names traces whose files are called alike by their whole path from
// the sweep's folder.
func (g *Grid) distinguish(all []*source) {
	count := map[string]int{}
	for _, t := range all {
		count[t.name]++
	}
	for _, t := range all {
		if count[t.name] == 1 {
			continue
		}
		dir := filepath.Dir(t.path)
		if rel, err := filepath.Rel(filepath.Dir(g.File.path), dir); err == nil {
			dir = rel
		}
		t.name = filepath.ToSlash(filepath.Join(dir, filepath.Base(t.path)))
	}
}

func (t *source) read(all bool) error {
	if info, err := os.Stat(t.path); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder, not a trace", t.path)
	}
	r, err := container.Open(t.path)
	if err != nil {
		t.choices, _ = policies.Parse("serial", nil) // its one cell says why
		return err
	}
	defer r.Close()
	t.hash, t.insts = r.Hash(), r.Program().Totals.WarpInsts
	if t.machine, err = replay.MachineOf(r); err != nil {
		t.choices, _ = policies.Parse("serial", nil)
		return err
	}
	if !all {
		return nil
	}
	facts, err := policies.ProfileTrace(r, t.grid.File.as)
	if err != nil {
		t.choices, _ = policies.Parse("serial", nil)
		return err
	}
	var rest []string
	t.choices, rest, err = policies.Applicable(facts, nil)
	for _, no := range rest {
		t.grid.Notes = append(t.grid.Notes, t.name+": without "+no)
	}
	return err
}

// choices resolves the policies; nil: those that each trace can feed.
func (f *File) choices() ([]*policies.Choice, error) {
	if slices.Equal(f.Policies, words{"all"}) {
		if len(f.Params) > 0 {
			return nil, f.wrong("params", "name the policies whose parameters vary: all is none of them")
		}
		return nil, nil
	}
	var all []*policies.Choice
	varied := map[string]bool{}
	for _, p := range f.Policies {
		labels, err := f.variants(p, varied)
		if err != nil {
			return nil, err
		}
		for _, label := range labels {
			cs, err := policies.Parse(label, nil)
			if err != nil {
				return nil, f.wrong("policies", "%s", strings.TrimPrefix(err.Error(), "--policy="))
			}
			for _, c := range cs {
				if slices.ContainsFunc(all, func(b *policies.Choice) bool { return b.Label == c.Label }) {
					return nil, f.wrong("policies", "%s is named twice", c.Label)
				}
				all = append(all, c)
			}
		}
	}
	for _, key := range sortedKeys(f.Params) {
		if !varied[key] {
			return nil, f.wrong("params."+key, "no policy of this sweep has this parameter: replay policies NAME lists "+
				"those of one")
		}
	}
	return all, nil
}

// variants multiplies a policy out over the parameters that it declares, in the order
// of their names, and notes them.
func (f *File) variants(policy string, varied map[string]bool) ([]string, error) {
	cs, err := policies.Parse(policy, nil)
	if err != nil {
		return nil, f.wrong("policies", "%s", strings.TrimPrefix(err.Error(), "--policy="))
	}
	labels := []string{policy}
	for _, key := range sortedKeys(f.Params) {
		if len(cs) != 1 || !cs[0].Declares(key) {
			continue
		}
		varied[key] = true
		values, err := points(f.Params[key])
		if err != nil {
			return nil, f.wrong("params."+key, "%w", err)
		}
		var more []string
		for _, label := range labels {
			for _, v := range values {
				more = append(more, label+","+key+"="+v)
			}
		}
		if labels = more; len(labels) > maxCells {
			return nil, f.wrong("params", "a grid of more than %d cells", maxCells)
		}
	}
	return labels, nil
}
