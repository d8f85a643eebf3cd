package analyse

import (
	"cmp"
	"slices"
	"strings"

	"gpureplay/replay/capture"
	"gpureplay/replay/table"
)

// KernelChange is the time of one device function on both sides.
type KernelChange struct {
	Function       string
	CountA, CountB int64
	NsA, NsB       int64 // sum of the durations
}

// kernelChanges sums kernels by device function.
type kernelChanges struct {
	at  map[string]int
	all []KernelChange
}

// Kernels compares the runs of a pair by device function, the largest change of time first. Without the tables there
// are none. A damaged table is an error. It returns an error if a table cannot be read.
func (p *Pair) Kernels() ([]KernelChange, error) {
	var sum kernelChanges
	err := sum.add(p)
	return sum.sorted(), err
}

// Kernels does so over all pairs. It returns an error if a table cannot be read.
func (c *RunComparison) Kernels() ([]KernelChange, error) {
	var sum kernelChanges
	for i := range c.Pairs {
		if err := sum.add(&c.Pairs[i]); err != nil {
			return nil, err
		}
	}
	return sum.sorted(), nil
}

// add adds the kernels of a pair, if both sides have the table.
func (s *kernelChanges) add(p *Pair) error {
	if p.A.kernels == "" || p.B.kernels == "" {
		return nil
	}
	if s.at == nil {
		s.at = map[string]int{}
	}
	for side, path := range []string{p.A.kernels, p.B.kernels} {
		err := capture.EachRow(path, []string{"function", "duration_ns"}, func(b *table.Batch, row int) error {
			name, _ := b.Column("function").Text(row)
			ns, _ := b.Column("duration_ns").Int(row)
			i, ok := s.at[name]
			if !ok {
				i = len(s.all)
				s.at[name] = i
				s.all = append(s.all, KernelChange{Function: name})
			}
			x := &s.all[i]
			if side == 0 {
				x.CountA, x.NsA = x.CountA+1, x.NsA+ns
			} else {
				x.CountB, x.NsB = x.CountB+1, x.NsB+ns
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// sorted returns the sums, the largest change first.
func (s *kernelChanges) sorted() []KernelChange {
	abs := func(n int64) int64 { return max(n, -n) }
	slices.SortStableFunc(s.all, func(x, y KernelChange) int {
		return cmp.Or(cmp.Compare(abs(y.NsB-y.NsA), abs(x.NsB-x.NsA)), strings.Compare(x.Function, y.Function))
	})
	return s.all
}

// SettingChange is a parameter of machine, policy or run that differs. A side whose policy
// does not have the parameter has "".
type SettingChange struct{ Key, A, B string }

// OneSided reports whether only one side has the parameter.
func (s *SettingChange) OneSided() bool { return s.A == "" || s.B == "" }

// Settings lists the parameters that differ, from the tables settings of both sides. Without the tables there are
// none. A damaged table is an error. It returns an error if a table cannot be read.
func (p *Pair) Settings() ([]SettingChange, error) {
	values := [2]map[string]string{{}, {}}
	var order []string
	for side, path := range []string{p.A.settings, p.B.settings} {
		if path == "" {
			return nil, nil
		}
		err := capture.EachRow(path, []string{"of", "key", "value"}, func(b *table.Batch, row int) error {
			key, _ := b.Column("key").Text(row)
			values[side][key], _ = b.Column("value").Text(row)
			if side == 0 || values[0][key] == "" {
				order = append(order, key)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	var all []SettingChange
	for _, key := range order {
		if a, b := values[0][key], values[1][key]; a != b {
			all = append(all, SettingChange{key, a, b})
		}
	}
	return all, nil
}

// Settings lists the parameters that differ in every pair in the same way, and for each pair the others. It returns
// an error if a table cannot be read.
func (c *RunComparison) Settings() (common []SettingChange, others [][]SettingChange, err error) {
	others = make([][]SettingChange, len(c.Pairs))
	count := map[SettingChange]int{}
	for i := range c.Pairs {
		if others[i], err = c.Pairs[i].Settings(); err != nil {
			return nil, nil, err
		}
		for _, x := range others[i] {
			count[x]++
		}
	}
	everywhere := func(x SettingChange) bool { return count[x] == len(c.Pairs) }
	for _, x := range others[0] {
		if everywhere(x) {
			common = append(common, x)
		}
	}
	for i := range others {
		others[i] = slices.DeleteFunc(others[i], everywhere)
	}
	return common, others, nil
}
