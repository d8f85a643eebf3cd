package trace

// This file is a stand-in that keeps a trace in memory, so that the packages
// above can be built and tested before the container lands. DELETE IT when the
// real Writer and Reader land: it has the same API.

import (
	"errors"
	"io"
	"slices"
)

type Options struct{ BlockBytes, Level int }

type store struct {
	prog    Program
	ops     []HostOp
	kernels []Kernel
	ctas    [][]CTA
}

type Writer struct {
	s    *store
	out  io.Writer
	open bool
}

func NewWriter(w io.Writer, opt Options) (*Writer, error) {
	return &Writer{s: &store{}, out: w}, nil
}
func (w *Writer) SetMeta(m Meta) { w.s.prog.Meta = m }
func (w *Writer) AddArray(a Array) uint32 {
	w.s.prog.Arrays = append(w.s.prog.Arrays, a)
	return uint32(len(w.s.prog.Arrays) - 1)
}
func (w *Writer) AddFunction(name string) uint32 {
	w.s.prog.Functions = append(w.s.prog.Functions, Function{Name: name})
	return uint32(len(w.s.prog.Functions) - 1)
}
func (w *Writer) AddInst(fn uint32, in Inst) uint32 {
	f := &w.s.prog.Functions[fn]
	f.Insts = append(f.Insts, in)
	return uint32(len(f.Insts) - 1)
}
func (w *Writer) Inst(fn, i uint32) *Inst { return &w.s.prog.Functions[fn].Insts[i] }
func (w *Writer) Diagnose(d Diagnostic)   { w.s.prog.Diagnostics = append(w.s.prog.Diagnostics, d) }
func (w *Writer) Host(op *HostOp) error {
	w.s.ops = append(w.s.ops, *op)
	w.s.prog.Totals.HostOps++
	return nil
}
func (w *Writer) NextKernel() uint32 { return uint32(len(w.s.kernels)) }
func (w *Writer) BeginKernel(k *Kernel) (uint32, error) {
	c := *k
	c.ID = w.NextKernel()
	w.s.kernels = append(w.s.kernels, c)
	w.s.ctas = append(w.s.ctas, nil)
	w.s.prog.Totals.Kernels++
	return c.ID, nil
}
func (w *Writer) WriteCTA(c *CTA) error {
	k := &w.s.kernels[len(w.s.kernels)-1]
	d := CTA{ID: c.ID, SM: c.SM, Ranges: slices.Clone(c.Ranges), Touches: slices.Clone(c.Touches)}
	for _, x := range c.Warps {
		y := Warp{x.ID, slices.Clone(x.Path), slices.Clone(x.Masks), slices.Clone(x.Mem), slices.Clone(x.Lists), slices.Clone(x.Launches)}
		d.Warps = append(d.Warps, y)
		k.WarpInsts += uint64(len(x.Path))
		k.Warps++
		w.s.prog.Totals.ChildLaunches += uint64(len(x.Launches))
		for _, i := range x.Path {
			if w.s.prog.Functions[k.Function].Insts[i].Mem() {
				k.MemInsts++
			}
		}
	}
	k.CTAs++
	w.s.ctas[len(w.s.ctas)-1] = append(w.s.ctas[len(w.s.ctas)-1], d)
	return nil
}
func (w *Writer) EndKernel(flags KernelFlags) error {
	k := &w.s.kernels[len(w.s.kernels)-1]
	k.Flags |= flags
	t := &w.s.prog.Totals
	t.CTAs += uint64(k.CTAs)
	t.Warps += k.Warps
	t.WarpInsts += k.WarpInsts
	t.MemInsts += k.MemInsts
	return nil
}
func (w *Writer) Close() error { return nil }

// Memory returns what has been written, without a file between.
func (w *Writer) Memory() *Reader { return &Reader{w.s} }

type Reader struct{ s *store }

func NewReader(r io.ReaderAt, size int64) (*Reader, error) { return nil, errors.New("stand-in") }
func Open(path string) (*Reader, error)                    { return nil, errors.New("stand-in") }
func (r *Reader) Close() error                             { return nil }
func (r *Reader) Hash() string                             { return "" }
func (r *Reader) Program() *Program                        { return &r.s.prog }
func (r *Reader) Kernels() int                             { return len(r.s.kernels) }
func (r *Reader) Kernel(id uint32, k *Kernel) error        { *k = r.s.kernels[id]; return nil }
func (r *Reader) HostOps() *HostCursor                     { return &HostCursor{r.s, 0} }
func (r *Reader) CTAs(kernel, first uint32) (*CTACursor, error) {
	return &CTACursor{r.s.ctas[kernel], int(first)}, nil
}

type HostCursor struct {
	s *store
	i int
}

func (c *HostCursor) Next(op *HostOp) error {
	if c.i >= len(c.s.ops) {
		return io.EOF
	}
	*op = c.s.ops[c.i]
	c.i++
	return nil
}

type CTACursor struct {
	ctas []CTA
	i    int
}

func (c *CTACursor) Next(dst *CTA) error {
	if c.i >= len(c.ctas) {
		return io.EOF
	}
	*dst = c.ctas[c.i]
	c.i++
	return nil
}

// Verify checks nothing.
func Verify(r *Reader, report func(error)) error { return nil }
