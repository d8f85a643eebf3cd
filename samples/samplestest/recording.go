// Package samplestest checks every generator's rules: it records a generated trace in memory and walks over it.
package samplestest

import (
	"slices"
	"testing"

	"gpureplay/samples"
	"gpureplay/trace"
)

// Recording is a trace in memory; it is a [samples.Writer].
type Recording struct {
	Arrays    []trace.Array
	Functions []trace.Function
	Ops       []trace.HostOp
	Kernels   []trace.Kernel
	CTAs      [][]trace.CTA // by kernel

	// CountOnly keeps the counts of [trace.Kernel] and no CTA, for programs at
	// their full size.
	CountOnly bool

	open bool
}

// Generate records a registered generator's trace under the settings.
func Generate(t testing.TB, name string, settings ...string) *Recording {
	t.Helper()
	return generate(t, &Recording{}, name, settings)
}

// Count is like Generate, with the counts of kernels alone.
func Count(t testing.TB, name string, settings ...string) *Recording {
	t.Helper()
	return generate(t, &Recording{CountOnly: true}, name, settings)
}

func generate(t testing.TB, r *Recording, name string, settings []string) *Recording {
	t.Helper()
	g, err := samples.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.Parse(settings...)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Generate(r, p); err != nil {
		t.Fatal(err)
	}
	if r.open {
		t.Fatalf("%s: kernel %d was not ended", name, len(r.Kernels)-1)
	}
	return r
}

// AddArray is of [samples.Writer].
func (r *Recording) AddArray(a trace.Array) uint32 {
	r.Arrays = append(r.Arrays, a)
	return uint32(len(r.Arrays) - 1)
}

// AddFunction is of [samples.Writer].
func (r *Recording) AddFunction(name string) uint32 {
	r.Functions = append(r.Functions, trace.Function{Name: name})
	return uint32(len(r.Functions) - 1)
}

// Inst is of [samples.Writer].
func (r *Recording) Inst(function, i uint32) *trace.Inst { return &r.Functions[function].Insts[i] }

// AddInst is of [samples.Writer].
func (r *Recording) AddInst(function uint32, in trace.Inst) uint32 {
	f := &r.Functions[function]
	f.Insts = append(f.Insts, in)
	return uint32(len(f.Insts) - 1)
}

// Host is of [samples.Writer].
func (r *Recording) Host(op *trace.HostOp) error {
	o := *op
	o.Deps = slices.Clone(op.Deps)
	r.Ops = append(r.Ops, o)
	return nil
}

// NextKernel is of [samples.Writer].
func (r *Recording) NextKernel() uint32 { return uint32(len(r.Kernels)) }

// BeginKernel is of [samples.Writer].
func (r *Recording) BeginKernel(k *trace.Kernel) (uint32, error) {
	if r.open {
		panic("samplestest: a kernel is open already")
	}
	r.open = true
	c := *k
	c.ID = r.NextKernel()
	r.Kernels = append(r.Kernels, c)
	r.CTAs = append(r.CTAs, nil)
	return c.ID, nil
}

// WriteCTA is of [samples.Writer]; it copies the CTA and counts as the trace's
// writer does.
func (r *Recording) WriteCTA(c *trace.CTA) error {
	k := &r.Kernels[len(r.Kernels)-1]
	insts := r.Functions[k.Function].Insts
	d := trace.CTA{ID: c.ID, SM: c.SM, Ranges: slices.Clone(c.Ranges), Touches: slices.Clone(c.Touches)}
	for _, w := range c.Warps {
		k.Warps++
		k.WarpInsts += uint64(len(w.Path))
		for _, i := range w.Path {
			if insts[i].Mem() {
				k.MemInsts++
			}
		}
		if !r.CountOnly {
			d.Warps = append(d.Warps, trace.Warp{
				ID: w.ID, Path: slices.Clone(w.Path), Masks: slices.Clone(w.Masks), Mem: slices.Clone(w.Mem),
				Lists: slices.Clone(w.Lists), Launches: slices.Clone(w.Launches),
			})
		}
	}
	k.CTAs++
	if r.CountOnly {
		return nil
	}
	list := &r.CTAs[len(r.CTAs)-1]
	*list = append(*list, d)
	return nil
}

// EndKernel is of [samples.Writer].
func (r *Recording) EndKernel(flags trace.KernelFlags) error {
	r.open = false
	r.Kernels[len(r.Kernels)-1].Flags |= flags
	return nil
}
