package command

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gpureplay/internal/nearest"
	"gpureplay/internal/workers"
	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/policies"
	"gpureplay/replay"
	"gpureplay/replay/table"
	"gpureplay/trace/container"
)

// replay runs the policies over the traces, one trace after another.
func (a *app) replay(cmd *cobra.Command, f *replayFlags, paths []string) error {
	if err := f.check(); err != nil {
		return err
	}
	for _, path := range paths { // before the first is replayed
		if err := table.CheckTraceName(replay.TraceName(path)); err != nil {
			return err
		}
	}
	var all []*replay.Result
	for _, path := range paths {
		results, err := a.replayOne(cmd, f, path)
		all = append(all, results...)
		if err != nil {
			return a.partial(all, err)
		}
	}
	if err := a.printRuns(all); err != nil {
		return err
	}
	if f.spread && !a.asJSON {
		a.printSpread(all)
	}
	if f.io == "storage" && !a.asJSON {
		a.printStages(all)
	}
	a.noteNext(f, all, paths)
	return violations(all)
}

// partial prints the results that were finished before an error or an interrupt, and returns the error.
func (a *app) partial(results []*replay.Result, err error) error {
	if len(results) == 0 {
		return err
	}
	var finished []string
	for _, r := range results {
		if !r.Run.Incomplete {
			finished = append(finished, r.Policy)
		}
	}
	if err := a.printRuns(results); err != nil {
		return err
	}
	if len(finished) == 0 {
		return err
	}
	return fmt.Errorf("%w (finished before: %s)", err, strings.Join(finished, ", "))
}

// replayOne replays one trace.
func (a *app) replayOne(cmd *cobra.Command, f *replayFlags, path string) ([]*replay.Result, error) {
	r, err := f.open(cmd.Context(), a, path)
	if errors.Is(err, fs.ErrNotExist) {
		var commands []string
		for _, c := range cmd.Commands() {
			commands = append(commands, c.Name())
		}
		if near := nearest.Names(path, commands, 3); len(near) > 0 {
			return nil, fmt.Errorf("%w; did you mean the command %s?", err, strings.Join(near, ", "))
		}
	}
	if err != nil {
		return nil, err
	}
	defer r.Close()
	cfg, named, err := f.machine(a, r)
	if err != nil {
		return nil, err
	}
	job := f.job(r)
	job.Config, job.Preset, job.Output.Command = cfg, named, again(cmd, path)
	if job.Name, err = a.traceName(f, r, path); err != nil {
		return nil, err
	}
	if job.AsTasks, err = f.tasks(); err != nil {
		return nil, err
	}
	if job.AsTasks != host.NotTasks {
		a.note("as tasks: %s", job.AsTasks.Assumption())
	}
	if err := f.storage(a, job); err != nil {
		return nil, err
	}
	if job.Timing, err = f.timing(r, job); err != nil {
		return nil, err
	}
	if job.Choices, err = f.choices(cmd, a, r, cfg); err != nil {
		return nil, err
	}
	if err := f.compare(a, job); err != nil {
		return nil, err
	}
	if job.Variants, err = f.variants(a, cfg); err != nil {
		return nil, err
	}
	progress := a.progress(len(job.Choices) * max(1, len(job.Variants)))
	job.Estimated = a.noteEstimate
	job.Started, job.Progress = progress.started, progress.within
	job.Finished = func(label string, r *replay.Result) {
		progress.finished(label)
		a.noteOutput(r)
	}
	results, err := replay.Run(cmd.Context(), job)
	progress.close()
	return results, err
}

// variants resolves --sensitivity and --spread; nil: the machine as it is.
func (f *replayFlags) variants(a *app, cfg *hardware.Config) ([]replay.Variant, error) {
	switch {
	case f.spread:
		all, err := replay.Spread(cfg)
		if err != nil {
			return nil, usageError{fmt.Errorf("--spread: %w", err)}
		}
		return all, nil
	case f.sensitivity == "":
		return nil, nil
	}
	all, left, err := replay.Sensitivity(f.sensitivity, cfg)
	if err != nil {
		return nil, usageError{fmt.Errorf("--sensitivity: %w", err)}
	}
	for _, l := range left {
		a.note("left out, %s", l)
	}
	return all, nil
}

// job is the job that the flags describe, without its machine and policies.
func (f *replayFlags) job(r *container.Reader) *replay.Job {
	return &replay.Job{
		Trace: r, Audit: f.audit, Sample: f.window(), MaxCycles: f.maxCycles,
		Approximate: float64(f.approximate), Seed: f.seed, Notes: f.notes, Jobs: workers.Or(int(f.jobs)),
		Output: &replay.Output{Dir: f.output, Format: f.format, Tables: f.tables, Version: version()},
	}
}

