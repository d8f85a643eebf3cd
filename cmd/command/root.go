package command

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/policies"
	"gpureplay/replay"
	"gpureplay/replay/approx"
	"gpureplay/replay/table"
	"gpureplay/trace/container"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// replayFlags are the flags of a replay.
type replayFlags struct {
	policy      string
	baseline    string
	gpu         string
	set         []string
	output      string
	tables      []string
	format      string
	sample      int64
	audit       bool
	sensitivity string
	spread      bool
	asTasks     string
	io          string
	alone       bool
	jobs        jobs
	maxCycles   int64
	approximate approx.Share
	seed        uint64
	host        string
	copies      string
	chooser
	params map[string]*string
	notes  []table.Diagnostic // of the machine
}

// commands make the subcommands; help sorts them by name.
var commands []func(*app) *cobra.Command

// register adds a subcommand.
func register(make func(*app) *cobra.Command) { commands = append(commands, make) }

// strict makes the library's own subcommands refuse unknown names.
func strict(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Run, c.RunE = nil, func(_ *cobra.Command, args []string) error {
				of, rest, err := root.Find(args)
				if err != nil || len(rest) > 0 {
					return usagef("help: there is no command %s", strings.Join(args, " "))
				}
				return of.Help()
			}
		case "completion":
			c.Args, c.RunE = nil, func(_ *cobra.Command, args []string) error {
				return usagef("completion: want bash, fish, powershell or zsh, got %q", strings.Join(args, " "))
			}
		}
	}
}

// root is the command itself: with a trace and no subcommand it replays.
func (a *app) root() *cobra.Command {
	f := &replayFlags{params: map[string]*string{}}
	c := &cobra.Command{
		Use:   "replay [flags] TRACE...",
		Short: "replay a GPU program under other schedulers",
		Long: `replay runs a trace of a GPU program through a timing model of a GPU, once for each
scheduling policy. It prints a row for each policy, and writes every kernel, CTA, launch,
page and task as Parquet tables.

A profiler's capture may stand wherever a trace does. Its trace is kept in the user's cache;
REPLAY_CACHE names another folder, off keeps none.`,
		Example: "  replay --policy=serial,hyperq samples/vecadd.trace.zst\n" +
			"  replay --gpu=k20c --set kmu.hwqs=64 --policy=hyperq trace.zst\n" +
			"  replay --tables=runs,ctas --format=arrow --sample=1024 -o out trace.zst",
		Args:          cobra.ArbitraryArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       version(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return a.replay(cmd, f, args)
		},
	}
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return usageError{nearFlag(c, err)} })
	c.SuggestionsMinimumDistance = 2
	c.CompletionOptions.HiddenDefaultCmd = false
	p := c.PersistentFlags()
	p.BoolVar(&a.quiet, "quiet", false, "no notes and no progress, and no line about a file that was written")
	p.BoolVar(&a.asJSON, "json", false, "results as JSON: one array of rows, each with its table (replay schema rows)")
	p.BoolVar(&a.fullNames, "full-names", false,
		"whole names of device functions in tables, with namespaces, template arguments and parameters")
	f.register(c)
	completeMachine(c)
	completeReplay(c)
	for _, make := range commands {
		c.AddCommand(make(a))
	}
	if width := terminalWidth(a.out); width > 0 {
		c.SetUsageTemplate(strings.ReplaceAll(c.UsageTemplate(), ".FlagUsages", fmt.Sprintf(".FlagUsagesWrapped %d", width)))
	}
	strict(c)
	return c
}

func (f *replayFlags) register(c *cobra.Command) {
	f.registerMachine(c.Flags())
	s := c.Flags()
	s.StringVar(&f.baseline, "baseline", "", "`POLICY` that speed-ups refer to (default: the baseline of the "+
		"first policy's "+
		"paper, else the first)")
	s.BoolVar(&f.alone, "no-baseline", false, "run nothing but the policies that are named")
	f.jobs.register(s)
	s.Var(&f.approximate, "approximate", "do not simulate kernels that repeat others within this `ERROR`, such as "+
		"2%; the tables "+
		"say which, and the summary bounds the error")
	s.Uint64Var(&f.seed, "approximate-seed", 0, "`SEED` of the places of the checks of --approximate")
	s.Int64Var(&f.maxCycles, "max-cycles", 0, "cut each run off at this `CYCLE`; its tables say that it is incomplete")
	s.StringVarP(&f.output, "output", "o", "replay-out", "`DIR` of the tables")
	s.StringSliceVar(&f.tables, "tables", nil, "`TABLES` to write, separated by commas, or all (default all): "+
		strings.Join(table.Names(), ", "))
	s.StringVar(&f.format, "format", "parquet", "`FORMAT` of the tables: parquet, arrow or csv")
	s.Int64Var(&f.sample, "sample", 0, "width of a timeline window in `CYCLES`; 0: chosen so that the run has about "+
		"a thousand")
	s.StringVar(&f.asTasks, "as-tasks", "no", "run every kernel launch as a narrow task: independent, or in the "+
		"order of their streams (`ORDER` streams)")
	s.Lookup("as-tasks").NoOptDefVal = "independent"
	s.StringVar(&f.io, "io", "trace", "file accesses: `trace` (as recorded), or storage (an array's first copy "+
		"was read from storage, and results are written back)")
	s.StringVar(&f.sensitivity, "sensitivity", "",
		"run the comparison over a range of one `KEY` of the machine (x0.5, x1, x2, x4; or KEY=VALUES),\n"+
			"or of launch (the launch latency, 0 to 35,000 cycles)")
	s.BoolVar(&f.spread, "spread", false, "run the comparison five times, with launches 0 to 4 cycles later, and print "+
		"the range of its cycles")
	s.BoolVar(&f.audit, "audit", false, "check every invariant of the run; a violation is exit status 1")
}

