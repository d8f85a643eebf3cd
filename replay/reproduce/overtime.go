package reproduce

import (
	"math"
	"strconv"

	"gpureplay/model"
	"gpureplay/trace"
	"gpureplay/trace/container"
)

// A table over time has a row for each window of its runs: a workload whose name is the
// window's beginning in kilocycles. All rows are of the same runs.
const (
	windowCycles = 200_000
	sampleCycles = 1_000
)

// window is how many CTAs of the host's kernels and of children are on SMs, and the use of the
// GPU, summed over the samples of a window; and the children that were launched in it.
type window struct{ samples, parents, children, used, launched float64 }

// sampled adds a sample, which shows the end of its cycles.
func (u *unit) sampled(r *model.SampleRecord) {
	w, c := u.at(r.End-1), u.config
	w.samples++
	w.parents += float64(r.ParentCTAs)
	w.children += float64(r.ChildCTAs)
	if c == nil {
		return
	}
	sms := float64(c.SM.Count)
	w.used += 100 * max(float64(r.Registers)/(sms*float64(c.SM.Registers)),
		float64(r.SharedBytes)/(sms*float64(c.SM.SharedBytes)),
		float64(r.WarpInsts)/(sms*float64(c.SM.Schedulers*c.SM.IssueWidth)*float64(r.End-r.Start)))
}

// launched counts a child where it was requested, and by the reason of the decision.
func (u *unit) launched(r *model.LaunchRecord) {
	if r.Decision == model.Inline {
		return
	}
	u.at(r.Time).launched++
	if u.decided {
		u.made[r.Reason]++
	}
}

// blind is the share of a policy's children that were launched before a first child CTA had ended (SPAWN, algorithm 1,
// line 2), in per cent.
func blind(policy string) func(*Row) float64 {
	return func(r *Row) float64 {
		all := launched(policy)(r)
		if all == 0 {
			return none
		}
		return 100 * r.made[policy]["first window"] / all
	}
}

// at is the window of a cycle.
func (u *unit) at(t model.Time) *window {
	n := int(t / windowCycles)
	for len(u.times) <= n {
		u.times = append(u.times, window{})
	}
	return &u.times[n]
}

// windows are the rows of a table over time, as many as are requested.
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
		all = append(all, Column{Name: labels[p] + ": parents", Of: resident(p, func(w *window) float64 {
			return w.parents
		})},
			Column{Name: labels[p] + ": children", Of: resident(p, func(w *window) float64 { return w.children })})
	}
	return all
}

// usedAt is the use of the GPU in a row's window, in per cent: the largest of the shares of
// registers, of shared memory and of issue slots (SPAWN paper, III.A).
func usedAt(policy string) Column {
	return Column{Name: policy + ": utilisation", Unit: "%", Digits: 1, Of: resident(policy, func(w *window) float64 {
		return w.used
	})}
}

// launchedBy is the share of a run's children that had been launched by the end of a row's window.
func launchedBy(policy string) func(*Row) float64 {
	return func(r *Row) float64 {
		from, err := strconv.Atoi(r.Workload.Name)
		at, by, all := from*1000/windowCycles, 0., 0.
		for i, w := range r.times[policy] {
			if all += w.launched; i <= at {
				by += w.launched
			}
		}
		if err != nil || all == 0 {
			return none
		}
		return 100 * by / all
	}
}

// near is the share of child CTAs whose time is within a tenth of their mean, in per cent.
func near(policy string) func(*Row) float64 {
	return func(r *Row) float64 {
		took := r.took[policy]
		mean, n, close := 0., 0., 0.
		for t, times := range took {
			mean, n = mean+float64(t)*times, n+times
		}
		mean /= n
		for t, times := range took {
			if math.Abs(float64(t)-mean) <= mean/10 {
				close += times
			}
		}
		if n == 0 {
			return none
		}
		return 100 * close / n
	}
}

// childEnded counts the times of children's CTAs.
func (u *unit) childEnded(r *container.Reader) func(*model.CTARecord) {
	var k trace.Kernel
	return func(c *model.CTARecord) {
		if c.Child != model.NoKernel || r.Kernel(c.Kernel, &k) == nil && k.Flags&trace.KernelChild != 0 {
			u.took[c.End-c.Dispatch]++
		}
	}
}
