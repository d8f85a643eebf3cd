package measured

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gpureplay/internal/workers"
	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/policies"
	"gpureplay/replay/analyse"
	"gpureplay/samples"
	_ "gpureplay/samples/probes" // its generators make the launches
	"gpureplay/trace"
	"gpureplay/trace/container"
)

// Options choose the machine that replays the cases.
type Options struct {
	GPU     string // preset or TOML file for all cases; "": the preset of each case's tool
	Workers int    // replays at a time; 0: as many as there are processors

	// Open reads a trace, or converts a capture; the caller knows the formats. The
	// reader is closed after use.
	Open func(ctx context.Context, path string) (*container.Reader, error)

	// Done is told after each replay, never twice at a time; may be nil.
	Done func(done, total int, name string)
}

// Result is a case with its prediction.
type Result struct {
	Case
	GPU       string // preset or file
	Role      Role
	Predicted float64 // cycles: launch latency and first CTA to end, of each kernel
}

// Name says which launch it is.
func (c *Case) Name() string {
	s := fmt.Sprintf("%s %d x %d", c.Kernel, c.CTAs, c.Threads)
	if c.Iterations > 0 {
		s += fmt.Sprintf(" x %d", c.Iterations)
	}
	return s
}

// A Group is the cases of one kernel in one role on one machine.
type Group struct {
	GPU    string
	Kernel string
	Role   Role
	analyse.Figures
}

// Run replays all cases. The results come sorted by machine, kernel and size.
func Run(ctx context.Context, cases []Case, opt *Options) ([]Result, error) {
	results := make([]Result, len(cases))
	configs := map[string]*hardware.Config{}
	byTrace := map[string][]*Result{}
	for i := range cases {
		r := &results[i]
		r.Case, r.GPU = cases[i], opt.GPU
		var err error
		if r.GPU == "" {
			if r.GPU, err = cases[i].Preset(); err != nil {
				return nil, err
			}
		}
		r.Role = r.RoleOn(r.GPU)
		if configs[r.GPU] == nil {
			if configs[r.GPU], err = hardware.FindConfig(r.GPU); err != nil {
				return nil, err
			}
		}
		byTrace[r.key()] = append(byTrace[r.key()], r)
	}
	var units [][]*Result
	for _, list := range byTrace {
		units = append(units, list)
	}
	// The largest first, so that workers end together.
	slices.SortFunc(units, func(a, b []*Result) int {
		x, y := a[0], b[0]
		return cmp.Or(cmp.Compare(y.CTAs*y.Threads*max(1, y.Iterations), x.CTAs*x.Threads*max(1, x.Iterations)),
			strings.Compare(x.key(), y.key()))
	})
	if err := execute(ctx, units, configs, opt); err != nil {
		return nil, err
	}
	slices.SortFunc(results, func(a, b Result) int { return order(&a, &b) })
	return results, nil
}

// execute replays each trace for all its cases, on all workers.
func execute(ctx context.Context, units [][]*Result, configs map[string]*hardware.Config, opt *Options) error {
	pool := workers.Pool{Workers: opt.Workers, Done: opt.Done, Name: func(i int) string { return units[i][0].Name() }}
	return pool.Do(ctx, len(units), func(ctx context.Context, i int) error {
		if err := predict(ctx, units[i], configs, opt); err != nil {
			return fmt.Errorf("%s: %w", units[i][0].Where, err)
		}
		return nil
	})
}

// predict replays the trace of some cases on the machine of each.
func predict(ctx context.Context, list []*Result, configs map[string]*hardware.Config, opt *Options) error {
	r, err := list[0].open(ctx, opt)
	if err != nil {
		return err
	}
	defer r.Close()
	if r.Kernels() == 0 {
		return errors.New("the trace has no kernel")
	}
	var k trace.Kernel
	if err := r.Kernel(0, &k); err != nil {
		return err
	}
	cycles := map[string]float64{}
	for _, x := range list {
		if _, ok := cycles[x.GPU]; !ok {
			if cycles[x.GPU], err = launches(ctx, r, configs[x.GPU]); err != nil {
				return err
			}
		}
		x.Predicted = cycles[x.GPU]
		x.shape(&k)
	}
	return nil
}

