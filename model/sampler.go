package model

import (
	"slices"

	"gpureplay/model/memory"
)

// sampler gives the observer the timeline, window by window.
type sampler struct {
	width Time
	next  Time // end of the current window
	insts uint64
	moved memory.Traffic // at the end of the window before
	rec   SampleRecord
	obs   Observer
	mem   memory.System
	fill  func(*SampleRecord) // notes the state of the machine
	thin  *downsampler        // nil: every window is told as it ends
}

func (s *sampler) init(width Time, obs Observer, mem memory.System, fill func(*SampleRecord)) {
	s.obs, s.mem, s.fill = obs, mem, fill
	if width == SampleAuto {
		s.thin = &downsampler{}
		width = firstWindow
	}
	s.width, s.next = width, width
	if width <= 0 {
		s.next = never
	}
}

// advance closes the windows that end at or before t. The state at the end of a
// window is that after everything before its end has happened.
func (s *sampler) advance(t Time) {
	for s.next <= t {
		s.tell(s.next-s.width, s.next)
		if s.thin != nil && s.thin.full() {
			s.thin.halve()
			s.width *= 2
		}
		s.next += s.width
	}
}

func (s *sampler) finish(end Time) {
	if s.width > 0 && end > s.next-s.width {
		s.tell(s.next-s.width, end)
	}
	if s.thin != nil {
		s.thin.tell(s.obs)
	}
}

func (s *sampler) tell(start, end Time) {
	r := &s.rec
	*r = SampleRecord{Start: start, End: end, Kernels: r.Kernels[:0], PagesOwned: r.PagesOwned[:0], SMsHeld: r.SMsHeld[:0],
		CTAsFinished: r.CTAsFinished[:0]}
	s.fill(r)
	s.insts, r.WarpInsts = r.WarpInsts, r.WarpInsts-s.insts
	was := s.moved
	s.moved = s.mem.Total()
	r.L2Sectors, r.DRAMReads, r.DRAMWrites = s.moved.L2Accesses-was.L2Accesses, s.moved.DRAMReads-was.DRAMReads,
		s.moved.DRAMWrites-was.DRAMWrites
	if s.thin != nil {
		s.thin.keep(r)
		return
	}
	s.obs.Sample(r)
}

// SampleAuto requests a timeline of one to two thousand windows, however long the
// run is.
const SampleAuto Time = -1

// firstWindow is the width that SampleAuto starts with.
const firstWindow = 1 << 8

// downsampler keeps the timeline's windows in memory; when there are many, two
// become one, and windows are twice as wide from there on.
type downsampler struct{ kept []SampleRecord }

// maxWindows is how many windows are kept.
const maxWindows = 1 << 11

// keep adds a window, whose lists belong to the caller.
func (h *downsampler) keep(r *SampleRecord) {
	c := *r
	c.Kernels, c.PagesOwned = slices.Clone(r.Kernels), slices.Clone(r.PagesOwned)
	c.SMsHeld, c.CTAsFinished = slices.Clone(r.SMsHeld), slices.Clone(r.CTAsFinished)
	h.kept = append(h.kept, c)
}

func (h *downsampler) full() bool { return len(h.kept) >= maxWindows }

// halve joins windows in pairs. A pair has the state at the end of the second window, and the
// sum of the instructions and sectors of both.
func (h *downsampler) halve() {
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

func (h *downsampler) tell(obs Observer) {
	for i := range h.kept {
		obs.Sample(&h.kept[i])
	}
}
