package reproduce

import (
	"strconv"

	"gpureplay/model"
)

// A table over time has a row for each window of its runs: a workload whose name is the
// window's beginning in kilocycles. All rows are of the same runs.
const (
	windowCycles = 200_000
	sampleCycles = 1_000
)

// window is how many CTAs of the host's kernels and of children are on SMs, summed over
// the samples of a window.
type window struct{ samples, parents, children float64 }

// sampled adds a sample, which shows the end of its cycles.
func (u *unit) sampled(r *model.SampleRecord) {
	at := int((r.End - 1) / windowCycles)
	for len(u.times) <= at {
		u.times = append(u.times, window{})
	}
	w := &u.times[at]
	w.samples++
	w.parents += float64(r.ParentCTAs)
	w.children += float64(r.ChildCTAs)
}

// windows are the rows of a table over time, as many as are asked for.
func windows(n int, w Workload) []Workload {
	var all []Workload
	for i := range n {
		w.Name = strconv.Itoa(i * windowCycles / 1000)
		all = append(all, w)
	}
	return all
}

// resident is a mean over a row's window.
func resident(policy string, of func(w *window) float64) func(*Row) float64 {
	return func(r *Row) float64 {
		from, err := strconv.Atoi(r.Workload.Name)
		at := from * 1000 / windowCycles
		if err != nil || at >= len(r.times[policy]) {
			return none
		}
		w := &r.times[policy][at]
		return of(w) / w.samples
	}
}

// residents are two columns a policy: the CTAs of parents and of children.
func residents(labels map[string]string, policies ...string) []Column {
	var all []Column
	for _, p := range policies {
		all = append(all, Column{Name: labels[p] + ": parents", Of: resident(p, func(w *window) float64 { return w.parents })},
			Column{Name: labels[p] + ": children", Of: resident(p, func(w *window) float64 { return w.children })})
	}
	return all
}
