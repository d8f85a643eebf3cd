package replay

import (
	"math"
	"time"

	"gpureplay/policies"
)

// The speeds behind an estimate: instructions a second of one core of a shared virtual machine, as README's table
// has them for programs with children, and CTAs a second that do nothing. A program that misses all caches takes
// seven times as long.
const (
	instsPerSecond = 4e6
	ctasPerSecond  = 1e6
)

// Estimate is how long a job may take, before it begins.
type Estimate struct {
	Insts, CTAs uint64 // of one run
	Runs        int
	Time        time.Duration // of all, at the speeds above
}

func (job *Job) estimate(f *policies.TraceProfile) Estimate {
	e := Estimate{Insts: job.Trace.Program().Totals.WarpInsts, CTAs: f.Grids,
		Runs: len(job.Choices) * max(1, len(job.Variants))}
	side := min(max(job.Jobs, 1), e.Runs)
	rounds := (e.Runs + side - 1) / max(side, 1)
	s := float64(e.Insts)/instsPerSecond + float64(e.CTAs)/ctasPerSecond
	if end := float64(job.MaxCycles); end > 0 {
		s = min(s, end/ctasPerSecond) // a cycle places a CTA; most take less
	}
	e.Time = time.Duration(min(s*float64(rounds), math.MaxInt64/1e10) * float64(time.Second))
	return e
}

// Effort is the cost of a run under a policy, over its cost under serial. Policies whose kernels overlap execute
// 1.3 to 1.5 times the host instructions, with exact sets 1.4 to 1.8 times. Where nested work is done in its
// parents' lanes it is 1.2 to 5 times cdp's (HSP, the stencil, BFS and the join at their default sizes).
func Effort(c *policies.Choice) float64 {
	switch {
	case c.Policy.Launch == "inline":
		return 2
	case c.Policy.Dependency != "barrier":
		return 1.5
	}
	return 1
}