// open makes or opens the trace of a case.
func (c *Case) open(ctx context.Context, opt *Options) (*container.Reader, error) {
	if c.Capture != "" {
		return opt.Open(ctx, c.Capture)
	}
	return generated(ctx, kernelOf(c.Kernel).sample, c.settings()...)
}

// generated makes the trace of a sample.
func generated(ctx context.Context, sample string, settings ...string) (*container.Reader, error) {
	g, err := samples.Get(sample)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := g.Write(samples.Interruptible(ctx, &out), settings...); err != nil {
		return nil, err
	}
	return container.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
}

// launches replays a trace with one kernel after another and returns its kernels' times, each with the latency of
// its launch.
func launches(ctx context.Context, r *container.Reader, cfg *hardware.Config) (float64, error) {
	var sum durations
	_, err := simulate(ctx, r, cfg, "serial", &sum)
	return float64(sum.cycles) + float64(sum.kernels*(cfg.Host.LaunchLatency+cfg.KMU.DispatchLatency)), err
}

// simulate replays a trace under a policy, by its name, and tells an observer.
func simulate(ctx context.Context, r *container.Reader, cfg *hardware.Config, policy string,
	to model.Observer) (*model.Summary, error) {
	choices, err := policies.Parse(policy, nil)
	if err != nil {
		return nil, err
	}
	p, machine, err := choices[0].Build(cfg)
	if err != nil {
		return nil, err
	}
	m, err := model.New(r, model.Options{Config: machine, Policy: p, Observer: to})
	if err != nil {
		return nil, err
	}
	return m.Run(ctx)
}

// durations adds up the kernels of a run.
type durations struct {
	model.Discard
	kernels int
	cycles  model.Time
}

// Kernel adds one up.
func (d *durations) Kernel(r *model.KernelRecord) {
	d.kernels++
	d.cycles += r.End - r.FirstCTA
}

// Groups sums up results: by machine, kernel and role, in that order, and then
// all that test a machine, as kernel "", if they are of several kernels.
func Groups(results []Result) []Group {
	type key struct {
		gpu, kernel string
		role        Role
	}
	rows := map[key][]analyse.Comparison{}
	for i := range results {
		r := &results[i]
		x := analyse.Comparison{Predicted: r.Predicted, Measured: r.Cycles, ErrorPct: 100 * (r.Predicted/r.Cycles - 1)}
		name := r.Kernel
		if r.Capture != "" {
			name = "captures"
		}
		rows[key{r.GPU, name, r.Role}] = append(rows[key{r.GPU, name, r.Role}], x)
		if r.Role == Tests {
			rows[key{r.GPU, "", Tests}] = append(rows[key{r.GPU, "", Tests}], x)
		}
	}
	kernelsThatTest := map[string]int{}
	for k := range rows {
		if k.kernel != "" && k.role == Tests {
			kernelsThatTest[k.gpu]++
		}
	}
	var list []Group
	for k, rows := range rows {
		if k.kernel == "" && kernelsThatTest[k.gpu] < 2 {
			continue
		}
		list = append(list, Group{GPU: k.gpu, Kernel: k.kernel, Role: k.role, Figures: analyse.FiguresOf(rows)})
	}
	slices.SortFunc(list, func(a, b Group) int {
		last := func(g *Group) int {
			if g.Kernel == "" {
				return 1
			}
			return 0
		}
		return cmp.Or(strings.Compare(a.GPU, b.GPU), last(&a)-last(&b), strings.Compare(a.Kernel, b.Kernel),
			strings.Compare(string(a.Role), string(b.Role)))
	})
	return list
}
