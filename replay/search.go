package replay

import (
	"context"

	"gpureplay/model"
	"gpureplay/policies"
)

// all replays the trace under one choice. A search is several runs, with tables of
// their own; the last result is that of the choice, as of every other.
func (job *Job) all(ctx context.Context, c *policies.Choice, v Variant, baseline model.Time, against string) ([]*Result, error) {
	if !c.Searches() {
		r, err := job.one(ctx, c, v, baseline, against)
		if err != nil {
			return nil, err
		}
		return []*Result{r}, nil
	}
	tries, err := c.Tries(job.Trace)
	if err != nil {
		return nil, err
	}
	if baseline == 0 && !job.Alone { // it is what speedups refer to, so that it must be known first
		if baseline, err = job.least(ctx, tries, v); err != nil {
			return nil, err
		}
	}
	var results []*Result
	best := 0
	for i, try := range tries {
		r, err := job.one(ctx, try, v, baseline, against)
		if err != nil {
			return nil, err
		}
		results = append(results, r)
		if r.Run.Cycles <= results[best].Run.Cycles { // of equals, the one that launches less
			best = i
		}
	}
	r, err := job.one(ctx, tries[best].As(c.Label), v, baseline, against)
	if err != nil {
		return nil, err
	}
	return append(results, r), nil
}

// least returns the cycles of the fastest of some choices.
func (job *Job) least(ctx context.Context, choices []*policies.Choice, v Variant) (model.Time, error) {
	machine := *job.Config
	if v.Apply != nil {
		v.Apply(&machine)
	}
	var least model.Time
	for i, c := range choices {
		n, err := cyclesOf(ctx, job.Trace, &machine, c)
		if err != nil {
			return 0, err
		}
		if i == 0 || n < least {
			least = n
		}
	}
	return least, nil
}