// traceName is the name of a trace in the folder of tables.
func (a *app) traceName(f *replayFlags, r *container.Reader, path string) (string, error) {
	own := replay.TraceName(path)
	name, err := table.TraceName(f.output, own, r.Hash())
	if err == nil && name != own {
		a.note("%s has runs of another trace called %s: this one's are called %s", f.output, own, name)
	}
	return name, err
}

// noteEstimate says of long runs, before they begin, about how long they take.
func (a *app) noteEstimate(e replay.Estimate) {
	if e.Time < 2*time.Minute {
		return
	}
	length := fmt.Sprintf("%.0f minutes", e.Time.Minutes())
	if e.Time > 3*time.Hour {
		length = fmt.Sprintf("%.0f hours", e.Time.Hours())
	}
	a.note("about %s, or some times that where caches miss: %s CTAs and %s warp instructions in each of %d runs; "+
		"--max-cycles=N cuts each off at a cycle",
		length, humanize.Comma(int64(min(e.CTAs, math.MaxInt64))), humanize.Comma(int64(min(e.Insts, math.MaxInt64))), e.Runs)
}

// noteOutput says which earlier files a run's commit replaced or left.
func (a *app) noteOutput(r *replay.Result) {
	if n := len(r.Output.Dropped); n > 0 {
		a.note("policy %s: another version of replay or of the trace wrote %d more tables of this run, which are "+
			"removed: %s", r.Policy, n, strings.Join(r.Output.Dropped, ", "))
	}
	if r.Output.Kept {
		a.note("policy %s: the run was cut off; the tables of the complete one stay", r.Policy)
	}
}

// compare chooses the baseline of speed-ups: --baseline, else the natural baseline of the first policy, which is
// run too, else the first policy.
func (f *replayFlags) compare(a *app, job *replay.Job) error {
	has := func(label string) bool {
		return slices.ContainsFunc(job.Choices, func(c *policies.Choice) bool { return c.Label == label })
	}
	if f.baseline != "" {
		if !has(f.baseline) {
			var names []string
			for _, c := range job.Choices {
				names = append(names, c.Label)
			}
			return usagef("--baseline=%s is not one of the policies of this run (%s)", f.baseline, strings.Join(names, ", "))
		}
		job.Baseline = f.baseline
		return nil
	}
	if f.alone {
		job.Alone = len(job.Choices) == 1
		return nil
	}
	var facts *policies.TraceProfile // read where a baseline is to be added
	var added []*policies.Choice
	for _, name := range job.Choices[0].Policy.Baselines {
		if !has(name) {
			more, err := policies.Parse(name, nil)
			if err != nil {
				return err
			}
			if facts == nil {
				if facts, err = policies.ProfileTrace(job.Trace, job.AsTasks); err != nil {
					return err
				}
			}
			if why := more[0].MissingInput(facts); why != "" {
				a.note("without %s, which %s is compared with: %s", name, job.Choices[0].Label, why)
				continue
			}
			added = append(added, more...)
		}
		job.Baseline = cmp.Or(job.Baseline, name)
	}
	if len(added) > 0 {
		var names []string
		for _, c := range added {
			names = append(names, c.Label)
		}
		a.note("with %s, which %s is compared with; --no-baseline leaves that out", strings.Join(names, " and "),
			job.Choices[0].Label)
	}
	job.Choices = append(added, job.Choices...)
	return nil
}

// unlike are flags that make no other run.
var unlike = []string{"policy", "baseline", "no-baseline", "output", "tables", "format", "quiet", "json", "jobs",
	"audit", "sensitivity", "spread"}

// again is the command that replays a trace as this one does, with a place for the policy. Flags that choose files
// and policies are left out.
func again(cmd *cobra.Command, path string) string {
	words := []string{"replay", "--no-baseline", "--policy=%s"}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains(unlike, f.Name) || policies.IsParam(f.Name) {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			words = append(words, strings.ReplaceAll("--"+f.Name+"="+v, "%", "%%"))
		}
	})
	return strings.Join(append(words, strings.ReplaceAll(filepath.Base(path), "%", "%%")), " ")
}

// storage resolves --io.
func (f *replayFlags) storage(a *app, job *replay.Job) (err error) {
	switch f.io {
	case "trace":
		return nil
	case "storage":
		if job.Storage, err = replay.AssumeStorage(job.Trace); err != nil {
			return fmt.Errorf("--io=storage: %w", err)
		}
		a.note("io: %s", job.Storage.Assumption())
		return nil
	}
	return usagef("--io=%s: want trace or storage", f.io)
}
