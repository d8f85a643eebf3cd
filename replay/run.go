package replay

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"runtime/metrics"
	"strings"
	"time"

	"gpureplay/model"
	"gpureplay/policies"
	"gpureplay/replay/table"
	"gpureplay/trace"
)

// Job is what one call replays: one trace under several policies on one
// machine.
type Job struct {
	Trace    *trace.Reader
	Name     string // of the trace, as it stands in the tables
	Config   *model.Config
	Choices  []*policies.Choice
	Baseline string        // label of the choice that speedups refer to; "": the first
	Alone    bool          // there is no baseline: what these runs are compared with is not among them
	Sample   model.Time    // width of a timeline window in cycles; 0: none; model.SampleAuto
	Output   *Output       // nil: no tables
	Variants []Variant     // of the machine; nil: as it is
	AsTasks  model.AsTasks // whether launches are run as narrow tasks
	Audit    bool
	Started  func(label string)            // called before a policy runs; may be nil
	Finished func(label string, r *Result) // called after it; may be nil
	fault    model.Fault                   // of the scoreboard, in tests of the auditor
	warnings []table.Diagnostic            // of every run
}

// Output says which tables are written where.
type Output struct {
	Dir     string
	Format  string
	Tables  []string // nil: all
	Version string   // of the tool, kept in every file
}

// Result is what one policy came to.
type Result struct {
	Trace       string // its name in the tables
	Policy      string // as it was asked for
	Run         table.Run
	Performance table.Performance
	Violations  []table.Audit
	Warnings    []table.Diagnostic          // of the run, beside the trace's own
	Stages      [model.NumStages]model.Time // sum of the intervals of each stage, cycles; they may overlap
	clockMHz    float64
}

// Run replays the job's trace under each of its policies in turn. The tables of
// a policy appear when it has ended; an error leaves those of the policies
// before it.
func Run(ctx context.Context, job *Job) ([]*Result, error) {
	facts, err := policies.FactsOf(job.Trace, job.AsTasks)
	if err != nil {
		return nil, err
	}
	order, err := job.order(facts)
	if err != nil {
		return nil, err
	}
	warned := *job
	warned.warnings = facts.Diagnostics()
	job = &warned
	var results []*Result
	variants := job.Variants
	if len(variants) == 0 {
		variants = []Variant{{}}
	}
	for _, v := range variants {
		var baseline model.Time
		against := order[0].Label + v.Suffix
		if job.Alone {
			against = ""
		}
		for i, c := range order {
			label := c.Label + v.Suffix
			if job.Started != nil {
				job.Started(label)
			}
			rs, err := job.all(ctx, c, v, baseline, against)
			between()
			if err != nil {
				return results, fmt.Errorf("policy %s: %w", label, err)
			}
			r := rs[len(rs)-1]
			if i == 0 {
				baseline = r.Run.Cycles
			}
			results = append(results, rs...)
			if job.Finished != nil {
				job.Finished(label, r)
			}
		}
	}
	return results, nil
}

