package trace

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
