package replay

import (
	"fmt"

	"gpureplay/model"
	"gpureplay/model/host"
	"gpureplay/replay/approx"
	"gpureplay/replay/table"
	"gpureplay/trace"
	"gpureplay/trace/container"
)

// Sampling tells about the kernels of a run that were not simulated.
type Sampling struct {
	Skipped    uint64  // kernels
	Waves      uint64  // of CTAs, of other kernels
	HalfCycles float64 // half the width of the 95 % interval of the run's cycles
	WholeSince string  // why all kernels were simulated; "": not all were
}

// sampler returns the sampler of a run under a policy; nil: all kernels are simulated, for the reason given.
func (job *Job) sampler(p *model.Policy) (s *approx.Program, whole string, err error) {
	if job.Approximate == 0 {
		return nil, "", nil
	}
	t := &job.Trace.Program().Totals
	switch {
	case job.Trace.Program().Meta.Fidelity != trace.FidelityWarp:
		return nil, "the trace has no instructions, and replays in little time", nil
	case p.Dependency != nil:
		return nil, "the policy lets kernels overlap by pages or CTAs", nil
	case p.Tasks != nil || job.AsTasks != host.NotTasks:
		return nil, "tasks run side by side", nil
	case t.ChildLaunches > 0:
		return nil, "kernels launch others", nil
	}
	if several, err := severalStreams(job.Trace); err != nil || several && !p.Host.Serial() {
		return nil, "kernels of several streams run side by side", err
	}
	paths, err := job.Trace.PathHashes()
	if err != nil {
		return nil, "", err
	}
	return approx.New(job.Approximate, job.Seed, paths), "", nil
}

// severalStreams reports whether the program launches into more than one stream.
func severalStreams(r *container.Reader) (bool, error) {
	seen, first := false, uint64(0)
	for op, err := range trace.Each(r.HostOps()) {
		if err != nil {
			return false, err
		}
		if op.Kind != trace.OpLaunch {
			continue
		}
		if seen && op.Stream != first {
			return true, nil
		}
		seen, first = true, op.Stream
	}
	return false, nil
}

// sampled notes the kernels and waves that a run did not simulate.
func (r *Result) sampled(s *approx.Program, whole string, functions []trace.Function) {
	if s == nil {
		if whole != "" {
			r.Sampling = &Sampling{WholeSince: whole}
		}
		return
	}
	r.Sampling = &Sampling{HalfCycles: s.Half()}
	r.Sampling.Skipped = r.addClasses("kernel", s.Kernels, functions)
	r.Sampling.Waves = r.addClasses("wave", s.Waves, functions)
	if r.Sampling.Skipped+r.Sampling.Waves == 0 {
		r.Sampling.WholeSince = "no kernels repeat each other often enough"
	}
	r.Run.Extra = append(r.Run.Extra, model.Metric{Name: "sampled_kernels", Value: float64(r.Sampling.Skipped)},
		model.Metric{Name: "sampled_waves", Value: float64(r.Sampling.Waves)},
		model.Metric{Name: "sampled_half_interval_cycles", Value: r.Sampling.HalfCycles})
}

// addClasses makes rows of the classes of kernels or waves, and returns how many of these were skipped.
func (r *Result) addClasses(unit string, s *approx.Sampler, functions []trace.Function) (skipped uint64) {
	for _, c := range s.Classes() {
		skipped += c.Skipped
		spread, _ := s.Spread(c)
		r.classes = append(r.classes, table.Class{
			Unit: unit, Function: functions[c.Function].Name, Grid: c.Grid, Block: c.Block, WarpInsts: c.WarpInsts,
			Simulated: c.Simulated, Skipped: c.Skipped, Checks: c.Checks, Failed: c.Failed, MeanCycles: c.Mean,
			Spread: spread, SkippedCycles: c.SkippedCycles,
		})
	}
	return skipped
}

// describe is the sentence of the summary.
func (s *Sampling) describe(cycles model.Time, kernels uint64) string {
	if s.WholeSince != "" {
		return "not sampled: " + s.WholeSince
	}
	what := fmt.Sprintf("%d of %d kernels", s.Skipped, kernels)
	if s.Waves > 0 {
		what += fmt.Sprintf(" and %d waves of CTAs", s.Waves)
	}
	return fmt.Sprintf("sampled: %s were not simulated; the cycles are within %.2f %% (95 %%), table classes", what,
		100*s.HalfCycles/float64(max(1, cycles)))
}

// SamplingNote is a sentence about the kernels of a run that were not simulated; "": the run was not asked to skip any.
func (r *Result) SamplingNote() string {
	if r.Sampling == nil {
		return ""
	}
	return r.Sampling.describe(r.Run.Cycles, r.Run.Kernels)
}
