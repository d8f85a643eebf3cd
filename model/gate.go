package model

import (
	"fmt"

	"gpureplay/trace"
)

// gated reports whether the CTAs of k are let go one by one.
func (m *Machine) gated(k *kernelRun) bool { return m.gate != nil && k.stream != nil }

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
