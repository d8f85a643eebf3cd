package model

import (
	"fmt"
)

// gated reports whether the CTAs of k are let go one by one.
func (m *Machine) gated(k *kernelRun) bool { return m.gate != nil && k.In != nil }

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
