package outline

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"gpureplay/trace"
	"gpureplay/trace/container"
)

// Options choose loops and the size of children.
type Options struct {
	Loops     []*Loop // of [Find], those to make children of
	Threshold uint32  // fewest iterations of a request that is marked as launched
	Block     uint32  // threads of a child's CTA, a multiple of 32
}

// Written counts the requests of a trace that was written.
type Written struct {
	Requests uint64 // of lanes: children
	Marked   uint64 // that the rule launches
}

// Attributes that name the loops and the trace that they are of.
const (
	attrOutlined  = "outlined"
	attrOf        = "outlined_of"
	attrThreshold = "outlined_threshold"
	attrBlock     = "outlined_block"
)

// childName is the name of a loop's child: the function's, and where the loop begins.
func childName(l *Loop) string { return fmt.Sprintf("%s@%#x", l.Name, l.Header) }

// writer writes a trace with children.
type writer struct {
	r        *container.Reader
	w        *container.Writer
	opt      *Options
	loops    []*Loop
	children map[*Loop]*child
	ids      []uint32 // of kernels, by their former ones
	done     Written

	from  source
	lane  lane
	block trace.CTA
}

// Write writes the trace with the chosen loops as children. It reads each kernel twice and holds a CTA at a time,
// and four bytes a kernel. It returns an error if the trace has child launches, or if a chosen loop cannot become a
// child.
func Write(ctx context.Context, r *container.Reader, to *container.Writer, opt *Options) (Written, error) {
	o := &writer{r: r, w: to, opt: opt, children: map[*Loop]*child{}}
	if n := r.Program().Totals.ChildLaunches; n > 0 {
		return o.done, fmt.Errorf("the trace has %d child launches of its own; outline takes one without", n)
	}
	for _, l := range opt.Loops {
		if l.Why != "" {
			return o.done, fmt.Errorf("loop %d (%s) cannot become a child: %s", l.Number, childName(l), l.Why)
		}
	}
	o.program()
	err := eachKernel(ctx, r, func(k *trace.Kernel) error { return o.kernel(ctx, k) })
	if err == nil {
		err = o.host()
	}
	return o.done, err
}

// program writes the parts that do not depend on the execution.
func (o *writer) program() {
	p := o.r.Program()
	for i := range p.Arrays {
		o.w.AddArray(p.Arrays[i])
	}
	for i := range p.Scopes {
		o.w.AddScope(p.Scopes[i])
	}
	for i := range p.Functions {
		f := o.w.AddFunction(p.Functions[i].Name)
		for j := range p.Functions[i].Insts {
			o.w.AddInst(f, p.Functions[i].Insts[j])
		}
	}
	for i := range p.Diagnostics {
		o.w.Diagnose(p.Diagnostics[i])
	}
	m := p.Meta
	var names []string
	for _, l := range o.opt.Loops {
		o.children[l] = newChild(o.w, p, l)
		names = append(names, childName(l))
	}
	m.Attrs = append(slices.Clone(m.Attrs),
		trace.Attr{Key: attrOutlined, Value: strings.Join(names, " ")}, trace.Attr{Key: attrOf, Value: o.r.Hash()},
		trace.Attr{Key: attrThreshold, Value: fmt.Sprint(o.opt.Threshold)},
		trace.Attr{Key: attrBlock, Value: fmt.Sprint(o.opt.Block)})
	slices.SortStableFunc(m.Attrs, func(a, b trace.Attr) int { return strings.Compare(a.Key, b.Key) })
	o.w.SetMeta(m)
}

// kernel writes one, and then its children, in the order of their requests.
func (o *writer) kernel(ctx context.Context, k *trace.Kernel) error {
	id, err := o.w.BeginKernel(k)
	if err != nil {
		return err
	}
	o.ids = append(o.ids, id)
	o.loops = of(o.opt.Loops, k.Function)
	next := id + 1
	var made trace.CTA
	err = eachCTA(ctx, o.r, k, func(c *trace.CTA) error {
		made = trace.CTA{ID: c.ID, SM: c.SM, Ranges: c.Ranges, Touches: c.Touches, Counts: c.Counts, Warps: made.Warps[:0]}
		for i := range c.Warps {
			o.from.take(o.insts(k), &c.Warps[i])
			made.Warps = append(made.Warps, o.parent(&next))
		}
		return o.w.WriteCTA(&made)
	})
	if err == nil {
		err = o.w.EndKernel(0)
	}
	if err != nil || len(o.loops) == 0 {
		return err
	}
	return eachCTA(ctx, o.r, k, func(c *trace.CTA) error {
		for i := range c.Warps {
			o.from.take(o.insts(k), &c.Warps[i])
			if err := o.childrenOf(k); err != nil {
				return err
			}
		}
		return nil
	})
}

