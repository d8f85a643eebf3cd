package trace

// Sink takes a trace, record by record; [Writer] is one. Values are copied before a call
// returns.
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

var _ Sink = (*Writer)(nil)
