package reproduce

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"gpureplay/internal/durable"
	"gpureplay/internal/workers"
	"gpureplay/model"
	"gpureplay/model/host"
	"gpureplay/policies"
	"gpureplay/replay"
	"gpureplay/samples"
	"gpureplay/trace/container"
)

// Options say how much of a paper is run, and how.
type Options struct {
	Quick   bool     // only the workloads of the small set
	Large   bool     // also the experiments that take long
	Only    []string // experiments to run, also of those that take long; nil: all
	Data    string   // folder of real inputs; "": there are none
	Workers int      // runs at a time; 0: as many as there are processors

	// Done is told after each run, in no fixed order and never twice at a time;
	// may be nil.
	Done func(done, total int, name string)
}

// Outcome has the results of a paper's experiments.
type Outcome struct {
	Tables     []Table  // of the experiments
	Published  Table    // the published figures beside ours, of the experiments that ran
	Missing    []string // workloads left out because their real input is not at hand
	Violations []string // of the auditor, in the order of the runs
	Times      []string // of each table how long the runs of its rows took, those that it shares with another table too
}

// Run runs the experiments of a paper. Equal options give an equal outcome, however many runs go on at a time.
// Traces are made in a temporary folder. It returns an error if an experiment is unknown, or if a run fails.
func Run(ctx context.Context, p *Paper, opt Options) (*Outcome, error) {
	all, err := newPlan(p, &opt)
	if err != nil {
		return nil, err
	}
	dir, done, err := durable.TempDir("", "reproduce")
	if err != nil {
		return nil, err
	}
	defer done()
	if err := all.execute(ctx, dir, &opt); err != nil {
		return nil, err
	}
	return all.outcome(p)
}

// execute does the runs on all workers.
func (p *plan) execute(ctx context.Context, dir string, opt *Options) error {
	pool := workers.Pool{Workers: opt.Workers, Done: opt.Done, Name: func(i int) string { return p.units[i].name }}
	return pool.Do(ctx, len(p.units), func(ctx context.Context, i int) error {
		if err := p.units[i].run(ctx, dir, i); err != nil {
			return fmt.Errorf("%s: %w", p.units[i].name, err)
		}
		return nil
	})
}

// run makes the trace if it is not there, and replays it.
func (u *unit) run(ctx context.Context, dir string, index int) error {
	defer u.from.release()
	if err := u.from.make(ctx, filepath.Join(dir, fmt.Sprintf("%d.trace.zst", index))); err != nil {
		return err
	}
	r, err := container.Open(u.from.path)
	if err != nil {
		return err
	}
	defer r.Close()
	facts, err := policies.ProfileTrace(r, host.NotTasks)
	if err != nil || u.choice.MissingInput(facts) != "" {
		return err
	}
	job := &replay.Job{Trace: r, Name: u.from.sample, Config: u.config, Choices: []*policies.Choice{u.choice},
		Audit: u.audited}
	if u.timed {
		job.Sample, job.Sampled, job.Launched = sampleCycles, u.sampled, u.launched
	}
	if u.decided {
		u.made, job.Launched = map[string]float64{}, u.launched
	}
	if u.spread {
		u.took, job.CTAEnded = map[model.Time]float64{}, u.childEnded(r)
	}
	u.results, err = replay.Run(ctx, job)
	return err
}

// make generates the trace, once.
func (s *source) make(ctx context.Context, path string) error {
	s.once.Do(func() {
		s.path = path
		if s.err = s.write(ctx, path); s.err == nil {
			s.err = s.look()
		}
	})
	return s.err
}

func (s *source) write(ctx context.Context, path string) error {
	g, err := samples.Get(s.sample)
	if err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(f, 1<<16)
	err = g.Write(samples.Interruptible(ctx, out), s.params...)
	if err == nil {
		err = out.Flush()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// look reads the columns that describe the trace itself.
func (s *source) look() error {
	r, err := container.Open(s.path)
	if err != nil {
		return err
	}
	defer r.Close()
	if r.Program().Totals.ChildLaunches > 0 {
		s.work, err = policies.WorkloadsOf(r)
	}
	return err
}

// release removes the trace after the last run that needs it.
func (s *source) release() {
	if s.left.Add(-1) == 0 && s.path != "" {
		os.Remove(s.path)
	}
}
