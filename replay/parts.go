package replay

import (
	"math"

	"gpureplay/internal/intervals"
	"gpureplay/model"
	"gpureplay/model/exec"
)

// Parts split the cycles of a run by the work that went on. They add up to its cycles,
// the overlap taken off.
type Parts struct {
	Copies   model.Time // waiting for copies and files, without a kernel; and the part of kernels that waits for pages
	Gaps     model.Time // no kernel, before the last one has ended, while a launch is on its way or no copy goes on
	Kernels  model.Time // durations of the host's kernels, first CTA to end, without their waits for pages
	Overlap  model.Time // of durations, waits included, with other kernels of the host
	Children model.Time // only kernels that the device launched
	Tail     model.Time // after the last kernel: copies back, files, the host
}

// Cycles is the sum of the parts.
func (p *Parts) Cycles() model.Time {
	return p.Copies + p.Gaps + p.Kernels - p.Overlap + p.Children + p.Tail
}

// A Part is one of the parts with its name.
type Part struct {
	Name   string
	Cycles model.Time // negative for the overlap
}

// List returns the parts in the order of a program, the overlap as a negative number.
func (p *Parts) List() []Part {
	return []Part{
		{"waiting for copies", p.Copies}, {"gaps between kernels", p.Gaps}, {"kernels", p.Kernels},
		{"overlap of kernels", -p.Overlap}, {"children alone", p.Children}, {"after the last kernel", p.Tail},
	}
}

// PartsWatch collects when kernels ran, launches were on their way and copies went on.
type PartsWatch struct {
	model.Discard
	Latency model.Time // of a launch by the host: such a time before it arrives it is on its way

	host, device     intervals.Set // kernels by who launched them
	launches, copies intervals.Set
	sum, pages       model.Time // durations of the host's kernels; the part of them that waits for pages
	last             model.Time // end of the last kernel
}

// Kernel is of [model.Observer].
func (w *PartsWatch) Kernel(r *model.KernelRecord) {
	if r.FirstCTA == model.Unset || r.End == model.Unset {
		return
	}
	w.last = max(w.last, r.End)
	if r.Device {
		w.device.Add(r.FirstCTA, r.End)
		return
	}
	w.host.Add(r.FirstCTA, r.End)
	w.launches.Add(max(0, r.Arrive-w.Latency), r.Arrive)
	w.sum += r.End - r.FirstCTA
	w.pages += pageWait(r)
}

// pageWait is the part of a kernel's duration that its CTAs wait for pages, by their
// share of such waits in their time on SMs.
func pageWait(r *model.KernelRecord) model.Time {
	waits := r.Work.StallTimes[exec.StallPageNotReady] + r.Work.StallTimes[exec.StallPageNotOwned]
	if waits == 0 || r.Work.WarpCycles == 0 {
		return 0
	}
	warps := (r.Block.Count() + 31) / 32
	share := float64(waits) * float64(warps) / float64(r.Work.WarpCycles)
	return model.Time(math.Round(float64(r.End-r.FirstCTA) * min(share, 1)))
}

// Stage is of [model.Observer].
func (w *PartsWatch) Stage(r *model.StageRecord) {
	switch r.Stage {
	case model.StagePrelude, model.StageH2D, model.StageD2H, model.StagePostlude:
		w.copies.Add(r.Start, r.End)
	}
}

// Parts returns the parts of a run of so many cycles.
func (w *PartsWatch) Parts(cycles model.Time) Parts {
	host := w.host.Length()
	w.host.Join(&w.device)
	busy := w.host.Length()
	w.launches.Join(&w.host)
	delayed := w.launches.Length()
	w.copies.Cut(w.last)
	w.copies.Join(&w.launches)
	p := Parts{
		Copies: w.copies.Length() - delayed, Kernels: w.sum - w.pages, Overlap: w.sum - host, Children: busy - host,
		Tail: cycles - w.last,
	}
	p.Gaps = w.last - busy - p.Copies
	p.Copies += w.pages
	return p
}