// registerMachine declares the flags that choose the policies, the machine and the work.
func (f *replayFlags) registerMachine(s *pflag.FlagSet) {
	f.chooser.register(s)
	s.StringVar(&f.policy, "policy", "", "policies, separated by commas; `LIST` or all; overrides stand behind their "+
		"policy (hyperq,warp=lrr); default hyperq for a capture with recorded times, as its GPU ran it, else serial")
	s.StringVar(&f.gpu, "gpu", "", "`PRESET` or TOML file of the machine (default: the captured GPU)")
	s.StringVar(&f.host, "host", "", "`TIMES` of the host: recorded (calls, their delay and work between them as the "+
		"capture has them), machine or none (default recorded where the trace has calls)")
	s.StringVar(&f.copies, "copies", "", "`TIMES` of copies: recorded or machine (default recorded where the "+
		"trace has them)")
	s.StringArrayVar(&f.set, "set", nil, "override one `KEY=VALUE` of the machine: sm.count=26, l2.bytes=80MiB, "+
		"l2.bytes=x2\n"+
		"(repeatable; presets --explain KEY describes a key)")
	for _, q := range policies.Params() {
		f.params[q.Name] = s.String(q.Name, q.Default, q.Help)
		s.MarkHidden(q.Name) // replay policies NAME shows the parameters of one policy
	}
}

// window is the width of the timeline's windows.
func (f *replayFlags) window() model.Time {
	if f.sample == 0 {
		return model.SampleAuto
	}
	return model.Time(f.sample)
}

// tasks resolves --as-tasks.
func (f *replayFlags) tasks() (host.AsTasks, error) {
	as, err := host.ParseAsTasks(cmp.Or(f.asTasks, "no"))
	if err != nil {
		return as, usageError{err}
	}
	return as, nil
}

// timing resolves --host and --copies; nil: the default of the trace.
func (f *replayFlags) timing(r *container.Reader, job *replay.Job) (*host.Timing, error) {
	if f.host == "" && f.copies == "" {
		return nil, nil
	}
	facts, err := policies.ProfileTrace(r, job.AsTasks)
	if err != nil {
		return nil, err
	}
	t := replay.TimingOf(facts)
	if f.host != "" {
		i := slices.Index(host.TimeNames(), f.host)
		if i < 0 {
			return nil, usagef("--host=%s: want one of %s", f.host, strings.Join(host.TimeNames(), ", "))
		}
		if t.Host = host.Times(i); t.Host == host.TimesRecorded && facts.Calls == 0 {
			return nil, errors.New("--host=recorded: the trace has no call of the host: it comes from a tracer or a " +
				"generator, or its profiler saw the device alone")
		}
		job.Part = append(job.Part, "host="+f.host)
	}
	if f.copies != "" {
		i := slices.Index(host.CopyTimeNames(), f.copies)
		if i < 0 {
			return nil, usagef("--copies=%s: want one of %s", f.copies, strings.Join(host.CopyTimeNames(), ", "))
		}
		t.Copies = host.CopyTimes(i)
		job.Part = append(job.Part, "copies="+f.copies)
	}
	return &t, nil
}

// violations turns the auditor's findings into one error.
func violations(results []*replay.Result) error {
	n := 0
	first := ""
	for _, r := range results {
		n += len(r.Violations)
		if first == "" && len(r.Violations) > 0 {
			v := r.Violations[0]
			first = fmt.Sprintf("trace %s, policy %s, cycle %d, %s: %s", r.Trace, r.Policy, v.Time, v.Rule, v.What)
		}
	}
	if n == 0 {
		return nil
	}
	return fmt.Errorf("the auditor found %d violations (table audit), the first: %s", n, first)
}

