package replay

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"gpureplay/internal/workers"
	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/policies"
	"gpureplay/replay/approx"
	"gpureplay/replay/table"
	"gpureplay/trace/container"
)

// Job is the work of one call: one trace under several policies on one machine.
type Job struct {
	Trace    *container.Reader
	Name     string // of the trace, as it stands in the tables
	Config   *hardware.Config
	Preset   *hardware.Config // the named preset before settings; nil: Config itself
	Choices  []*policies.Choice
	Baseline string       // label of the choice that speed-ups refer to, and that runs first; "": the first
	Alone    bool         // there is no baseline among these runs
	Sample   model.Time   // width of a timeline window in cycles; 0: none; model.SampleAuto
	Output   *Output      // nil: no tables
	Variants []Variant    // of the machine; nil: as it is
	AsTasks  host.AsTasks // whether launches are run as narrow tasks
	Storage  *Storage     // assumed file accesses; nil: as in the trace
	Part     []string     // the replayed part of the trace, as words of the run's key (max_cycles=N); nil: all
	Jobs     int          // runs at once; 0: one
	// Approximate is a relative error: kernels that repeat each other within it are not all simulated; 0: all are.
	// Seed places the checks.
	Approximate float64
	Seed        uint64
	MaxCycles   model.Time // a run ends there, incomplete; 0: at its end
	Audit       bool
	Timing      *host.Timing       // of the host and its copies; nil: as recorded where the trace has it
	Notes       []table.Diagnostic // that every run has, beside its warnings
	recorded    int64              // the span of a capture, ns
	noCalls     bool               // the capture has no calls of the host
	Estimated   func(e Estimate)   // called before all runs; may be nil
	// called before a run; may be nil. One call at a time, as of those that follow
	Started  func(label string)
	Finished func(label string, r *Result) // called after it, also of one that was cut off; may be nil
	// called at the end of each window of a run, which it must not keep; may be nil
	Sampled func(*model.SampleRecord)
	// called when it is final how a request for a child ends, as Sampled; may be nil
	Launched func(*model.LaunchRecord)
	CTAEnded func(*model.CTARecord)            // called when a CTA ends, as Sampled; may be nil
	Progress func(label string, done Progress) // called about twice a second while a run goes on; may be nil
	breaks   func(*model.Policy)               // a policy on purpose, in tests of the auditor
	warnings []table.Diagnostic                // of every run
	words    []string                          // changed settings of the machine
	telling  *sync.Mutex
	claims   *table.Claims // of the runs that have not begun
}

// Output says which tables are written where.
type Output struct {
	Dir     string
	Format  string
	Tables  []string // nil: all
	Version string   // of the tool, kept in every file
	Command string   // that replays the trace, without a run's own flags; "": unknown
}

// Run replays the job's trace under each of its policies, Jobs of them at a time. The results are in the order of
// the policies. The tables of a policy appear when it has ended. An error leaves the tables of finished policies,
// and returns their results. If ctx ends, so do the runs; their results and tables are marked incomplete.
func Run(ctx context.Context, job *Job) ([]*Result, error) {
	if job.Audit && job.Approximate > 0 {
		return nil, errors.New("the audit follows every CTA, and --approximate leaves some out: drop one of the two")
	}
	facts, err := policies.ProfileTrace(job.Trace, job.AsTasks)
	if err != nil {
		return nil, err
	}
	order, err := job.order(facts)
	if err != nil {
		return nil, err
	}
	if job, err = job.completed(facts); err != nil {
		return nil, err
	}
	if job.Estimated != nil {
		job.Estimated(job.estimate(facts))
	}
	results, err := job.sideBySide(ctx, order)
	if !job.Alone {
		Compare(results, order[0].Label)
	}
	return results, err
}

// Compare sets the speed-up of each result over the policy of that name on the
// same trace, machine and settings, where it ran to its end; others have none.
func Compare(results []*Result, baseline string) {
	type group struct{ trace, gpu, set string }
	cycles := map[group]model.Time{}
	for _, r := range results {
		if r.Policy == baseline && !r.Run.Incomplete {
			cycles[group{r.Trace, r.GPU, r.Set}] = r.Run.Cycles
		}
	}
	for _, r := range results {
		r.Baseline, r.Speedup = "", math.NaN()
		if base, ok := cycles[group{r.Trace, r.GPU, r.Set}]; ok && r.Run.Cycles > 0 && !r.Run.Incomplete {
			r.Baseline, r.Speedup = baseline, float64(base)/float64(r.Run.Cycles)
		}
	}
}

// completed returns the job with the defaults of its trace.
func (job *Job) completed(facts *policies.TraceProfile) (*Job, error) {
	full := *job
	if facts.Starts > 0 {
		times, err := host.ReadCapture(job.Trace)
		if err != nil {
			return nil, err
		}
		full.recorded, full.noCalls = max(0, times.SpanNs()), facts.Calls == 0
	}
	if job.Timing == nil {
		timing := TimingOf(facts)
		full.Timing = &timing
	}
	full.warnings, full.telling, full.words = append(facts.Diagnostics(), job.Notes...), &sync.Mutex{},
		job.machineSettings()
	return &full, nil
}

