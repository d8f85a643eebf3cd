package reproduce

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/policies"
	"gpureplay/replay"
	"gpureplay/trace"
)

// source is one trace: made when a run first needs it, removed after the last.
type source struct {
	sample string
	params []string
	once   sync.Once
	path   string
	err    error
	left   atomic.Int64 // runs that still need it
	work   *policies.Workloads
}

// unit is one run: a trace under one policy on one machine. Experiments that
// ask for the same run share it.
type unit struct {
	from    *source
	name    string // for people: workload and policy
	config  *hardware.Config
	choice  *policies.Choice
	results []*replay.Result // of a search every try; nil: the policy does not apply
	audited bool             // an experiment whose runs are audited requests it
	timed   bool             // an experiment over time requests it
	times   []window
	spread  bool // an experiment requests the times of child CTAs
	took    map[model.Time]float64
	decided bool // an experiment requests the reasons of decisions to launch
	made    map[string]float64
}

// plan is everything that a call runs, each run once.
type plan struct {
	units   []*unit
	byKey   map[string]*unit
	sources map[string]*source
	tables  []*planned
	missing []string // inputs that are not at hand
}

// planned is an experiment with the rows that will run.
type planned struct {
	*Experiment
	rows []plannedRow
	all  int // rows that the experiment has
}

type plannedRow struct {
	workload *Workload
	units    map[string]*unit // by label
	work     *source
	set      []string // of the machine
	config   *hardware.Config
}

// machine is the experiment's preset, or the machine of the row's GPU, with settings.
func machine(gpu string, row *Workload, set []string) (*hardware.Config, error) {
	cfg, err := hardware.Preset(gpu)
	if err != nil {
		return nil, err
	}
	if row.GPU != "" {
		cfg = replay.MachineFor(&trace.Meta{GPU: row.GPU}).Config
	}
	for _, s := range set {
		key, v, _ := strings.Cut(s, "=")
		if err := cfg.Set(key, v); err != nil {
			return nil, err
		}
	}
	return cfg, cfg.Validate()
}

// newPlan resolves the experiments that the options ask for.
func newPlan(p *Paper, opt *Options) (*plan, error) {
	for _, name := range opt.Only {
		if p.experiment(name) == nil {
			return nil, fmt.Errorf("no experiment %q of %s; there are: %s", name, p.Name, strings.Join(p.Names(), ", "))
		}
	}
	all := &plan{byKey: map[string]*unit{}, sources: map[string]*source{}}
	for i := range p.Experiments {
		e := &p.Experiments[i]
		if !opt.wants(e) {
			continue
		}
		t, err := all.experiment(e, opt)
		if err != nil {
			return nil, fmt.Errorf("experiment %s of %s: %w", e.Name, p.Name, err)
		}
		if len(t.rows) > 0 {
			all.tables = append(all.tables, t)
		}
	}
	return all, nil
}

// wants reports whether an experiment is requested.
func (opt *Options) wants(e *Experiment) bool {
	if len(opt.Only) > 0 {
		return slices.Contains(opt.Only, e.Name)
	}
	return opt.Large || !e.Large
}

// experiment resolves one.
func (p *plan) experiment(e *Experiment, opt *Options) (*planned, error) {
	t := &planned{Experiment: e, all: len(e.Workloads)}
	for i := range e.Workloads {
		w := &e.Workloads[i]
		if opt.Quick && !w.Quick && w.Small == nil {
			continue
		}
		params, ok := w.settings(opt.Data)
		if !ok {
			p.miss(w)
			continue
		}
		if opt.Quick {
			params = override(params, w.Small)
		}
		row := plannedRow{workload: w, units: map[string]*unit{}, work: p.source(w.Sample, params),
			set: slices.Concat(e.Set, w.Set)}
		var err error
		if row.config, err = machine(e.GPU, w, row.set); err != nil {
			return nil, err
		}
		for _, v := range append([]Variant{{}}, e.Variants...) {
			own, flat := override(params, v.Params), override(override(params, w.Flat), v.Params)
			if v.Alone {
				own = override(override(params, w.Alone), v.Params)
			}
			if w.Fixed {
				own, flat = params, override(params, w.Flat)
			}
			if err := p.runs(e, &row, v, own, flat); err != nil {
				return nil, err
			}
		}
		t.rows = append(t.rows, row)
	}
	return t, nil
}

// runs adds the runs of one row under one variant. A flat program that has code of its own launches no children:
// its flat is the order of streams.
func (p *plan) runs(e *Experiment, row *plannedRow, v Variant, params, flat []string) error {
	under := e.Policies
	if p := e.Under[v.Name]; p != "" {
		under = p
	}
	choices, err := policies.Parse(under, e.Flags)
	if err != nil {
		return err
	}
	plain, err := policies.Parse(under, nil) // settings of the whole experiment are no part of its columns' names
	if err != nil {
		return err
	}
	streams, err := policies.Parse("hyperq", e.Flags)
	if err != nil {
		return err
	}
	for i, c := range choices {
		label, settled := plain[i].Label, params
		if label == "flat" && !slices.Equal(flat, params) {
			c, settled = streams[0], flat
		}
		from := p.source(row.workload.Sample, settled)
		if v.Name != "" {
			label += "@" + v.Name
		}
		key := strings.Join(slices.Concat([]string{e.GPU, row.workload.GPU, c.Label, from.key()}, row.set,
			settings(e.Flags)), "\x00")
		u := p.byKey[key]
		if u == nil {
			u = &unit{from: from, name: row.workload.Name + ", " + label, config: row.config, choice: c}
			p.byKey[key] = u
			p.units = append(p.units, u)
			from.left.Add(1)
		}
		u.audited = u.audited || !e.Unaudited
		u.timed, u.spread = u.timed || e.OverTime, u.spread || e.ChildTimes
		u.decided = u.decided || e.Decisions
		row.units[label] = u
	}
	return nil
}

// override replaces settings of the same names.
func override(params, by []string) []string {
	name := func(s string) string { n, _, _ := strings.Cut(s, "="); return n }
	all := slices.Clone(params)
	for _, s := range by {
		if i := slices.IndexFunc(all, func(o string) bool { return name(o) == name(s) }); i >= 0 {
			all[i] = s
		} else {
			all = append(all, s)
		}
	}
	return all
}

// settings writes a map of parameters in one order.
func settings(flags map[string]string) []string {
	var all []string
	for _, k := range slices.Sorted(maps.Keys(flags)) {
		all = append(all, k+"="+flags[k])
	}
	return all
}

// source returns the trace of a workload under some settings.
func (p *plan) source(sample string, params []string) *source {
	s := &source{sample: sample, params: params}
	key := s.key()
	if p.sources[key] == nil {
		p.sources[key] = s
	}
	return p.sources[key]
}

func (s *source) key() string { return s.sample + "\x00" + strings.Join(s.params, "\x00") }

// settings are the workload's, with the path of its real input; not ok if that
// is not at hand.
func (w *Workload) settings(data string) (params []string, ok bool) {
	params = slices.Clone(w.Params)
	if w.File == "" {
		return params, true
	}
	key, path, _ := strings.Cut(w.File, "=")
	path = filepath.Join(data, filepath.FromSlash(path))
	if _, err := os.Stat(path); data == "" || err != nil {
		return nil, false
	}
	return append(params, key+"="+path), true
}

// miss notes an input that is not at hand, once.
func (p *plan) miss(w *Workload) {
	_, path, _ := strings.Cut(w.File, "=")
	if line := w.Name + " (" + path + ")"; !slices.Contains(p.missing, line) {
		p.missing = append(p.missing, line)
	}
}
