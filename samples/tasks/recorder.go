package tasks

import (
	"slices"

	"gpureplay/samples"
	"gpureplay/trace"
)

// body is one task's work: its CTAs as recorded in slot 0 of the buffers, to be written again for every task that
// has the same input.
type body struct {
	kernel trace.Kernel
	ctas   []trace.CTA
	tags   [][][]uint8 // CTA, warp, access: 1 + index of the buffer accessed; 0: none
	in     uint64      // bytes copied to the device before the task
	copies uint32      // calls that copy them; 0: one
	out    uint64      // bytes copied back
	sync   bool
	steps  int   // warp instructions
	then   *body // the task's second pass, spawned when the program has waited for all first ones; nil: none
}

// recorder is the writer that kernels are recorded with: arrays and code go on
// to the trace, CTAs stay.
type recorder struct {
	samples.Writer
	constant map[[2]uint32]bool // function and instruction
	mem      map[[2]uint32]bool
	kernel   trace.Kernel
	ctas     []trace.CTA
}

func newRecorder(w samples.Writer) *recorder {
	return &recorder{Writer: w, constant: map[[2]uint32]bool{}, mem: map[[2]uint32]bool{}}
}

func (r *recorder) AddInst(function uint32, in trace.Inst) uint32 {
	i := r.Writer.AddInst(function, in)
	r.constant[[2]uint32{function, i}] = in.Space == trace.SpaceConstant
	r.mem[[2]uint32{function, i}] = in.Mem()
	return i
}

func (r *recorder) Host(*trace.HostOp) error { return nil }
func (r *recorder) NextKernel() uint32       { return 0 }

func (r *recorder) BeginKernel(k *trace.Kernel) (uint32, error) {
	r.kernel = *k
	return 0, nil
}

func (r *recorder) EndKernel(trace.KernelFlags) error { return nil }

func (r *recorder) WriteCTA(c *trace.CTA) error {
	own := *c
	own.Warps = slices.Clone(c.Warps)
	for i := range own.Warps {
		w := &own.Warps[i]
		w.Path, w.Masks, w.Mem, w.Lists = slices.Clone(w.Path), slices.Clone(w.Masks), slices.Clone(w.Mem),
			slices.Clone(w.Lists)
		r.dropConstant(w)
	}
	r.ctas = append(r.ctas, own)
	return nil
}

// dropConstant removes the addresses of accesses to constant memory.
func (r *recorder) dropConstant(w *trace.Warp) {
	next := 0
	for _, inst := range w.Path {
		at := [2]uint32{r.kernel.Function, inst}
		if !r.mem[at] {
			continue
		}
		if r.constant[at] {
			w.Mem[next] = trace.Access{}
		}
		next++
	}
}

// take returns the recorded CTAs as a body on those buffers.
func (r *recorder) take(buffers []buffer) body {
	b := body{kernel: r.kernel, ctas: r.ctas, tags: make([][][]uint8, len(r.ctas))}
	r.ctas = nil
	for c := range b.ctas {
		b.tags[c] = make([][]uint8, len(b.ctas[c].Warps))
		for i := range b.ctas[c].Warps {
			w := &b.ctas[c].Warps[i]
			b.steps += len(w.Path)
			b.tags[c][i] = make([]uint8, len(w.Mem))
			for m, a := range w.Mem {
				b.tags[c][i][m] = tag(buffers, w, a)
			}
		}
	}
	return b
}

// tag returns which buffer's first slot holds the access.
func tag(buffers []buffer, w *trace.Warp, a trace.Access) uint8 {
	addr := a.Base
	if a.List > 0 {
		addr = w.Lists[a.List-1]
	}
	for i, b := range buffers {
		if addr >= b.Base && addr < b.Base+b.slotBytes() && a.Count > 0 {
			return uint8(i) + 1
		}
	}
	return 0
}
