package tracetest

import (
	"slices"

	"gpureplay/trace"
)

// Recording keeps a trace in memory, counted as the trace's writer counts. It is the writer that converters and
// generators ask for.
type Recording struct {
	Meta      trace.Meta
	Arrays    []trace.Array
	Functions []trace.Function
	Scopes    []trace.Scope
	Diags     []trace.Diagnostic
	Ops       []trace.HostOp
	Kernels   []trace.Kernel
	CTAs      [][]trace.CTA // by kernel

	// CountOnly keeps the counts of [trace.Kernel] and no CTA, for programs at their full size.
	CountOnly bool

	// Open says that a kernel was begun and not ended.
	Open bool
}

// SetMeta keeps the properties of the whole trace.
func (r *Recording) SetMeta(m trace.Meta) { r.Meta = m }

// AddArray names an allocation and returns its index.
func (r *Recording) AddArray(a trace.Array) uint32 {
	r.Arrays = append(r.Arrays, a)
	return uint32(len(r.Arrays) - 1)
}

// AddFunction names a device function and returns its index.
func (r *Recording) AddFunction(name string) uint32 {
	r.Functions = append(r.Functions, trace.Function{Name: name})
	return uint32(len(r.Functions) - 1)
}

// AddScope keeps a named range and returns its number, from 1 on.
func (r *Recording) AddScope(s trace.Scope) uint32 {
	r.Scopes = append(r.Scopes, s)
	return uint32(len(r.Scopes))
}

// Inst returns an instruction to change.
func (r *Recording) Inst(function, i uint32) *trace.Inst { return &r.Functions[function].Insts[i] }

// AddInst adds a static instruction to a function and returns its index there.
func (r *Recording) AddInst(function uint32, in trace.Inst) uint32 {
	f := &r.Functions[function]
	in.Dst, in.Src = slices.Clone(in.Dst), slices.Clone(in.Src)
	f.Insts = append(f.Insts, in)
	return uint32(len(f.Insts) - 1)
}

// Diagnose keeps a count of oddities.
func (r *Recording) Diagnose(d trace.Diagnostic) { r.Diags = append(r.Diags, d) }

// Diag returns the count of oddities of a name.
func (r *Recording) Diag(name string) uint64 {
	for _, d := range r.Diags {
		if d.Name == name {
			return d.Count
		}
	}
	return 0
}

// Host appends an operation of the host.
func (r *Recording) Host(op *trace.HostOp) error {
	c := *op
	c.Deps, c.Recorded = slices.Clone(op.Deps), copied(op.Recorded)
	r.Ops = append(r.Ops, c)
	return nil
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	c := *p
	return &c
}

// NextKernel is the id that the next BeginKernel returns.
func (r *Recording) NextKernel() uint32 { return uint32(len(r.Kernels)) }

// BeginKernel starts a kernel; its CTAs follow.
func (r *Recording) BeginKernel(k *trace.Kernel) (uint32, error) {
	if r.Open {
		panic("tracetest: a kernel is open already")
	}
	r.Open = true
	c := *k
	c.ID, c.Recorded = r.NextKernel(), copied(k.Recorded)
	r.Kernels = append(r.Kernels, c)
	r.CTAs = append(r.CTAs, nil)
	return c.ID, nil
}

// WriteCTA appends a copy of a CTA to the kernel that was begun.
func (r *Recording) WriteCTA(c *trace.CTA) error {
	k := &r.Kernels[len(r.Kernels)-1]
	k.CTAs++
	insts := r.Functions[k.Function].Insts
	for _, w := range c.Warps {
		k.Warps++
		k.WarpInsts += uint64(len(w.Path))
		for _, i := range w.Path {
			if insts[i].Mem() {
				k.MemInsts++
			}
		}
	}
	if r.CountOnly {
		return nil
	}
	d := *c
	d.Ranges, d.Touches, d.Warps = slices.Clone(c.Ranges), slices.Clone(c.Touches), nil
	for _, w := range c.Warps {
		w.Path, w.Masks, w.Mem = slices.Clone(w.Path), slices.Clone(w.Masks), slices.Clone(w.Mem)
		w.Lists, w.Launches = slices.Clone(w.Lists), slices.Clone(w.Launches)
		d.Warps = append(d.Warps, w)
	}
	list := &r.CTAs[len(r.CTAs)-1]
	*list = append(*list, d)
	return nil
}

// EndKernel ends the kernel and adds flags to it.
func (r *Recording) EndKernel(flags trace.KernelFlags) error {
	r.Open = false
	r.Kernels[len(r.Kernels)-1].Flags |= flags
	return nil
}
