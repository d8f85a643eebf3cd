package model

import "slices"

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
