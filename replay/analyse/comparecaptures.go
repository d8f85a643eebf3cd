package analyse

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"gpureplay/model/host"
	"gpureplay/trace"
	"gpureplay/trace/container"
)

// CaptureComparison sets the recorded work of two captures side by side, matched by name.
type CaptureComparison struct {
	A, B    Recording
	Span    Change // from the first call to the end of the last work
	Kernels []Change
	Copies  []Change
	Ranges  []Change // kernels called within; steps of PyTorch's profiler are one range
	Steps   Change   // each from its first kernel's start to its last one's end
}

// Recording is one of two captures.
type Recording struct{ Name, GPU string }

// Change compares the work of one name in both captures: its number of runs and total time.
type Change struct {
	Name           string
	CountA, CountB int64
	NsA, NsB       int64
}

// Pct is the change of the time in all, in per cent; 0 where A has none.
func (c *Change) Pct() float64 {
	if c.NsA == 0 {
		return 0
	}
	return 100 * (float64(c.NsB)/float64(c.NsA) - 1)
}

// MeanA and MeanB are the mean times.
func (c *Change) MeanA() int64 { return c.NsA / max(1, c.CountA) }
func (c *Change) MeanB() int64 { return c.NsB / max(1, c.CountB) }

// New and Gone say that only one of the captures has the name.
func (c *Change) New() bool  { return c.CountA == 0 && c.CountB > 0 }
func (c *Change) Gone() bool { return c.CountA > 0 && c.CountB == 0 }

// errUntimed refuses a capture without recorded times.
var errUntimed = errors.New("one of them has no recorded times: replay both, and compare the folders of their tables")

// CompareCaptures compares the recorded times of two traces. It fails if either has none.
func CompareCaptures(a, b *container.Reader) (*CaptureComparison, error) {
	c := &CaptureComparison{}
	sides := [2]*recorded{newRecorded(), newRecorded()}
	for i, r := range [2]*container.Reader{a, b} {
		if err := sides[i].read(r); err != nil {
			return nil, err
		}
	}
	c.A.GPU, c.B.GPU = a.Program().Meta.GPU, b.Program().Meta.GPU
	if c.Span = (Change{Name: "recorded end to end", NsA: sides[0].span, NsB: sides[1].span}); c.Span.NsA > 0 &&
		c.Span.NsB > 0 {
		c.Span.CountA, c.Span.CountB = 1, 1
	}
	c.Kernels = changes(sides[0].kernels, sides[1].kernels)
	c.Copies = changes(sides[0].copies, sides[1].copies)
	c.Ranges = changes(sides[0].ranges, sides[1].ranges)
	x, y := sides[0].allSteps(), sides[1].allSteps()
	c.Steps = Change{"a step", x.count, y.count, x.ns, y.ns}
	return c, nil
}

type sum struct{ count, ns int64 }

// recorded sums the recorded times of a trace, by name.
type recorded struct {
	kernels, copies, ranges map[string]sum
	steps                   map[string][2]int64 // first start, last end
	span                    int64
}

func newRecorded() *recorded {
	return &recorded{map[string]sum{}, map[string]sum{}, map[string]sum{}, map[string][2]int64{}, 0}
}

func (x *recorded) allSteps() (all sum) {
	for _, s := range x.steps {
		all.count++
		all.ns += s[1] - s[0]
	}
	return all
}

func add(to map[string]sum, name string, t *trace.Recorded) {
	s := to[name]
	to[name] = sum{s.count + 1, s.ns + max(0, t.DurationNs)}
}

func (x *recorded) read(r *container.Reader) error {
	c, err := host.ReadCapture(r)
	if err != nil {
		return err
	}
	x.span = c.SpanNs()
	p := r.Program()
	var k trace.Kernel
	for id := range uint32(r.Kernels()) {
		if err := r.Kernel(id, &k); err != nil {
			return err
		}
		if t := k.Recorded; t != nil && (t.StartNs >= 0 || t.DurationNs > 0) {
			add(x.kernels, p.Functions[k.Function].Name, t)
			x.within(p.ScopePath(k.Scope), t)
		}
	}
	if len(x.kernels) == 0 {
		return errUntimed
	}
	for op, err := range trace.Each(r.HostOps()) {
		if err != nil {
			return err
		}
		if t := op.Recorded; t != nil && t.StartNs >= 0 && op.Kind != trace.OpLaunch {
			add(x.copies, op.Kind.String(), t)
		}
	}
	return nil
}

// stepPrefix begins the names of the steps of PyTorch's profiler, before a number.
const stepPrefix = "ProfilerStep#"

// within counts a kernel into each scope that it is in.
func (x *recorded) within(path []string, t *trace.Recorded) {
	name := ""
	for _, s := range path {
		if strings.HasPrefix(s, stepPrefix) && t.StartNs >= 0 {
			end := t.StartNs + max(0, t.DurationNs)
			step, ok := x.steps[s]
			if !ok {
				step = [2]int64{t.StartNs, end}
			}
			x.steps[s] = [2]int64{min(step[0], t.StartNs), max(step[1], end)}
			s = stepPrefix
		}
		if name != "" {
			name += " / "
		}
		name += s
		add(x.ranges, name, t)
	}
}

// changes pairs sums of the same name, the largest change first.
func changes(a, b map[string]sum) []Change {
	all := map[string]*Change{}
	for name, s := range a {
		all[name] = &Change{Name: name, CountA: s.count, NsA: s.ns}
	}
	for name, s := range b {
		c := all[name]
		if c == nil {
			c = &Change{Name: name}
			all[name] = c
		}
		c.CountB, c.NsB = s.count, s.ns
	}
	var list []Change
	for _, name := range slices.Sorted(maps.Keys(all)) {
		list = append(list, *all[name])
	}
	size := func(c *Change) int64 { return max(c.NsB-c.NsA, c.NsA-c.NsB) }
	slices.SortStableFunc(list, func(a, b Change) int { return cmp.Compare(size(&b), size(&a)) })
	return list
}
