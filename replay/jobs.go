package replay

import (
	"context"
	"fmt"
	"sync"
	"time"

	"gpureplay/model"
	"gpureplay/policies"
)

// Progress is how far a run is.
type Progress struct {
	Cycles    model.Time
	Insts     uint64 // warp instructions issued
	Total     uint64 // that the trace has; children that become work of their parents issue others
	PerSecond float64
	Left      time.Duration // at this rate; 0: unknown
}

// ticker returns what the machine calls while it runs; nil if nobody asks.
func (job *Job) ticker(label string) func(model.Time, uint64) {
	if job.Progress == nil {
		return nil
	}
	total, began := job.Trace.Program().Totals.WarpInsts, time.Now()
	last := began
	return func(now model.Time, insts uint64) {
		if time.Since(last) < 500*time.Millisecond {
			return
		}
		last = time.Now()
		p := Progress{Cycles: now, Insts: insts, Total: total, PerSecond: float64(insts) / last.Sub(began).Seconds()}
		if insts > 0 && insts < total {
			p.Left = time.Duration(float64(total-insts) / p.PerSecond * float64(time.Second))
		}
		job.telling.Lock()
		defer job.telling.Unlock()
		job.Progress(label, p)
	}
}

// task is one choice under one variant.
type task struct {
	choice  *policies.Choice
	variant Variant
	results []*Result
	err     error
}

// sideBySide runs every choice under every variant, job.Jobs at a time, and returns
// the results in the order of the two. Runs share what the trace has unpacked; of
// those that wait nothing is in memory. The first error ends those that have not
// begun; those that run, run on.
func (job *Job) sideBySide(ctx context.Context, order []*policies.Choice) ([]*Result, error) {
	variants := job.Variants
	if len(variants) == 0 {
		variants = []Variant{{}}
	}
	var tasks []*task
	for _, v := range variants {
		for _, c := range order {
			tasks = append(tasks, &task{choice: c, variant: v})
		}
	}
	queue, stopped := make(chan *task), make(chan struct{})
	var workers sync.WaitGroup
	var stop sync.Once
	for range min(max(job.Jobs, 1), len(tasks)) {
		workers.Go(func() {
			for t := range queue {
				label := labelOf(t.choice.Label, job.set(t.variant))
				job.tell(func() {
					if job.Started != nil {
						job.Started(label)
					}
				})
				t.results, t.err = job.all(ctx, t.choice, t.variant)
				between()
				if t.err != nil {
					t.err = fmt.Errorf("policy %s: %w", label, t.err)
					stop.Do(func() { close(stopped) })
				}
				if n := len(t.results); n > 0 && job.Finished != nil {
					job.tell(func() { job.Finished(label, t.results[n-1]) })
				}
			}
		})
	}
	job.feed(ctx, tasks, queue, stopped)
	workers.Wait()
	var results []*Result
	err := context.Cause(ctx)
	for _, t := range tasks {
		results = append(results, t.results...)
		if t.err != nil && (err == nil || err == context.Cause(ctx)) {
			err = t.err
		}
	}
	return results, err
}

// feed hands the tasks to the workers, in order, until one has failed or ctx ends.
func (job *Job) feed(ctx context.Context, tasks []*task, queue chan<- *task, stopped <-chan struct{}) {
	defer close(queue)
	for _, t := range tasks {
		select {
		case <-stopped:
			return
		default:
		}
		if ctx.Err() != nil {
			t.err = fmt.Errorf("policy %s: %w", labelOf(t.choice.Label, job.set(t.variant)), context.Cause(ctx))
			return
		}
		select {
		case queue <- t:
		case <-stopped:
			return
		case <-ctx.Done():
			return
		}
	}
}

// tell calls back to the caller, one call at a time.
func (job *Job) tell(f func()) {
	job.telling.Lock()
	defer job.telling.Unlock()
	f()
}
