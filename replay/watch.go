package replay

import (
	"slices"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/policies"
	"gpureplay/replay/audit"
	"gpureplay/replay/table"
)

// watcher hands every record to the tables and to the auditors, and keeps the
// waiting times of child launches.
type watcher struct {
	model.Observers // the auditor and the policy's own, where the job is audited

	inner   model.Observer
	audit   *audit.Auditor
	waiting waiting
	latency waiting // of narrow tasks
	stages  [model.NumStages]model.Time
	job     *Job // whose functions are told

	clock PartsWatch // when kernels ran and copies went on

	kernels uint64 // of the host, that have ended
	stream  uint64 // of the last of them
	several bool   // they are in several streams
}

func newWatcher(inner model.Observer, job *Job, cfg *hardware.Config) *watcher {
	return &watcher{inner: inner, job: job, clock: PartsWatch{Latency: model.Time(cfg.Host.LaunchLatency)}}
}

// tell gives a result the times that were watched.
func (w *watcher) tell(r *Result) {
	r.Parts, r.Stages, r.OneStream = w.clock.Parts(r.Run.Cycles), w.stages, !w.several
}

func (w *watcher) Kernel(r *model.KernelRecord) {
	w.inner.Kernel(r)
	w.clock.Kernel(r)
	if !r.Device {
		w.several = w.several || w.kernels > 0 && r.Stream != w.stream
		w.kernels, w.stream = w.kernels+1, r.Stream
	}
	w.Observers.Kernel(r)
}

func (w *watcher) CTA(r *model.CTARecord) {
	if !r.Held { // of others there is nothing to tell
		w.inner.CTA(r)
		if w.job.CTAEnded != nil {
			w.job.CTAEnded(r)
		}
	}
	w.Observers.CTA(r)
}

func (w *watcher) Stage(r *model.StageRecord) {
	w.inner.Stage(r)
	w.clock.Stage(r)
	w.stages[r.Stage] += r.End - r.Start
	w.Observers.Stage(r)
}

func (w *watcher) Launch(r *model.LaunchRecord) {
	w.inner.Launch(r)
	w.waiting.add(r)
	if w.job.Launched != nil {
		w.job.Launched(r)
	}
	w.Observers.Launch(r)
}

func (w *watcher) Page(r *model.PageRecord) {
	w.inner.Page(r)
	w.Observers.Page(r)
}

func (w *watcher) Task(r *model.TaskRecord) {
	w.inner.Task(r)
	w.latency.note(r.Back - r.Spawn)
	w.Observers.Task(r)
}

func (w *watcher) Sample(r *model.SampleRecord) {
	w.inner.Sample(r)
	if w.job.Sampled != nil {
		w.job.Sampled(r)
	}
}

// waiting counts waiting times, launch call to first CTA, exactly: a run has few
// distinct ones for the number of its launches.
type waiting struct {
	counts map[model.Time]uint64
	total  uint64
	sum    float64
}

func (w *waiting) add(r *model.LaunchRecord) {
	if r.FirstCTA != model.Unset {
		w.note(r.FirstCTA - r.Time)
	}
}

// note counts one time.
func (w *waiting) note(d model.Time) {
	if w.counts == nil {
		w.counts = make(map[model.Time]uint64)
	}
	w.sum += float64(d)
	if len(w.counts) > maxDistinct { // coarser, and still bounded: the top 12 bits count
		d = coarse(d)
	}
	w.counts[d]++
	w.total++
}

// maxDistinct bounds the memory of the percentiles.
const maxDistinct = 1 << 20

func coarse(d model.Time) model.Time {
	shift := 0
	for d>>shift >= 1<<12 {
		shift++
	}
	return d >> shift << shift
}

func (w *waiting) fill(run *table.Run) {
	if w.total == 0 {
		return
	}
	run.WaitingMean = w.sum / float64(w.total)
	at := w.percentiles(0.5, 0.95, 0.99)
	run.WaitingP50, run.WaitingP95, run.WaitingP99 = at[0], at[1], at[2]
}

// percentiles returns the times below which shares of all are, ascending; each share is below 1.
func (w *waiting) percentiles(shares ...float64) []model.Time {
	times := make([]model.Time, 0, len(w.counts))
	for t := range w.counts {
		times = append(times, t)
	}
	slices.Sort(times)
	var all []model.Time
	i, seen := 0, uint64(0)
	for _, q := range shares {
		need := uint64(float64(q*float64(w.total)) + 0.999999)
		for seen+w.counts[times[i]] < need {
			seen += w.counts[times[i]]
			i++
		}
		all = append(all, times[i])
	}
	return all
}

// latencies adds the latencies of narrow tasks, from spawn to output back, to the
// figures of the run.
func (w *watcher) latencies(run *table.Run) {
	l := &w.latency
	if l.total == 0 {
		return
	}
	at := l.percentiles(0.5, 0.95, 0.99)
	run.Extra = append(run.Extra, model.Metric{Name: "task_latency_mean_cycles", Value: l.sum / float64(l.total)})
	for i, name := range []string{"p50", "p95", "p99"} {
		run.Extra = append(run.Extra, model.Metric{Name: "task_latency_" + name + "_cycles", Value: float64(at[i])})
	}
}

// observer returns the observer of a run: with auditors if the job requests them.
func (job *Job) observer(w *watcher, c *policies.Choice, p *model.Policy, cfg *hardware.Config) (model.Observer,
	error) {
	if !job.Audit {
		return w, nil
	}
	var err error
	w.audit, err = audit.New(&audit.Run{
		Trace: job.Trace, Machine: cfg, Policy: p, WarpScheduler: c.WarpScheduler(cfg), AsTasks: job.AsTasks,
		CopiesAsTimed: job.Timing != nil && job.Timing.Copies == host.CopiesRecorded,
		HostAsTimed:   job.Timing != nil && job.Timing.Host == host.TimesRecorded,
		Captured:      CapturedOn(job.Trace),
	})
	if err != nil {
		return nil, err
	}
	w.Observers = w.audit.Observers()
	return w.audit.Beside(w), nil
}
