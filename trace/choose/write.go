package choose

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gpureplay/trace"
	"gpureplay/trace/container"
)

// Attributes of a trace that record the choice.
const (
	attrChosen  = "chosen"
	attrOf      = "chosen_of"
	attrKernels = "chosen_kernels"
	attrFrom    = "chosen_from_ns"
)

// longestList bounds the attribute that lists kernels.
const longestList = 1 << 12

// Write writes the selection as a trace. It holds one CTA at a time. It returns an error if the trace cannot be read
// or w fails.
func (s *Selection) Write(ctx context.Context, w *container.Writer) error {
	s.program(w)
	if err := s.findCut(); err != nil {
		return err
	}
	least, err := s.writeKernels(ctx, w)
	if err != nil {
		return err
	}
	w.SetMeta(s.meta(least))
	var failed error
	host := newElapsed(s, w)
	err = s.eachOp(func(i uint64, op *trace.HostOp) {
		if failed == nil {
			failed = host.next(op, s.ops[i] == in)
		}
	})
	return cmp.Or(err, failed, host.end())
}

var errUnsound = errors.New("replay verify says what is wrong with the trace")

// program writes the parts that do not depend on the execution.
func (s *Selection) program(w *container.Writer) {
	p := s.r.Program()
	for i := range p.Arrays {
		w.AddArray(p.Arrays[i])
	}
	for i := range p.Scopes {
		w.AddScope(p.Scopes[i])
	}
	for i := range p.Functions {
		f := w.AddFunction(p.Functions[i].Name)
		for j := range p.Functions[i].Insts {
			w.AddInst(f, p.Functions[i].Insts[j])
		}
	}
	for i := range p.Diagnostics {
		w.Diagnose(p.Diagnostics[i])
	}
}

func (s *Selection) meta(least trace.Fidelity) trace.Meta {
	m := s.r.Program().Meta
	m.Fidelity = max(m.Fidelity, least)
	own := []trace.Attr{{Key: attrChosen, Value: s.choice.String()}, {Key: attrOf, Value: s.r.Hash()}}
	if list := s.list(); len(list) <= longestList {
		own = append(own, trace.Attr{Key: attrKernels, Value: list})
	}
	if s.Origin >= 0 {
		own = append(own, trace.Attr{Key: attrFrom, Value: strconv.FormatInt(s.Origin, 10)})
	}
	m.Attrs = slices.DeleteFunc(slices.Clone(m.Attrs), func(a trace.Attr) bool {
		return slices.Contains([]string{attrChosen, attrOf, attrKernels, attrFrom}, a.Key)
	})
	m.Attrs = append(m.Attrs, own...)
	slices.SortStableFunc(m.Attrs, func(a, b trace.Attr) int { return strings.Compare(a.Key, b.Key) })
	return m
}

// list names the chosen kernels as --kernels takes them; it is cut where it gets too
// long for an attribute.
func (s *Selection) list() string {
	var b strings.Builder
	for id := 0; id < len(s.kernels) && b.Len() <= longestList; id++ {
		if s.kernels[id] == 0 {
			continue
		}
		first := id
		for id+1 < len(s.kernels) && s.kernels[id+1] > 0 {
			id++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		fmt.Fprint(&b, first)
		if id > first {
			fmt.Fprint(&b, "-", id)
		}
	}
	return b.String()
}

// writeKernels writes the chosen kernels, and returns the fidelity of the least
// detailed one.
func (s *Selection) writeKernels(ctx context.Context, w *container.Writer) (least trace.Fidelity, err error) {
	var k trace.Kernel
	least = trace.FidelityWarp
	for id := range s.kernels {
		if s.kernels[id] == 0 {
			continue
		}
		if ctx.Err() != nil {
			return least, context.Cause(ctx)
		}
		if err := s.r.Kernel(uint32(id), &k); err != nil {
			return least, err
		}
		least = min(least, k.Fidelity)
		k.Recorded = s.recorded(k.Recorded)
		if s.cut[k.ID] {
			k.Flags &^= trace.KernelProgrammatic
		}
		if _, err := w.BeginKernel(&k); err != nil {
			return least, err
		}
		for c, err := range trace.EachCTA(s.r, uint32(id)) {
			if err == nil {
				err = s.renumber(c)
			}
			if err == nil {
				err = w.WriteCTA(c)
			}
			if err != nil {
				return least, err
			}
		}
		if err := w.EndKernel(0); err != nil {
			return least, err
		}
	}
	return least, nil
}

// findCut finds the kernels that follow one in their stream that is left out: they are no programmatic launches any
// more.
func (s *Selection) findCut() error {
	s.cut, s.graphs = map[uint32]bool{}, map[uint32]uint32{}
	out := map[uint64]bool{} // by stream: its last kernel is left out
	return s.eachOp(func(_ uint64, op *trace.HostOp) {
		if op.Kind != trace.OpLaunch {
			return
		}
		has := s.Has(op.Kernel)
		if has && out[op.Stream] {
			s.cut[op.Kernel] = true
		}
		out[op.Stream] = !has
	})
}

// renumber gives the children of a CTA their new numbers.
func (s *Selection) renumber(c *trace.CTA) error {
	for i := range c.Warps {
		for j := range c.Warps[i].Launches {
			l := &c.Warps[i].Launches[j]
			if int64(l.Child) >= int64(len(s.kernels)) || !s.Has(l.Child) {
				return fmt.Errorf("CTA %d launches kernel %d, which its trace does not count: %w", c.ID, l.Child, errUnsound)
			}
			l.Child = s.kernels[l.Child] - 1
		}
	}
	return nil
}

func (s *Selection) writeOp(w *container.Writer, op *trace.HostOp) error {
	c := *op
	c.Recorded = s.recorded(op.Recorded)
	switch op.Kind {
	case trace.OpLaunch, trace.OpSpawn, trace.OpWaitTask:
		c.Kernel = s.kernels[op.Kernel] - 1
	}
	if op.Kind == trace.OpSpawn {
		c.ArrivalNs -= s.arrival
		c.Deps = nil
		for _, d := range op.Deps {
			if s.Has(d) {
				c.Deps = append(c.Deps, s.kernels[d]-1)
			}
		}
	}
	if op.Graph > 0 && s.graphs[op.Graph] == 0 {
		s.graphs[op.Graph] = uint32(len(s.graphs)) + 1
	}
	c.Graph = s.graphs[op.Graph]
	return w.Host(&c)
}
