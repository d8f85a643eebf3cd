package model

// state notes in a sample how the machine stands.
func (m *Machine) state(r *SampleRecord) {
	for _, x := range m.sms {
		for _, c := range x.CTAs {
			if of(c).launch() == nil {
				r.ParentCTAs++
			} else {
				r.ChildCTAs++
			}
		}
		r.WarpInsts += x.Issued
		r.ActiveWarps += uint32(x.Resident)
		r.Registers += uint64(x.Used.Registers)
		r.SharedBytes += uint64(x.Used.SharedBytes)
		r.ResidentCTAs += uint32(len(x.CTAs))
	}
	if m.ctas.forwarding.k != nil { // its books have them
		r.ParentCTAs, r.ResidentCTAs = r.ParentCTAs+uint32(m.ctas.onSMs), r.ResidentCTAs+uint32(m.ctas.onSMs)
	}
	r.PendingKernels = uint32(m.kmu.pending)
	if g := m.children.groups; g != nil {
		r.AGTUsed = uint32(g.Used())
	}
	r.KDEUsed = uint32(len(m.ctas.entries))
	for _, k := range m.ctas.entries {
		r.Kernels = append(r.Kernels, k.ID)
		r.PagesOwned = append(r.PagesOwned, m.pagesOwned(k))
		r.SMsHeld = append(r.SMsHeld, uint32(k.SMs))
		r.CTAsFinished = append(r.CTAsFinished, uint32(k.done))
	}
}

// pagesOwned is how many of the available input pages a kernel owns.
func (m *Machine) pagesOwned(k *kernelRun) uint32 {
	if m.access == nil {
		return 0
	}
	return uint32(m.access.Owned(k.Order))
}
