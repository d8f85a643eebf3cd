package outline

import (
	"cmp"
	"context"
	"slices"

	"gpureplay/trace"
	"gpureplay/trace/container"
)

// Find returns the loops of a trace, in the order of functions and code. It reads the trace twice, a CTA at a time.
// It returns an error if the trace cannot be read.
func Find(ctx context.Context, r *container.Reader) ([]*Loop, error) {
	f := newFinder(r.Program())
	err := eachKernel(ctx, r, func(k *trace.Kernel) error {
		return eachCTA(ctx, r, k, func(c *trace.CTA) error {
			for i := range c.Warps {
				f.see(k.Function, c.Warps[i].Path)
			}
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	loops := f.loops()
	var masks []uint32
	err = eachKernel(ctx, r, func(k *trace.Kernel) error {
		own, insts := of(loops, k.Function), f.prog.Functions[k.Function].Insts
		if len(own) == 0 {
			return nil
		}
		return eachCTA(ctx, r, k, func(c *trace.CTA) error {
			for i := range c.Warps {
				w := &c.Warps[i]
				masks = expand(masks, w)
				spans(own, insts, w.Path, func(s *span) { s.measure(insts, w, masks) })
			}
			return nil
		})
	})
	for _, l := range loops {
		l.Carried = len(l.body(f.prog).carried)
	}
	return loops, err
}

// of returns the loops of a function.
func of(loops []*Loop, function uint32) []*Loop {
	return slices.DeleteFunc(slices.Clone(loops), func(l *Loop) bool { return l.Function != function })
}

// eachKernel reads the kernels in their order.
func eachKernel(ctx context.Context, r *container.Reader, do func(k *trace.Kernel) error) error {
	var k trace.Kernel
	for id := range r.Program().Totals.Kernels {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		err := r.Kernel(uint32(id), &k)
		if err == nil {
			err = do(&k)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// eachCTA reads the CTAs of a kernel.
func eachCTA(ctx context.Context, r *container.Reader, k *trace.Kernel, do func(c *trace.CTA) error) error {
	for c, err := range trace.EachCTA(r, k.ID) {
		if err = cmp.Or(err, context.Cause(ctx)); err == nil {
			err = do(c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// registers of a loop's body.
type registers struct {
	read    []trace.Reg // before the body writes them, in the order of the code
	carried []trace.Reg // and which it writes
	written []trace.Reg
}

// body says which registers the loop's instructions, taken in the order of the code,
// read before they write them.
func (l *Loop) body(p *trace.Program) registers {
	var b registers
	insts := p.Functions[l.Function].Insts
	for _, i := range l.code(insts) {
		for _, r := range insts[i].Src {
			if !r.Zero() && !slices.Contains(b.written, r) && !slices.Contains(b.read, r) {
				b.read = append(b.read, r)
			}
		}
		for _, r := range insts[i].Dst {
			if !r.Zero() && !slices.Contains(b.written, r) {
				b.written = append(b.written, r)
			}
		}
	}
	b.carried = slices.DeleteFunc(slices.Clone(b.read), func(r trace.Reg) bool { return !slices.Contains(b.written, r) })
	return b
}

// code returns the loop's instructions in the order of their addresses.
func (l *Loop) code(insts []trace.Inst) []uint32 {
	var all []uint32
	for i := range insts {
		if l.insts[uint32(i)] {
			all = append(all, uint32(i))
		}
	}
	slices.SortStableFunc(all, func(a, b uint32) int { return int(insts[a].PC) - int(insts[b].PC) })
	return all
}