// TimingOf is where the times of the host and of copies come from by default: from
// the capture, where it has them.
func TimingOf(f *policies.TraceProfile) host.Timing {
	var t host.Timing
	if f.Calls > 0 {
		t.Host = host.TimesRecorded
	}
	if f.Starts > 0 {
		t.Copies = host.CopiesRecorded
	}
	return t
}

// order returns the choices with the baseline first, or says which of them the
// trace cannot feed.
func (job *Job) order(f *policies.TraceProfile) ([]*policies.Choice, error) {
	all := append([]*policies.Choice{}, job.Choices...)
	for _, c := range all {
		if why := c.MissingInput(f); why != "" {
			return nil, fmt.Errorf("policy %s does not apply to %s: %s", c.Label, job.Name, why)
		}
	}
	if job.Baseline == "" {
		return all, nil
	}
	var labels []string
	for i, c := range all {
		if c.Label == job.Baseline {
			return append([]*policies.Choice{c}, append(all[:i:i], all[i+1:]...)...), nil
		}
		labels = append(labels, c.Label)
	}
	return nil, fmt.Errorf("--baseline=%s is not one of the policies of this run (%s)", job.Baseline,
		strings.Join(labels, ", "))
}

// one replays the trace under one policy and writes its tables.
func (job *Job) one(ctx context.Context, c *policies.Choice, v Variant) (*Result, error) {
	machine := *job.Config
	if v.Apply != nil {
		v.Apply(&machine)
	}
	policy, cfg, err := c.Build(&machine)
	if err != nil {
		return nil, err
	}
	r, err := job.resultOf(c, v, cfg)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	set, err := job.open(c, r, cfg, func(err error) { stop(err) })
	if err != nil {
		return nil, err
	}
	defer set.Abort()
	watch := newWatcher(set.Observer(), job, cfg)
	began, unpacked := time.Now(), job.Trace.Unpacked()
	if job.breaks != nil {
		job.breaks(policy)
	}
	observer, err := job.observer(watch, c, policy, cfg)
	if err != nil {
		return nil, err
	}
	sampler, whole, err := job.sampler(policy)
	if err != nil {
		return nil, err
	}
	m, err := job.machine(r, policy, cfg, observer, set.Samples(), sampler)
	if err != nil {
		return nil, err
	}
	sum, err := m.Run(ctx)
	if set.Err() != nil { // a full disk ended the run
		return nil, set.Err()
	}
	if err != nil && (ctx.Err() == nil || sum == nil) {
		return nil, err
	}
	cut := err
	job.fill(&r.Run, c, cfg, sum, watch)
	watch.tell(r)
	r.sampled(sampler, whole, job.Trace.Program().Functions)
	r.Performance = measured(sum, time.Since(began), job.Trace.Unpacked()-unpacked)
	if watch.audit != nil && !sum.Cut {
		r.Violations = watch.audit.Finish(sum)
	}
	if err := job.finish(set, r, c, v, cfg); err != nil {
		return nil, err
	}
	return r, cut
}

// machine builds the machine of a run; samples: a table takes windows of its timeline.
func (job *Job) machine(r *Result, policy *model.Policy, cfg *hardware.Config, observer model.Observer,
	samples bool, sampler *approx.Program) (*model.Machine, error) {
	window := job.Sample
	if !samples && job.Sampled == nil {
		window = 0
	}
	opt := model.Options{
		Config: cfg, Policy: policy, Observer: observer, Captured: CapturedOn(job.Trace),
		Sample: window, Timing: *job.Timing, FastForward: !job.Audit, AsTasks: job.AsTasks, MaxCycles: job.MaxCycles,
		Tick: job.ticker(r.label(), cfg.Clock.CoreMHz),
	}
	if sampler != nil {
		opt.Sampler, opt.Waves = sampler.Kernels, sampler.Waves
	}
	return model.New(job.Trace, opt)
}

// finish fills the tables of a run and gives them their names. It returns the first error of writing them.
func (job *Job) finish(set *table.Set, r *Result, c *policies.Choice, v Variant, cfg *hardware.Config) error {
	if err := job.write(set, r, c, v, cfg); err != nil {
		return err
	}
	return r.commit(set, r.Run.Incomplete)
}

// commit gives the tables of a run their names.
func (r *Result) commit(set *table.Set, cut bool) error {
	if cut {
		set.Incomplete()
	}
	err := set.Commit()
	r.Output = set.Outcome()
	return err
}

// resultOf opens the result of a run, with the warnings that are known before it.
func (job *Job) resultOf(c *policies.Choice, v Variant, cfg *hardware.Config) (*Result, error) {
	r := &Result{
		Trace: job.Name, GPU: job.Config.Name, Set: job.set(v), Policy: c.Label, RecordedNs: job.recorded,
		NoCalls:  job.noCalls,
		Warnings: job.warnings, Speedup: math.NaN(), Machine: cfg,
	}
	large, err := tooLarge(job.Trace, cfg)
	if large.Count > 0 {
		r.Warnings = append(slices.Clone(r.Warnings), large)
	}
	return r, err
}

