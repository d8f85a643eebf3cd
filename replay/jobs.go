package replay

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"gpureplay/internal/workers"
	"gpureplay/model"
	"gpureplay/policies"
	"gpureplay/replay/table"
)

// Progress is how far a run is.
type Progress struct {
	Cycles model.Time // simulated so far
	Insts  uint64     // warp instructions issued
	Total  uint64     // that the trace has; children that become work of their parents issue others
	Span   model.Time // recorded length of a capture, in cycles; 0: unknown
}

// Share is the part of the run's work that is done, from 0 to 1: of its instructions, or
// of the recorded time where the trace has none. It is 0 where neither is known, and stays
// below 1 until the run has ended.
func (p *Progress) Share() float64 {
	share := 0.0
	switch {
	case p.Total > 0:
		share = float64(p.Insts) / float64(p.Total)
	case p.Span > 0:
		share = float64(p.Cycles) / float64(p.Span)
	}
	return min(share, 0.999)
}

// Done is told after each run of several, never twice at a time.
type Done func(done, total int, name string)

// ticker returns the function that the machine calls while it runs; nil if no progress is shown.
func (job *Job) ticker(label string, clockMHz float64) func(model.Time, uint64) {
	if job.Progress == nil {
		return nil
	}
	total, last := job.Trace.Program().Totals.WarpInsts, time.Now()
	span := model.Time(float64(job.recorded) * clockMHz / 1000)
	return func(now model.Time, insts uint64) {
		if time.Since(last) < 500*time.Millisecond {
			return
		}
		last = time.Now()
		p := Progress{Cycles: now, Insts: insts, Total: total, Span: span}
		job.telling.Lock()
		defer job.telling.Unlock()
		job.Progress(label, p)
	}
}

// task is one choice under one variant: a run, or the tries of a search, the best of them once more under the name
// of the search.
type task struct {
	choice  *policies.Choice
	variant Variant
	runs    []*policies.Choice
	left    atomic.Int64 // runs that have not come to their end
	results []*Result    // of each run, and of a search; nil: none yet
}

// attempt is one run of a task.
type attempt struct {
	*task
	run int
}

// sideBySide runs every choice under every variant, job.Jobs at a time, and returns the results in the order of the
// two. Runs share unpacked blocks of the trace; waiting ones hold no memory. After the first error no further run
// begins; running ones run on.
func (job *Job) sideBySide(ctx context.Context, order []*policies.Choice) ([]*Result, error) {
	tasks, err := job.tasks(order)
	if err != nil {
		return nil, err
	}
	if job.claims, err = job.claim(tasks); err != nil {
		return nil, err
	}
	defer job.claims.Close()
	var all []attempt
	for _, t := range tasks {
		for i := range t.runs {
			all = append(all, attempt{t, i})
		}
	}
	pool := workers.Pool{
		Workers: max(job.Jobs, 1),
		Cost:    func(i int) float64 { return Effort(all[i].choice) },
	}
	err = pool.Do(ctx, len(all), func(_ context.Context, i int) error { return job.attempt(ctx, all[i]) })
	var results []*Result
	for _, t := range tasks {
		results = append(results, slices.DeleteFunc(t.results, func(r *Result) bool { return r == nil })...)
	}
	return results, err
}

// tasks are the runs of every choice under every variant.
func (job *Job) tasks(order []*policies.Choice) ([]*task, error) {
	variants := job.Variants
	if len(variants) == 0 {
		variants = []Variant{{}}
	}
	var all []*task
	for _, v := range variants {
		for _, c := range order {
			t := &task{choice: c, variant: v, runs: []*policies.Choice{c}}
			if c.Searches() {
				var err error
				if t.runs, err = c.Tries(job.Trace); err != nil {
					return nil, fmt.Errorf("policy %s: %w", labelOf(c.Label, job.set(v)), err)
				}
			}
			t.left.Store(int64(len(t.runs)))
			t.results = make([]*Result, len(t.runs)+1)
			all = append(all, t)
		}
	}
	return all, nil
}

// claim holds the places of the tables of all runs, before the first one begins.
func (job *Job) claim(tasks []*task) (*table.Claims, error) {
	if job.Output == nil {
		return table.ClaimRuns("", []string{}, nil)
	}
	var keys []table.Key
	for _, t := range tasks {
		k := table.Key{Trace: job.Name, GPU: job.Config.Name, Set: job.set(t.variant), Policy: t.choice.Label}
		keys = append(keys, k)
		for _, run := range t.runs {
			k.Policy = run.Label
			keys = append(keys, k)
		}
	}
	return table.ClaimRuns(job.Output.Dir, job.Output.Tables, keys)
}

// attempt does one run. Of a search whoever ends the last try goes on with the best.
func (job *Job) attempt(ctx context.Context, a attempt) error {
	job.tell(func() {
		if job.Started != nil {
			job.Started(labelOf(a.runs[a.run].Label, job.set(a.variant)))
		}
	})
	r, err := job.result(ctx, a, a.runs[a.run], a.run)
	ended := err == nil && a.left.Add(-1) == 0
	if ended && a.choice.Searches() {
		r, err = job.result(ctx, a, a.best().As(a.choice.Label), len(a.runs))
	}
	if r != nil && (ended || err != nil) {
		job.tell(func() {
			if job.Finished != nil {
				job.Finished(labelOf(a.choice.Label, job.set(a.variant)), r)
			}
		})
	}
	return err
}

// result does one run, and keeps its outcome.
func (job *Job) result(ctx context.Context, a attempt, c *policies.Choice, at int) (r *Result, err error) {
	r, err = job.one(ctx, c, a.variant)
	between()
	if err != nil {
		err = fmt.Errorf("policy %s: %w", labelOf(a.choice.Label, job.set(a.variant)), err)
	}
	a.results[at] = r
	return r, err
}

// best is the fastest try of a search; of equals the last, which launches less.
func (t *task) best() *policies.Choice {
	best := 0
	for i, r := range t.results[:len(t.runs)] {
		if r.Run.Cycles <= t.results[best].Run.Cycles {
			best = i
		}
	}
	return t.runs[best]
}

// tell calls back to the caller, one call at a time.
func (job *Job) tell(f func()) {
	job.telling.Lock()
	defer job.telling.Unlock()
	f()
}
