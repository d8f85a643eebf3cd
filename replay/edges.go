package replay

import (
	"gpureplay/policies"
	"gpureplay/replay/table"
)

// WriteEdges writes the table edges of the job's only policy, with gains that other replays gave. It returns an error
// if the trace cannot be read, or if the table cannot be written.
func (job *Job) WriteEdges(edges []table.Edge) error {
	facts, err := policies.ProfileTrace(job.Trace, job.AsTasks)
	if err != nil {
		return err
	}
	if job, err = job.completed(facts); err != nil {
		return err
	}
	c := job.Choices[0]
	_, cfg, err := c.Build(job.Config)
	if err != nil {
		return err
	}
	r, err := job.resultOf(c, Variant{}, cfg)
	if err != nil {
		return err
	}
	out := *job.Output
	out.Tables = []string{"edges"}
	job.Output = &out
	set, err := job.open(c, r, cfg, nil)
	if err != nil {
		return err
	}
	defer set.Abort()
	for i := range edges {
		set.Edge(&edges[i])
	}
	return r.commit(set, false)
}
