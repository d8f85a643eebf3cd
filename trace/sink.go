package trace

import (
	"errors"
	"io"
	"iter"
)

// Sink takes a trace, record by record: the writer of the container is one. Values are
// copied before a call returns.
type Sink interface {
	SetMeta(Meta)
	AddArray(Array) uint32
	AddFunction(name string) uint32
	AddScope(Scope) uint32
	AddInst(function uint32, in Inst) uint32
	Diagnose(Diagnostic)
	Host(*HostOp) error
	NextKernel() uint32
	BeginKernel(*Kernel) (uint32, error)
	WriteCTA(*CTA) error
	EndKernel(KernelFlags) error
}

// Source gives a trace: the reader of the container is one. Kernels are numbered from 0.
type Source interface {
	Program() *Program
	Kernels() int
	Kernel(id uint32, k *Kernel) error
	HostOps() Cursor[HostOp]
	// CTAs gives those of a kernel from the CTA with the given number on, in ascending order.
	CTAs(kernel, first uint32) (Cursor[CTA], error)
}

// Cursor reads records in order.
type Cursor[T any] interface {
	// Next reads the next record into dst, whose memory it reuses. It returns io.EOF after the last one.
	Next(dst *T) error
}

// Each yields the records that a cursor has left, all in the same memory. A cursor that fails yields its error last.
func Each[T any](c Cursor[T]) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		var v T
		for {
			switch err := c.Next(&v); {
			case errors.Is(err, io.EOF):
				return
			case err != nil:
				yield(nil, err)
				return
			case !yield(&v, nil):
				return
			}
		}
	}
}

// EachCTA yields the CTAs of a kernel as [Each] does. A kernel that there is not yields an error.
func EachCTA(s Source, kernel uint32) iter.Seq2[*CTA, error] {
	c, err := s.CTAs(kernel, 0)
	if err != nil {
		return func(yield func(*CTA, error) bool) { yield(nil, err) }
	}
	return Each(c)
}
