package analyse

import (
	"cmp"
	"slices"

	"gpureplay/internal/intervals"
	"gpureplay/model"
)

// Limits split the cycles of a run by the resource that kept the program from being
// faster. They add up to its cycles.
type Limits struct {
	GPU        model.Time // a kernel runs
	Boundaries model.Time // the GPU is between two kernels, and the second one has arrived
	Copies     model.Time // no kernel has arrived, and a copy goes on
	Host       model.Time // the host has not launched the next kernel
	Pinned     model.Time // the next kernel keeps its recorded start: the capture has no call that launched it
}

// Limit is one of the limits with its name.
type Limit struct {
	Name   string
	Cycles model.Time
}

// List returns the limits that took time, the largest first.
func (l *Limits) List() []Limit {
	all := []Limit{
		{"GPU", l.GPU}, {"boundaries", l.Boundaries}, {"copies", l.Copies}, {"host", l.Host}, {"pinned starts", l.Pinned},
	}
	all = slices.DeleteFunc(all, func(x Limit) bool { return x.Cycles <= 0 })
	slices.SortStableFunc(all, func(a, b Limit) int { return cmp.Compare(b.Cycles, a.Cycles) })
	return all
}

// limitWatch collects the kernels and copies of a run.
type limitWatch struct {
	model.Discard
	kernels []arrival
	copies  intervals.Set
	pin     func(*model.KernelRecord) bool // a kernel begins no earlier than recorded
}

// arrival is a kernel of the host in time.
type arrival struct {
	arrive, from, to model.Time
	pinned           bool
}

// Kernel is of [model.Observer].
func (w *limitWatch) Kernel(r *model.KernelRecord) {
	if r.FirstCTA != model.Unset && r.End != model.Unset {
		w.kernels = append(w.kernels, arrival{r.Arrive, r.FirstCTA, r.End, w.pin(r)})
	}
}

// Stage is of [model.Observer].
func (w *limitWatch) Stage(r *model.StageRecord) {
	if r.Stage != model.StageKernel && r.Stage != model.StageProfiler {
		w.copies.Add(r.Start, r.End)
	}
}

// limits returns the limits of a run of so many cycles.
func (w *limitWatch) limits(cycles model.Time) (l Limits) {
	slices.SortFunc(w.kernels, func(a, b arrival) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	var gaps [2]intervals.Set // before kernels that the host has not launched, and before pinned ones
	until := model.Time(0)
	for _, k := range w.kernels {
		if k.from > until {
			came := min(max(k.arrive, until), k.from)
			which := 0
			if k.pinned {
				which, came = 1, k.from
			}
			gaps[which].Add(until, came)
			l.Boundaries += k.from - came
			until = k.from
		}
		l.GPU += max(0, k.to-until)
		until = max(until, k.to)
	}
	gaps[0].Add(until, cycles)
	for i, to := range []*model.Time{&l.Host, &l.Pinned} {
		gap, copies := gaps[i].Length(), w.copies.Length()
		both := gaps[i]
		both = both.Clone()
		both.Join(&w.copies)
		beside := gap + copies - both.Length()
		l.Copies += beside
		*to = gap - beside
	}
	return l
}