// open opens the tables of one policy; without output there are none, and every
// call on them does nothing.
func (job *Job) open(c *policies.Choice, r *Result, cfg *hardware.Config, stop func(error)) (*table.Set, error) {
	opt := table.Options{Trace: r.Trace, GPU: r.GPU, Set: r.Set, Policy: r.Policy, ClockMHz: cfg.Clock.CoreMHz,
		Tables: []string{}, Behind: workers.Spare, Claims: job.claims, Failed: stop}
	if o := job.Output; o != nil {
		opt.Dir, opt.Format, opt.Tables = o.Dir, o.Format, o.Tables
		opt.Metadata = []table.KeyValue{
			{Key: "tool_version", Value: o.Version},
			{Key: "command", Value: job.command(c)},
			{Key: "trace_hash", Value: job.Trace.Hash()},
			{Key: "policy_settings", Value: strings.Join(c.Settings(), " ")},
			{Key: "seed", Value: seed(c)},
			{Key: "fidelity", Value: job.Trace.Program().Meta.Fidelity.String()},
			{Key: "configuration", Value: cfg.TOML()},
		}
		if job.AsTasks != host.NotTasks {
			opt.Metadata = append(opt.Metadata, table.KeyValue{Key: "as_tasks", Value: job.AsTasks.String()},
				table.KeyValue{Key: "assumption", Value: job.AsTasks.Assumption()})
		}
		if job.Storage != nil {
			opt.Metadata = append(opt.Metadata, table.KeyValue{Key: "io", Value: "storage"},
				table.KeyValue{Key: "io_assumption", Value: job.Storage.Assumption()})
		}
	}
	return table.Open(opt)
}

// fill makes the row of the table runs.
func (job *Job) fill(run *table.Run, c *policies.Choice, cfg *hardware.Config, sum *model.Summary, w *watcher) {
	*run = table.Run{
		Baselines: strings.Join(c.Policy.Baselines, ","), Fidelity: job.Trace.Program().Meta.Fidelity, Summary: *sum,
		Incomplete: sum.Cut,
		MaxWarps:   cfg.SM.MaxWarps, RecordedNs: job.recorded, WaitingMean: math.NaN(),
		WaitingP50: model.Unset, WaitingP95: model.Unset, WaitingP99: model.Unset,
	}
	w.waiting.fill(run)
	w.latencies(run)
}

func measured(sum *model.Summary, wall time.Duration, unpacked uint64) table.Performance {
	s := max(wall.Seconds(), 1e-9)
	p := table.Performance{
		WallSeconds: s, EventsPerSecond: float64(sum.Events) / s, WarpInstsPerSec: float64(sum.WarpInsts) / s,
		DecodeMBPerSecond: float64(unpacked) / 1e6 / s, PeakRSSBytes: int64(peakRSS()),
	}
	for _, m := range sum.Memory {
		switch {
		case m.Index >= 0: // a part of a sum that is there too
		case m.Level == "l1":
			p.L1SectorsPerSec = float64(m.Hits) / s
		case m.Level == "l2":
			p.L2SectorsPerSec = float64(m.Accesses) / s
		}
	}
	return p
}

// write puts the figures of the whole run into the tables.
func (job *Job) write(set *table.Set, r *Result, c *policies.Choice, v Variant, cfg *hardware.Config) error {
	set.Run(&r.Run)
	if o := job.Output; o != nil {
		set.Machine(&table.Machine{Config: cfg, TraceHash: job.Trace.Hash(), Tool: o.Version, Command: job.command(c)})
		if set.Settings() {
			for _, x := range job.settings(c, v, cfg) {
				set.Setting(&x)
			}
		}
	}
	set.Performance(&r.Performance)
	for i := range r.classes {
		set.Class(&r.classes[i])
	}
	for i := range r.Run.Memory {
		set.Memory(&r.Run.Memory[i])
	}
	for i := range job.Trace.Program().Diagnostics {
		set.Diagnostic(&job.Trace.Program().Diagnostics[i])
	}
	for i := range r.Warnings {
		set.Diagnostic(&r.Warnings[i])
	}
	for i := range r.Violations {
		set.Audit(&r.Violations[i])
	}
	if !set.Calls() || job.recorded == 0 {
		return nil
	}
	return eachCall(job.Trace, set.Call)
}

// between lets the machine of a run go before the next one is made, where it is
// large: the memory of both would be there until a collection is due.
func between() {
	var gc debug.GCStats
	if debug.ReadGCStats(&gc); gc.NumGC == 0 {
		return // it is small; to measure it would cost a short run a tenth of its page faults
	}
	var m runtime.MemStats
	if runtime.ReadMemStats(&m); m.HeapAlloc > 128<<20 {
		runtime.GC()
	}
}

// peakRSS returns the largest memory of the process so far, in bytes; 0 where
// the system does not tell.
func peakRSS() uint64 {
	if rss := systemPeakRSS(); rss > 0 {
		return rss
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys
}
