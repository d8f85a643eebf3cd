package replay

import (
	"context"

	"gpureplay/policies"
)

// all replays the trace under one choice. A search is several runs, with tables of
// their own; the last result is that of the choice, as of every other.
func (job *Job) all(ctx context.Context, c *policies.Choice, v Variant) ([]*Result, error) {
	if !c.Searches() {
		r, err := job.one(ctx, c, v)
		if r == nil {
			return nil, err
		}
		return []*Result{r}, err
	}
	tries, err := c.Tries(job.Trace)
	if err != nil {
		return nil, err
	}
	var results []*Result
	best := 0
	for i, try := range tries {
		r, err := job.one(ctx, try, v)
		if r != nil {
			results = append(results, r)
		}
		if err != nil {
			return results, err
		}
		if r.Run.Cycles <= results[best].Run.Cycles { // of equals, the one that launches less
			best = i
		}
	}
	r, err := job.one(ctx, tries[best].As(c.Label), v)
	if r != nil {
		results = append(results, r)
	}
	return results, err
}
