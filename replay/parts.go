package replay

import (
	"cmp"
	"math"
	"slices"

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

// clockwork collects when kernels ran, launches were on their way and copies went on.
type clockwork struct {
	model.Discard
	latency model.Time // of a launch by the host: such a time before it arrives it is on its way

	host, device     intervalSet // kernels by who launched them
	launches, copies intervalSet
	sum, pages       model.Time // durations of the host's kernels; the part of them that waits for pages
	last             model.Time // end of the last kernel
}

// Kernel is of [model.Observer].
func (w *clockwork) Kernel(r *model.KernelRecord) {
	if r.FirstCTA == model.Unset || r.End == model.Unset {
		return
	}
	w.last = max(w.last, r.End)
	if r.Device {
		w.device.add(r.FirstCTA, r.End)
		return
	}
	w.host.add(r.FirstCTA, r.End)
	w.launches.add(max(0, r.Arrive-w.latency), r.Arrive)
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
func (w *clockwork) Stage(r *model.StageRecord) {
	switch r.Stage {
	case model.StagePrelude, model.StageH2D, model.StageD2H, model.StagePostlude:
		w.copies.add(r.Start, r.End)
	}
}

// parts returns the parts of a run of so many cycles.
func (w *clockwork) parts(cycles model.Time) Parts {
	host := w.host.length()
	w.host.join(&w.device)
	busy := w.host.length()
	w.launches.join(&w.host)
	delayed := w.launches.length()
	w.copies.cut(w.last)
	w.copies.join(&w.launches)
	p := Parts{
		Copies: w.copies.length() - delayed, Kernels: w.sum - w.pages, Overlap: w.sum - host, Children: busy - host,
		Tail: cycles - w.last,
	}
	p.Gaps = w.last - busy - p.Copies
	p.Copies += w.pages
	return p
}

// stretch is a time, from its first cycle to the one behind its last.
type stretch struct{ from, to model.Time }

// intervalSet is a union of stretches of time. Its memory grows with the number of gaps
// between them.
type intervalSet struct {
	list   []stretch
	merged int // so many from the front are in order and apart
}

// fewStretches is how many stretches are added before they are merged again.
const fewStretches = 1 << 10

func (s *intervalSet) add(from, to model.Time) {
	if to <= from {
		return
	}
	if n := len(s.list); n > s.merged && s.list[n-1].from <= from && from <= s.list[n-1].to {
		s.list[n-1].to = max(s.list[n-1].to, to)
		return
	}
	if s.list = append(s.list, stretch{from, to}); len(s.list) >= 2*s.merged+fewStretches {
		s.merge()
	}
}

// merge puts the stretches in order and joins those that meet.
func (s *intervalSet) merge() {
	slices.SortFunc(s.list, func(a, b stretch) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	n := 0
	for _, x := range s.list {
		if n > 0 && x.from <= s.list[n-1].to {
			s.list[n-1].to = max(s.list[n-1].to, x.to)
			continue
		}
		s.list[n] = x
		n++
	}
	s.list, s.merged = s.list[:n], n
}

// length is the time that the set covers.
func (s *intervalSet) length() (sum model.Time) {
	s.merge()
	for _, x := range s.list {
		sum += x.to - x.from
	}
	return sum
}

// join adds another set.
func (s *intervalSet) join(o *intervalSet) { s.list = append(s.list, o.list...) }

// cut drops the time from end on.
func (s *intervalSet) cut(end model.Time) {
	kept := s.list[:0]
	for _, x := range s.list {
		if x.to = min(x.to, end); x.from < x.to {
			kept = append(kept, x)
		}
	}
	s.list, s.merged = kept, 0
}
