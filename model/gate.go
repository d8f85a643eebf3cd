package model

import (
	"errors"
	"fmt"
	"io"

	"gpureplay/trace"
)

// CTADependency keeps kernels of one stream in order CTA by CTA: they are on the GPU
// together, and it says which CTAs may be placed. A kernel completes in its stream
// when those before it have. Copies and what else a stream has between kernels are in
// order as ever; kernels of different streams are not its affair.
type CTADependency interface {
	Dependency
	// Start binds it to its machine, before the first kernel.
	Start(m *DependencyMachine)
	// Opened tells that a kernel of the host may enter the GPU: fewer than Window of
	// its stream that came before it have not completed, and nothing but kernels.
	Opened(k *KernelView, t Time) error
	// Next returns the CTA of a kernel, by its program order, that may be placed next.
	Next(order uint64) (cta uint32, ok bool)
	// Placed and Ended tell of a CTA of such a kernel, the latter in the cycle in which
	// its stores have been acknowledged. What it lets go is placed in a later one.
	Placed(order uint64, cta uint32, t Time)
	Ended(order uint64, cta uint32, t Time)
	// Waits reports whether the host waits where its program synchronises.
	Waits() bool
	// Completed tells that a kernel and all before it in its stream have ended.
	Completed(order uint64, t Time)
}

// DependencyMachine is what a [CTADependency] acts with.
type DependencyMachine struct{ m *Machine }

// CTAs hands over the CTAs of a kernel in order, as the trace has them.
func (x *DependencyMachine) CTAs(kernel uint32, do func(*trace.CTA)) error {
	cursor, err := x.m.tr.CTAs(kernel, 0)
	if err != nil {
		return err
	}
	var c trace.CTA
	for {
		switch err := cursor.Next(&c); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("kernel %d: %w", kernel, err)
		}
		do(&c)
	}
}

// Kernel reads the header of a kernel.
func (x *DependencyMachine) Kernel(id uint32, k *trace.Kernel) error { return x.m.tr.Kernel(id, k) }

// Count counts an event in the run's summary.
func (x *DependencyMachine) Count(name string) { x.m.metrics.count(name) }

// gated reports whether the CTAs of k are let go one by one.
func (m *Machine) gated(k *kernelRun) bool { return m.gate != nil && k.stream != nil }

// startGate binds a dependency that works on CTAs.
func (m *Machine) startGate() {
	if m.gate, _ = m.policy.Dependency.(CTADependency); m.gate != nil {
		m.gate.Start(&DependencyMachine{m})
	}
}

// openKernels lets the kernels of a stream enter the GPU that the window allows.
func (h *host) openKernels(st *stream, t Time) {
	window := h.m.gate.Window()
	for i := range st.queue {
		op := &st.queue[i]
		if op.kind != trace.OpLaunch || window > 0 && i >= window || op.start > t {
			return
		}
		k := op.run
		if k == nil || k.opened {
			continue
		}
		k.opened, k.early = true, i > 0
		if err := h.m.gate.Opened(&k.KernelView, t); err != nil {
			h.m.fail(err)
			return
		}
		if !k.ready {
			k.ready = true
			h.m.fail(h.m.kmu.inspect(t))
		}
	}
}

// gatedCTA returns the CTA of k that its dependency lets go.
func (m *Machine) gatedCTA(k *kernelRun) (*ctaRun, error) {
	id, ok := m.gate.Next(k.Order)
	if !ok {
		panic(fmt.Sprintf("%T lets no CTA of kernel %d go", m.gate, k.ID))
	}
	if id != k.at && k.tk.CTAs > 0 {
		if k.pending != nil {
			m.spareCTAs = append(m.spareCTAs, k.pending)
			k.pending = nil
		}
		var err error
		if k.cursor, err = m.tr.CTAs(k.ID, id); err != nil {
			return nil, err
		}
	}
	k.at = id + 1
	c, err := m.readAt(k, uint64(id))
	if err == nil {
		m.gate.Placed(k.Order, id, m.now)
	}
	return c, err
}
