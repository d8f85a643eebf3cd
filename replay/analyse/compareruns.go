package analyse

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gpureplay/replay/capture"
	"gpureplay/replay/table"
)

// Side is one of two runs that are compared.
type Side struct {
	table.Key
	Cycles, Ns int64
	Tool       string
	TraceHash  string
	kernels    string // file of the table kernels; "": none
	settings   string // and of settings
}

// Pair is the same work done in two ways.
type Pair struct {
	A, B Side
	Why  []string // the differences beside the cycles: policy, machine, settings, tool, trace
}

// Change is how much more time B takes than A, in per cent.
func (p *Pair) Change() float64 { return 100 * (float64(p.B.Ns)/float64(p.A.Ns) - 1) }

// RunComparison is of two folders, or of two policies of one.
type RunComparison struct {
	Pairs        []Pair
	OnlyA, OnlyB []string // runs without another
	Ratio        float64  // geometric mean of B's times over A's
	Low, High    float64  // its 95 % interval over the pairs, by Student's t of the logarithms; not numbers with one pair
}

// CompareFolders pairs the runs of two folders by their key, else by trace and policy, else by trace, where one run
// on each side has it. It returns an error if a folder has no runs, or if no runs match.
func CompareFolders(a, b string) (*RunComparison, error) {
	left, err := sides(a)
	if err != nil {
		return nil, err
	}
	right, err := sides(b)
	if err != nil {
		return nil, err
	}
	return pair(left, right, []func(Side) string{
		func(s Side) string { return strings.Join([]string{s.Trace, s.GPU, s.Set, s.Policy}, "\x00") },
		func(s Side) string { return s.Trace + "\x00" + s.Policy },
		func(s Side) string { return s.Trace },
	})
}

// ComparePolicies pairs the runs of two policies in a folder, of the same trace, machine and settings. It returns an
// error if the folder has no runs of one of them.
func ComparePolicies(dir, a, b string) (*RunComparison, error) {
	all, err := sides(dir)
	if err != nil {
		return nil, err
	}
	of := func(policy string) (list []Side) {
		for _, s := range all {
			if s.Policy == policy {
				list = append(list, s)
			}
		}
		return list
	}
	for _, p := range []string{a, b} {
		if len(of(p)) == 0 {
			var names []string
			for _, s := range all {
				if !slices.Contains(names, s.Policy) {
					names = append(names, s.Policy)
				}
			}
			return nil, fmt.Errorf("compare: %s has no complete run under policy %s: there are %s", dir, p,
				strings.Join(names, ", "))
		}
	}
	return pair(of(a), of(b), []func(Side) string{func(s Side) string {
		return strings.Join([]string{s.Trace, s.GPU, s.Set}, "\x00")
	}})
}

