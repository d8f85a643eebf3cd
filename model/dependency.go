package model

import (
	"fmt"

	"gpureplay/trace"
)

// Dependency decides how kernels that depend on each other may overlap: access by
// access ([AccessDependency]) or CTA by CTA ([CTADependency]).
type Dependency interface {
	// Window is how many kernels of one stream may be on the GPU at once; 0: any number.
	Window() int
}

// CTADependency keeps kernels of one stream in order CTA by CTA: they are on the GPU
// together, and it says which CTAs may be placed. A kernel completes in its stream
// when those before it have. Copies and other operations between kernels of a stream keep
// their order. It does not order kernels of different streams.
type CTADependency interface {
	Dependency
	// Start binds it to its machine, before the first kernel.
	Start(m *DependencyMachine)
	// Opened is called when a kernel of the host may enter the GPU: fewer than Window of
	// its stream that came before it have not completed, and nothing but kernels.
	Opened(k *KernelView, t Time) error
	// Next returns the CTA of a kernel, by its program order, that may be placed next.
	Next(order uint64) (cta uint32, ok bool)
	// Placed and Ended tell of a CTA of such a kernel, the latter in the cycle in which
	// its stores have been acknowledged. CTAs that it releases are placed in a later one.
	Placed(order uint64, cta uint32, t Time)
	Ended(order uint64, cta uint32, t Time)
	// Waits reports whether the host waits where its program synchronises.
	Waits() bool
	// Completed is called when a kernel and all before it in its stream have ended.
	Completed(order uint64, t Time)
}

// DependencyMachine is the handle of a [CTADependency]. [AccessMachine] adds the actions of the other kind.
type DependencyMachine struct{ View }

// CTAs hands over the CTAs of a kernel in order, as the trace has them. It returns an error if the trace cannot be
// read.
func (x *DependencyMachine) CTAs(kernel uint32, do func(*trace.CTA)) error {
	for c, err := range trace.EachCTA(x.m.tr, kernel) {
		if err != nil {
			return fmt.Errorf("kernel %d: %w", kernel, err)
		}
		do(c)
	}
	return nil
}

// Kernel reads the header of a kernel. It returns an error if there is no such kernel.
func (x *DependencyMachine) Kernel(id uint32, k *trace.Kernel) error { return x.m.tr.Kernel(id, k) }
