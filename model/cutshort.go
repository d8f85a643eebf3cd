package model

import "context"

// pause is called every so many events: it reports whether the run ends here, because
// it was told to or has come to its last cycle, and tells who asks how far it is.
func (m *Machine) pause(ctx context.Context) (end bool, err error) {
	if ctx.Err() != nil {
		return true, context.Cause(ctx)
	}
	if m.tick != nil {
		var insts uint64
		for _, s := range m.sms {
			insts += s.issued
		}
		m.tick(m.now, insts)
	}
	return false, nil
}

// cutShort gathers the summary of a run that ends at cycle t, before its program.
// Kernels and CTAs that run have no records; what SMs did counts, up to a little
// beyond t where they ran ahead of the machine.
func (m *Machine) cutShort(t Time) (*Summary, error) {
	m.sum.Cut = true
	m.sum.Cycles = t
	return m.finish()
}