// order returns the choices with the baseline first, or says which of them the
// trace cannot feed.
func (job *Job) order(f *policies.Facts) ([]*policies.Choice, error) {
	all := append([]*policies.Choice{}, job.Choices...)
	for _, c := range all {
		if why := c.Lacks(f); why != "" {
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
	return nil, fmt.Errorf("--baseline=%s is not one of the policies of this run (%s)", job.Baseline, strings.Join(labels, ", "))
}

// one replays the trace under one policy and writes its tables.
func (job *Job) one(ctx context.Context, c *policies.Choice, v Variant, baseline model.Time, against string) (*Result, error) {
	machine := *job.Config
	if v.Apply != nil {
		v.Apply(&machine)
	}
	policy, cfg, err := c.Build(&machine)
	if err != nil {
		return nil, err
	}
	label := c.Label + v.Suffix
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	set, err := job.open(c, label, cfg, stop)
	if err != nil {
		return nil, err
	}
	watch := &watcher{inner: set.Observer()}
	began, unpacked := time.Now(), job.Trace.Unpacked()
	observer, err := job.observer(watch, policy, cfg)
	if err != nil {
		set.Abort()
		return nil, err
	}
	window := job.Sample
	if !set.Samples() {
		window = 0
	}
	m, err := model.New(job.Trace, model.Options{Config: cfg, Policy: policy, Observer: observer, Captured: capturedOn(job.Trace), Sample: window, AsTasks: job.AsTasks, Fault: job.fault})
	if err != nil {
		set.Abort()
		return nil, err
	}
	sum, err := m.Run(ctx)
	if set.Err() != nil { // a full disk ended the run
		err = set.Err()
	}
	if err != nil {
		set.Abort()
		return nil, err
	}
	r := &Result{Trace: job.Name, Policy: label, Warnings: job.warnings, clockMHz: cfg.Clock.CoreMHz}
	job.fill(&r.Run, cfg, sum, baseline, against, watch)
	r.Stages = watch.stages
	r.Performance = measured(sum, time.Since(began), job.Trace.Unpacked()-unpacked)
	if watch.audit != nil {
		r.Violations = watch.audit.finish(sum)
	}
	job.write(set, r)
	return r, set.Commit()
}

// observer returns what watches a run: with an auditor if the job asks for one,
// which is told of every access where kernels overlap.
func (job *Job) observer(w *watcher, p *model.Policy, cfg *model.Config) (model.Observer, error) {
	if !job.Audit {
		return w, nil
	}
	var err error
	if w.audit, err = newAuditor(job.Trace, cfg, p.Dependency != nil, p.Tasks, job.AsTasks); err != nil {
		return nil, err
	}
	w.audit.entries = p.AGT
	w.audit.timed = p.Host == model.HostCaptured
	if w.audit.hazards != nil {
		return accessWatcher{w}, nil
	}
	return w, nil
}

// Row is one row as a program reads it: a value per column, nil where the table
// has NULL.
func (r *Result) Row() (map[string]any, error) {
	m := map[string]any{"trace": r.Trace, "policy": r.Policy}
	cells, err := table.RunRow(&r.Run, r.clockMHz)
	if err != nil {
		return nil, err
	}
	more, err := table.PerformanceRow(&r.Performance)
	for _, c := range append(cells, more...) {
		m[c.Column] = c.Value
	}
	return m, err
}

// open opens the tables of one policy; without output there are none, and every
// call on them does nothing.
func (job *Job) open(c *policies.Choice, label string, cfg *model.Config, stop func()) (*table.Set, error) {
	opt := table.Options{Trace: job.Name, Policy: label, ClockMHz: cfg.Clock.CoreMHz, Tables: []string{}, Failed: func(error) { stop() }}
	if o := job.Output; o != nil {
		opt.Dir, opt.Format, opt.Tables = o.Dir, o.Format, o.Tables
		opt.Metadata = []table.KeyValue{
			{Key: "tool_version", Value: o.Version},
			{Key: "trace_hash", Value: job.Trace.Hash()},
			{Key: "policy_settings", Value: strings.Join(c.Settings(), " ")},
			{Key: "fidelity", Value: job.Trace.Program().Meta.Fidelity.String()},
			{Key: "configuration", Value: cfg.TOML()},
		}
		if job.AsTasks != model.NotTasks {
			opt.Metadata = append(opt.Metadata, table.KeyValue{Key: "as_tasks", Value: job.AsTasks.String()}, table.KeyValue{Key: "assumption", Value: job.AsTasks.Assumption()})
		}
	}
	return table.Open(opt)
}

// fill makes the row of the table runs.
func (job *Job) fill(run *table.Run, cfg *model.Config, sum *model.Summary, baseline model.Time, label string, w *watcher) {
	*run = table.Run{
		GPU: cfg.Name, Baseline: label, Fidelity: job.Trace.Program().Meta.Fidelity, Summary: *sum,
		MaxWarps: cfg.SM.MaxWarps, Speedup: 1, WaitingMean: math.NaN(),
		WaitingP50: model.Unset, WaitingP95: model.Unset, WaitingP99: model.Unset,
	}
	switch {
	case job.Alone:
		run.Speedup = math.NaN()
	case baseline > 0 && sum.Cycles > 0:
		run.Speedup = float64(baseline) / float64(sum.Cycles)
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

// write puts what is known at the end into the tables.
func (job *Job) write(set *table.Set, r *Result) {
	set.Run(&r.Run)
	set.Performance(&r.Performance)
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
}

// between lets the machine of a run go before the next one is made, where it is
// large: the memory of both would be there until a collection is due.
func between() {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	if metrics.Read(s); s[0].Value.Uint64() > 128<<20 {
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
