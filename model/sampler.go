package model

import (
	"slices"

	"gpureplay/model/memory"
)

// sampler tells the observer of the timeline, window by window.
type sampler struct {
	width Time
	next  Time // end of the current window
	insts uint64
	moved memory.Traffic // at the end of the window before
	rec   SampleRecord
	thin  *thinner // nil: every window is told as it ends
}

func (s *sampler) init(width Time) {
	if width == SampleAuto {
		s.thin = &thinner{}
		width = firstWindow
	}
	s.width, s.next = width, width
	if width <= 0 {
		s.next = never
	}
}

// advance closes the windows that end at or before t. The state at the end of a
// window is that after everything before its end has happened.
func (s *sampler) advance(m *Machine, t Time) {
	for s.next <= t {
		s.tell(m, s.next-s.width, s.next)
		if s.thin != nil && s.thin.full() {
			s.thin.halve()
			s.width *= 2
		}
		s.next += s.width
	}
}

func (s *sampler) finish(m *Machine) {
	if s.width > 0 && m.sum.Cycles > s.next-s.width {
		s.tell(m, s.next-s.width, m.sum.Cycles)
	}
	if s.thin != nil {
		s.thin.tell(m.obs)
	}
}

func (s *sampler) tell(m *Machine, start, end Time) {
	r := &s.rec
	*r = SampleRecord{Start: start, End: end, Kernels: r.Kernels[:0], PagesOwned: r.PagesOwned[:0], SMsHeld: r.SMsHeld[:0], CTAsFinished: r.CTAsFinished[:0]}
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
	if m.ctas.bulk.k != nil { // its books have them
		r.ParentCTAs, r.ResidentCTAs = r.ParentCTAs+uint32(m.ctas.onSMs), r.ResidentCTAs+uint32(m.ctas.onSMs)
	}
	r.PendingKernels = uint32(m.kmu.pending)
	if a := m.children.agt; a != nil {
		r.AGTUsed = uint32(a.n)
	}
	r.KDEUsed = uint32(len(m.ctas.entries))
	s.insts, r.WarpInsts = r.WarpInsts, r.WarpInsts-s.insts
	was := s.moved
	s.moved = m.mem.Total()
	r.L2Sectors, r.DRAMReads, r.DRAMWrites = s.moved.L2Accesses-was.L2Accesses, s.moved.DRAMReads-was.DRAMReads, s.moved.DRAMWrites-was.DRAMWrites
	for _, k := range m.ctas.entries {
		r.Kernels = append(r.Kernels, k.ID)
		r.PagesOwned = append(r.PagesOwned, m.pagesOwned(k))
		r.SMsHeld = append(r.SMsHeld, uint32(k.SMs))
		r.CTAsFinished = append(r.CTAsFinished, uint32(k.done))
	}
	if s.thin != nil {
		s.thin.keep(r)
		return
	}
	m.obs.Sample(r)
}

// pagesOwned is how many of the available input pages a kernel owns.
func (m *Machine) pagesOwned(k *kernelRun) uint32 {
	if m.access == nil {
		return 0
	}
	return uint32(m.access.Owned(k.Order))
}

// SampleAuto asks for a timeline of one to two thousand windows, however long the
// run is.
const SampleAuto Time = -1

// firstWindow is the width that SampleAuto starts with.
const firstWindow = 1 << 8

// thinner keeps the timeline's windows in memory; when there are many, two
// become one, and windows are twice as wide from there on.
type thinner struct{ kept []SampleRecord }

// maxWindows is how many windows are kept.
const maxWindows = 1 << 11

// keep adds a window, whose lists belong to the caller.
func (h *thinner) keep(r *SampleRecord) {
	c := *r
	c.Kernels, c.PagesOwned = slices.Clone(r.Kernels), slices.Clone(r.PagesOwned)
	c.SMsHeld, c.CTAsFinished = slices.Clone(r.SMsHeld), slices.Clone(r.CTAsFinished)
	h.kept = append(h.kept, c)
}

func (h *thinner) full() bool { return len(h.kept) >= maxWindows }

// halve joins windows in pairs: the state is that at the end of the second, the
// instructions and sectors are those of both.
func (h *thinner) halve() {
	n := len(h.kept) / 2
	for i := range n {
		first, second := &h.kept[2*i], h.kept[2*i+1]
		second.Start = first.Start
		second.WarpInsts += first.WarpInsts
		second.L2Sectors += first.L2Sectors
		second.DRAMReads += first.DRAMReads
		second.DRAMWrites += first.DRAMWrites
		h.kept[i] = second
	}
	clear(h.kept[n:])
	h.kept = h.kept[:n]
}

func (h *thinner) tell(obs Observer) {
	for i := range h.kept {
		obs.Sample(&h.kept[i])
	}
}
