package choose

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"gpureplay/trace"
	"gpureplay/trace/container"
)

// Selection is the result of a choice in one trace: a few bytes for each kernel and one for each operation of the
// host.
type Selection struct {
	r       *container.Reader
	choice  *Choice
	kernels []uint32 // by kernel: its new number + 1; 0: left out
	ops     []verdict
	scopes  []bool            // by scope + 1
	cut     map[uint32]bool   // kernels that follow one in their stream that is left out
	graphs  map[uint32]uint32 // new numbers of graph launches
	from    int64             // the window, ns
	to      int64

	Kernels int    // chosen
	Ops     uint64 // of the host that stay
	Origin  int64  // time 0 of the selection, in ns of the trace; -1: it has no times
	clamp   int64  // calls before this count as made then
	arrival int64  // of the first task that stays
}

// Select applies a choice to a trace. It returns an error if a criterion matches nothing, or if the trace cannot be
// read.
func Select(ctx context.Context, r *container.Reader, c *Choice) (*Selection, error) {
	s := &Selection{r: r, choice: c, kernels: make([]uint32, r.Kernels()), from: math.MinInt64, to: math.MaxInt64}
	if err := s.window(); err != nil {
		return nil, err
	}
	if err := s.named(); err != nil {
		return nil, err
	}
	if err := s.matches(); err != nil {
		return nil, err
	}
	if err := s.families(ctx); err != nil {
		return nil, err
	}
	for id := range s.kernels {
		if s.kernels[id] > 0 {
			s.Kernels++
			s.kernels[id] = uint32(s.Kernels)
		}
	}
	if s.Kernels == 0 {
		return nil, fmt.Errorf("%s leaves no kernel of %d", c, r.Kernels())
	}
	return s, s.host()
}

// All reports whether nothing is left out.
func (s *Selection) All() bool {
	return s.Kernels == len(s.kernels) && s.Ops == s.r.Program().Totals.HostOps
}

// Has reports whether a kernel is chosen.
func (s *Selection) Has(kernel uint32) bool { return s.kernels[kernel] > 0 }

// window turns shares of the capture's length into times.
func (s *Selection) window() error {
	c := s.choice
	if !c.From.Set && !c.To.Set {
		return nil
	}
	end := int64(-1)
	var k trace.Kernel
	for id := range s.kernels {
		if err := s.r.Kernel(uint32(id), &k); err != nil {
			return err
		}
		end = max(end, endOf(k.Recorded))
	}
	if end < 0 {
		return errors.New("--from and --to: the trace has no recorded times; choose by --kernels")
	}
	err := s.eachOp(func(_ uint64, op *trace.HostOp) { end = max(end, endOf(op.Recorded)) })
	if c.From.Set {
		s.from = c.From.of(end)
	}
	if c.To.Set {
		s.to = c.To.of(end)
	}
	if err == nil && s.from >= s.to {
		err = fmt.Errorf("%s: the window is empty", c)
	}
	return err
}

func endOf(r *trace.Recorded) int64 {
	if r == nil || r.StartNs < 0 {
		return -1
	}
	return r.StartNs + max(0, r.DurationNs)
}

// eachOp reads the operations of the host.
func (s *Selection) eachOp(do func(i uint64, op *trace.HostOp)) error {
	i := uint64(0)
	for op, err := range trace.Each(s.r.HostOps()) {
		if err != nil {
			return err
		}
		do(i, op)
		i++
	}
	return nil
}

// named finds the chosen scopes, and refuses unknown ones.
func (s *Selection) named() error {
	p := s.r.Program()
	for i := range s.choice.Kernels {
		item := &s.choice.Kernels[i]
		if item.numeric() {
			if item.Hi >= uint64(len(s.kernels)) {
				return fmt.Errorf("--kernels: there is no kernel %d; the trace has those from 0 to %d", item.Hi, len(s.kernels)-1)
			}
			continue
		}
		if err := known(item, "--kernels", "kernel", len(p.Functions), func(i int) (name, shown string) {
			return p.Functions[i].Name, trace.ShortName(p.Functions[i].Name)
		}); err != nil {
			return err
		}
	}
	for i := range s.choice.Ranges {
		if err := known(&s.choice.Ranges[i], "--ranges", "range", len(p.Scopes), func(i int) (name, shown string) {
			return p.Scopes[i].Name, p.Scopes[i].Name
		}); err != nil {
			return err
		}
	}
	if err := s.steps(); err != nil {
		return err
	}
	s.scopes = make([]bool, len(p.Scopes)+1)
	inStep, inRange := make([]bool, len(p.Scopes)+1), make([]bool, len(p.Scopes)+1)
	for i, x := range p.Scopes {
		step, isStep := stepOf(x.Name)
		inStep[i+1], inRange[i+1] = inStep[x.In], inRange[x.In]
		for j := range s.choice.Steps {
			item := &s.choice.Steps[j]
			inStep[i+1] = inStep[i+1] || isStep && item.Lo <= step && step <= item.Hi
		}
		for j := range s.choice.Ranges {
			inRange[i+1] = inRange[i+1] || s.choice.Ranges[j].hasName(x.Name)
		}
		s.scopes[i+1] = (len(s.choice.Steps) == 0 || inStep[i+1]) && (len(s.choice.Ranges) == 0 || inRange[i+1])
	}
	return nil
}

