package samples

import "gpureplay/trace"

// Writer receives a generator's output: the trace's own writer for a file, and a recording in memory for tests.
// Kernels, CTAs and instructions are copied before a call returns.
type Writer interface {
	// AddArray names an allocation and returns its index.
	AddArray(trace.Array) uint32
	// AddFunction names a device function and returns its index.
	AddFunction(name string) uint32
	// AddInst adds a static instruction to a function and returns its index there.
	AddInst(function uint32, in trace.Inst) uint32
	// Inst returns an instruction to change until a path has used it; the pointer is
	// valid until the next AddInst to the function.
	Inst(function, i uint32) *trace.Inst
	// Host appends an operation of the host.
	Host(*trace.HostOp) error
	// NextKernel is the id that the next BeginKernel returns.
	NextKernel() uint32
	// BeginKernel starts a kernel; its CTAs follow.
	BeginKernel(*trace.Kernel) (uint32, error)
	// WriteCTA appends a CTA of the kernel that was begun, ascending ID.
	WriteCTA(*trace.CTA) error
	// EndKernel ends the kernel and adds flags to it.
	EndKernel(trace.KernelFlags) error
}