func (o *writer) insts(k *trace.Kernel) []trace.Inst {
	return o.r.Program().Functions[k.Function].Insts
}

// parent returns the warp with a launch before each run of its loops; next is the id of the
// next child.
func (o *writer) parent(next *uint32) trace.Warp {
	from := &o.from
	w := trace.Warp{ID: from.warp.ID, Lists: from.warp.Lists}
	at := 0
	copied := func(to int) {
		for ; at < to; at++ {
			w.Step(from.warp.Path[at], from.masks[at])
			if from.insts[from.warp.Path[at]].Mem() {
				w.Mem = append(w.Mem, from.warp.Mem[from.mem[at]])
			}
		}
	}
	spans(o.loops, from.insts, from.warp.Path, func(s *span) {
		copied(s.lo)
		trips, lanes := s.trips(from.masks)
		w.Step(o.children[s.loop].launch, lanes)
		for m := lanes; m != 0; m &= m - 1 {
			bit := bits.TrailingZeros32(m)
			w.Launches = append(w.Launches, trace.Launch{
				At: uint32(len(w.Path) - 1), Lane: uint8(bit), Marked: trips[bit] >= o.opt.Threshold, Child: *next,
				Workload: trips[bit], ParamBytes: o.children[s.loop].param,
			})
			*next++
		}
	})
	copied(len(from.warp.Path))
	return w
}

// childrenOf writes the children of a warp.
func (o *writer) childrenOf(parent *trace.Kernel) error {
	var failed error
	spans(o.loops, o.from.insts, o.from.warp.Path, func(s *span) {
		_, lanes := s.trips(o.from.masks)
		for m := lanes; m != 0 && failed == nil; m &= m - 1 {
			o.lane.follow(s, o.from.masks, bits.TrailingZeros32(m))
			failed = o.child(parent, o.children[s.loop])
		}
	})
	return failed
}

// child writes the kernel of one lane's iterations.
func (o *writer) child(parent *trace.Kernel, c *child) error {
	n, block := uint32(len(o.lane.begins)), o.opt.Block
	k := trace.Kernel{
		Function: c.function, Fidelity: trace.FidelityWarp, Flags: trace.KernelChild | parent.Flags&trace.KernelIrregular,
		Device: parent.Device,
		Grid:   trace.Dim3{(n + block - 1) / block, 1, 1}, Block: trace.Dim3{block, 1, 1}, Registers: parent.Registers,
		Scope: parent.Scope,
	}
	if _, err := o.w.BeginKernel(&k); err != nil {
		return err
	}
	if o.done.Requests++; n >= o.opt.Threshold {
		o.done.Marked++
	}
	for cta := range k.Grid[0] {
		o.block.ID, o.block.SM, o.block.Warps = cta, -1, o.block.Warps[:0]
		for id := range block / 32 {
			o.block.Warps = append(o.block.Warps, trace.Warp{})
			c.warpOf(&o.from, &o.lane, id, int(cta*block+32*id), &o.block.Warps[id])
		}
		if err := o.w.WriteCTA(&o.block); err != nil {
			return err
		}
	}
	return o.w.EndKernel(0)
}

// host writes the operations of the host, with the kernels' new ids.
func (o *writer) host() error {
	for op, err := range trace.Each(o.r.HostOps()) {
		if err != nil {
			return err
		}
		switch op.Kind {
		case trace.OpLaunch, trace.OpSpawn, trace.OpWaitTask:
			err = o.rename(&op.Kernel)
		}
		for i := range op.Deps {
			err = cmp.Or(err, o.rename(&op.Deps[i]))
		}
		if err == nil {
			err = o.w.Host(op)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rename gives a kernel its new id.
func (o *writer) rename(kernel *uint32) error {
	if int64(*kernel) >= int64(len(o.ids)) {
		return fmt.Errorf("the host names kernel %d of %d; replay verify names the fault of the trace", *kernel,
			len(o.ids))
	}
	*kernel = o.ids[*kernel]
	return nil
}