// machine resolves --gpu and --set: the machine, and the machine before settings.
func (f *replayFlags) machine(a *app, r *container.Reader) (cfg, named *hardware.Config, err error) {
	if named, err = f.base(a, r); err != nil {
		return nil, nil, err
	}
	changed := *named
	return &changed, named, override(&changed, f.set)
}

// override gives a machine the values of --set.
func override(cfg *hardware.Config, set []string) error {
	if len(set) == 0 {
		return nil // the values of a preset or a file have been checked
	}
	for _, s := range set {
		key, value, ok := strings.Cut(s, "=")
		if !ok {
			return usagef("--set %s: want KEY=VALUE", s)
		}
		if err := cfg.Set(key, value); err != nil {
			return usagef("--set %s: %w", s, err)
		}
	}
	return usage(cfg.Validate())
}

// base is the machine before --set: the captured one, unless --gpu names another.
func (f *replayFlags) base(a *app, r *container.Reader) (*hardware.Config, error) {
	if f.gpu != "" {
		return machineNamed(f.gpu)
	}
	c, err := replay.MachineOf(r)
	if err != nil {
		return nil, err
	}
	a.note("machine %s; --gpu chooses another", c.Says)
	if c.StandIn != "" {
		a.note("warning: %s", c.StandIn)
	}
	f.notes = c.Diagnostics()
	return c.Config, nil
}

// machineNamed returns the machine that --gpu names.
func machineNamed(name string) (*hardware.Config, error) {
	cfg, err := hardware.FindConfig(name)
	if err != nil && !hardware.IsConfigFile(name) {
		err = usageError{err}
	}
	return cfg, err
}

// check refuses wrong combinations that can be seen before a run.
func (f *replayFlags) check() error {
	switch {
	case f.sample < 0:
		return usagef("--sample=%d: want a width in cycles, or 0", f.sample)
	case f.output == "" || f.output == "-":
		return usagef("-o=%s: the tables are files; name a folder", f.output)
	case f.maxCycles < 0:
		return usagef("--max-cycles=%d: want a cycle, or 0 for the program's end", f.maxCycles)
	case f.alone && f.baseline != "":
		return usagef("--baseline=%s and --no-baseline at once", f.baseline)
	case f.audit && f.approximate > 0:
		return usagef("--audit and --approximate at once: the audit follows every CTA, and the other leaves some out")
	case f.seed != 0 && f.approximate == 0:
		return usagef("--approximate-seed=%d: it places the checks of --approximate; give that too", f.seed)
	case f.spread && f.sensitivity != "":
		return usagef("--spread and --sensitivity=%s at once: each is a range of one key", f.sensitivity)
	}
	if slices.Equal(f.tables, []string{"all"}) {
		f.tables = nil
	}
	return usage(table.Check(f.tables, f.format))
}

// choices resolves --policy and the parameters given as flags, and tries them
// on the machine.
func (f *replayFlags) choices(cmd *cobra.Command, a *app, r *container.Reader,
	cfg *hardware.Config) ([]*policies.Choice,
	error) {
	all, err := f.named(cmd, a, r)
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		if c.Searches() {
			continue
		}
		if _, _, err := c.Build(cfg); err != nil {
			return nil, usagef("policy %s: %w", c.Label, err)
		}
	}
	return all, nil
}

// named returns the policies of --policy.
func (f *replayFlags) named(cmd *cobra.Command, a *app, r *container.Reader) ([]*policies.Choice, error) {
	flags := map[string]string{}
	for name, v := range f.params {
		if cmd.Flags().Changed(name) {
			flags[name] = *v
		}
	}
	if f.policy != "all" {
		list, err := f.listed(r)
		if err != nil {
			return nil, err
		}
		all, err := policies.Parse(list, flags)
		if err != nil {
			return nil, usageError{err}
		}
		for _, name := range slices.Sorted(maps.Keys(flags)) {
			if !slices.ContainsFunc(all, func(c *policies.Choice) bool { return c.Declares(name) }) {
				return nil, usagef("--%s=%s: no policy of this run has this parameter", name, flags[name])
			}
		}
		return all, nil
	}
	facts, err := f.facts(r)
	if err != nil {
		return nil, err
	}
	apply, rest, err := policies.Applicable(facts, flags)
	a.noteRest(rest)
	return apply, err
}

// listed is --policy. Without it a capture runs under hyperq, another trace under serial.
func (f *replayFlags) listed(r *container.Reader) (string, error) {
	if f.policy != "" {
		return f.policy, nil
	}
	facts, err := f.facts(r)
	if err == nil && facts.Starts > 0 {
		return "hyperq", nil
	}
	return "serial", err
}

func (f *replayFlags) facts(r *container.Reader) (*policies.TraceProfile, error) {
	as, err := f.tasks()
	if err != nil {
		return nil, err
	}
	return policies.ProfileTrace(r, as)
}