// sides reads the complete runs of a folder.
func sides(dir string) ([]Side, error) {
	parts, err := table.Find(dir, "runs")
	if err != nil {
		return nil, err
	}
	files := map[string]map[table.Key]string{}
	for _, name := range []string{"kernels", "settings"} {
		files[name] = map[table.Key]string{}
		more, err := table.Find(dir, name)
		if err != nil {
			return nil, err
		}
		for _, p := range more {
			files[name][p.Key] = p.Path
		}
	}
	var all []Side
	for _, p := range parts {
		s := Side{Key: p.Key, kernels: files["kernels"][p.Key], settings: files["settings"][p.Key]}
		complete := true
		err := capture.EachRow(p.Path, []string{"cycles", "time_ns", "complete"}, func(b *table.Batch, row int) error {
			s.Cycles, _ = b.Column("cycles").Int(row)
			s.Ns, _ = b.Column("time_ns").Int(row)
			complete, _ = b.Column("complete").Truth(row)
			return nil
		})
		if err != nil {
			return nil, err
		}
		kvs, err := table.KeyValues(p.Path)
		if err != nil {
			return nil, err
		}
		s.Tool, s.TraceHash = kvs["tool_version"], kvs["trace_hash"]
		if complete && s.Ns > 0 {
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("compare: no complete run lies under %s: replay with -o %s first", dir, dir)
	}
	return all, nil
}

// pair matches the remaining runs by each key in turn, where the key has one run on each side.
func pair(left, right []Side, keys []func(Side) string) (*RunComparison, error) {
	c := &RunComparison{}
	for _, key := range keys {
		count := map[string][2]int{}
		for i, list := range [2][]Side{left, right} {
			for _, s := range list {
				n := count[key(s)]
				n[i]++
				count[key(s)] = n
			}
		}
		var rest []Side
		for _, a := range left {
			if count[key(a)] != [2]int{1, 1} {
				rest = append(rest, a)
				continue
			}
			i := slices.IndexFunc(right, func(b Side) bool { return key(b) == key(a) })
			p := Pair{A: a, B: right[i]}
			p.Why = p.why()
			c.Pairs = append(c.Pairs, p)
			right = slices.Delete(slices.Clone(right), i, i+1)
		}
		left = rest
	}
	for _, s := range left {
		c.OnlyA = append(c.OnlyA, s.title())
	}
	for _, s := range right {
		c.OnlyB = append(c.OnlyB, s.title())
	}
	if len(c.Pairs) == 0 {
		return nil, errors.New("compare: no run of the one is of a trace that the other has")
	}
	slices.SortStableFunc(c.Pairs, func(x, y Pair) int {
		a, b := x.A.Key, y.A.Key
		return cmp.Or(strings.Compare(a.Trace, b.Trace), strings.Compare(a.GPU, b.GPU), byNumbers(a.Set, b.Set), a.Compare(b))
	})
	c.mean()
	return c, nil
}

// byNumbers compares texts with their numbers as numbers: launch=2000 before launch=10000.
func byNumbers(a, b string) int {
	for a != "" && b != "" {
		n, m := digits(a), digits(b)
		if n > 0 && m > 0 {
			x, y := strings.TrimLeft(a[:n], "0"), strings.TrimLeft(b[:m], "0")
			if c := cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y)); c != 0 {
				return c
			}
			a, b = a[n:], b[m:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

// digits is how many digits a text begins with.
func digits(s string) int {
	return len(s) - len(strings.TrimLeft(s, "0123456789"))
}

func (s *Side) title() string {
	return strings.Join(slices.DeleteFunc([]string{s.Trace, s.Policy, s.GPU, s.Set}, func(w string) bool {
		return w == ""
	}), ", ")
}

// why lists the differences of a pair.
func (p *Pair) why() []string {
	var all []string
	for _, d := range []struct{ what, a, b string }{
		{"policy", p.A.Policy, p.B.Policy}, {"machine", p.A.GPU, p.B.GPU},
		{"settings", cmp.Or(p.A.Set, table.Unset), cmp.Or(p.B.Set, table.Unset)},
		{"tool", p.A.Tool, p.B.Tool}, {"trace's name", p.A.Trace, p.B.Trace},
		{"trace's content", p.A.TraceHash, p.B.TraceHash},
	} {
		if d.a != d.b {
			all = append(all, fmt.Sprintf("%s: %s → %s", d.what, d.a, d.b))
		}
	}
	return all
}

// mean sets the geometric mean and its interval.
func (c *RunComparison) mean() {
	n := float64(len(c.Pairs))
	sum, squares := 0.0, 0.0
	for i := range c.Pairs {
		sum += math.Log(c.Pairs[i].ratio())
	}
	mean := sum / n
	for i := range c.Pairs {
		d := math.Log(c.Pairs[i].ratio()) - mean
		squares += float64(d * d)
	}
	c.Ratio, c.Low, c.High = math.Exp(mean), math.NaN(), math.NaN()
	if len(c.Pairs) > 1 {
		half := float64(student95(len(c.Pairs)-1) * math.Sqrt(squares/(n-1)/n))
		c.Low, c.High = math.Exp(mean-half), math.Exp(mean+half)
	}
}

func (p *Pair) ratio() float64 { return float64(p.B.Ns) / float64(p.A.Ns) }

// student95 is the two-sided 95 % quantile of Student's t.
func student95(freedom int) float64 {
	table := []float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
		2.145, 2.131, 2.120,
		2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042}
	if freedom <= len(table) {
		return table[freedom-1]
	}
	return 1.96 + 2.4/float64(freedom) // within 0.001 of the quantile
}