// scoped reports whether scopes are requested.
func (c *Choice) scoped() bool { return len(c.Steps)+len(c.Ranges) > 0 }

// stepOf returns the number of a step of PyTorch's profiler.
func stepOf(scope string) (step uint64, ok bool) {
	digits, ok := strings.CutPrefix(scope, "ProfilerStep#")
	if !ok {
		return 0, false
	}
	n, err := fmt.Sscanf(digits+" ", "%d ", &step)
	return step, err == nil && n == 1
}

// steps refuses steps that the trace does not have.
func (s *Selection) steps() error {
	if len(s.choice.Steps) == 0 {
		return nil
	}
	first, last := uint64(math.MaxUint64), uint64(0)
	for _, x := range s.r.Program().Scopes {
		if n, ok := stepOf(x.Name); ok {
			first, last = min(first, n), max(last, n)
		}
	}
	if first > last {
		return errors.New("--steps: the trace has no step (a scope ProfilerStep#N, as PyTorch's profiler writes them); " +
			"choose by --ranges or --kernels")
	}
	for i := range s.choice.Steps {
		if item := &s.choice.Steps[i]; item.Lo < first || item.Hi > last {
			return fmt.Errorf("--steps=%s: the trace has those from %d to %d", item.text, first, last)
		}
	}
	return nil
}

// matches marks the kernels that fit every criterion.
func (s *Selection) matches() error {
	c, p := s.choice, s.r.Program()
	names := make([]bool, len(p.Functions))
	for f := range p.Functions {
		for i := range c.Kernels {
			names[f] = names[f] || c.Kernels[i].hasName(p.Functions[f].Name)
		}
	}
	var k trace.Kernel
	for id := range s.kernels {
		if err := s.r.Kernel(uint32(id), &k); err != nil {
			return err
		}
		ok := len(c.Kernels) == 0 || names[k.Function]
		for i := range c.Kernels {
			item := &c.Kernels[i]
			ok = ok || item.numeric() && item.Lo <= uint64(id) && uint64(id) <= item.Hi
		}
		if ok && s.begins(k.Recorded) && s.inScope(k.Scope) {
			s.kernels[id] = 1
		}
	}
	return nil
}

// begins reports whether work began in the window.
func (s *Selection) begins(r *trace.Recorded) bool {
	if !s.choice.From.Set && !s.choice.To.Set {
		return true
	}
	return r != nil && r.StartNs >= 0 && r.StartNs >= s.from && r.StartNs < s.to
}

func (s *Selection) inScope(scope uint32) bool {
	return !s.choice.scoped() || int64(scope) < int64(len(s.scopes)) && s.scopes[scope]
}

// families makes a family of the kernels that device threads launch and of the kernel
// of the host from which they descend: one that is chosen chooses all.
func (s *Selection) families(ctx context.Context) error {
	if s.r.Program().Totals.ChildLaunches == 0 {
		return nil
	}
	root := make([]uint32, len(s.kernels))
	for id := range root {
		root[id] = uint32(id)
	}
	for id := range s.kernels { // a child comes after its parent
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for c, err := range trace.EachCTA(s.r, uint32(id)) {
			if err != nil {
				return err
			}
			for w := range c.Warps {
				for _, l := range c.Warps[w].Launches {
					if int64(l.Child) >= int64(len(root)) || int64(l.Child) <= int64(id) {
						return fmt.Errorf("kernel %d launches kernel %d: %w", id, l.Child, errUnsound)
					}
					root[l.Child] = root[id]
				}
			}
		}
	}
	for id, r := range root {
		s.kernels[r] |= s.kernels[id]
	}
	for id, r := range root {
		s.kernels[id] = s.kernels[r]
	}
	return nil
}
