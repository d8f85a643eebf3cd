package reproduce

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/policies"
	"gpureplay/replay"
)

// Paper has the experiments and published figures of one paper, as data.
type Paper struct {
	Name        string // as the command takes it
	Title       string // one line
	Experiments []Experiment
	Claims      []Claim // its published figures
	Figures     []Figure

	SecondsPerRun float64 // mean time of a run of its experiments, on one core of the machine that filled docs/policies
}

// Experiment is a table of a paper: workloads, one a row, under policies.
type Experiment struct {
	Name       string // within the paper: a word
	Title      string // one line, with the figure or table that it follows
	Head       string // of the column that names the rows
	GPU        string // preset
	Set        []string
	Flags      map[string]string // parameters for every policy that has them
	Policies   string            // as --policy takes them
	Workloads  []Workload
	Variants   []Variant         // settings under which the workloads run as well
	Under      map[string]string // policies of a variant that differ from the experiment's
	Columns    []Column
	Mean       Mean
	Counts     func(*Row) bool // rows in the mean; nil: all
	Large      bool            // takes long: run only when requested
	Seconds    float64         // of one core, measured; 0: by the paper's mean of a run
	Unaudited  bool            // the auditor's books would not fit into memory
	OverTime   bool            // its columns need residency over time
	ChildTimes bool            // its columns need the times of child CTAs
	Decisions  bool            // its columns need the reasons of decisions to launch
}

// Workload is one row: a generator with its settings.
type Workload struct {
	Name   string
	GPU    string // as measured, whose machine is that of a capture; "": the experiment's
	Sample string
	Params []string // NAME=VALUE
	File   string   // a setting whose value is a path under the folder of real inputs; "": all is generated
	Quick  bool     // in the small set
	Small  []string // settings that make it one of the small set, in place of Params' of the same names
	Fixed  bool     // variants leave it as it is
	Alone  []string // settings without shared memory, for variants that request them, in place of Params'
	Set    []string // of the machine, beside the experiment's
	// settings of the flat program, where that has code of its own, in place of Params'; nil: flat inlines the
	// children
	Flat []string
}

// Variant changes all workloads of an experiment. Its runs are known by the
// policy's label with "@" and Name behind it.
type Variant struct {
	Name   string
	Params []string
	Alone  bool // without the use of shared memory ([Workload].Alone)
}

// Mean is the line below the rows: none, or a mean of this kind for ratios and the arithmetic one for shares in per
// cent.
type Mean uint8

const (
	NoMean Mean = iota
	Geometric
	Arithmetic
)

// Column is one figure of every row.
type Column struct {
	Name      string
	Unit      string // behind the number; "": none. "%" makes differences percentage points
	Digits    int    // after the point
	Of        func(r *Row) float64
	Mean      bool               // counts in the mean below the rows
	Published map[string]float64 // by workload; nil: the paper gives none
	Where     string             // those stand in the paper
	Points    bool               // differences from those are points, as the paper's are, not ratios
}

// Row has the results of one workload.
type Row struct {
	Workload *Workload
	runs     map[string]*replay.Result // by label
	config   *hardware.Config
	work     *policies.Workloads               // sizes of the requests for children; nil: none
	times    map[string][]window               // by label, in an experiment over time
	took     map[string]map[model.Time]float64 // CTAs of children by their time
	made     map[string]map[string]float64     // launches by the reason of their decision
}

// run returns the run of a policy, nil if there is none.
func (r *Row) run(label string) *replay.Result { return r.runs[label] }

// Relation is how a published figure binds.
type Relation uint8

const (
	Equal Relation = iota
	Below          // the paper's text says fewer or less than
	Above          // more than
)

var relationNames = []string{Equal: "", Below: "< ", Above: "> "}

// Claim is one published figure, and where ours comes from: an entry of an
// experiment, or a function.
type Claim struct {
	What       string
	Where      string  // in the paper
	Published  float64 // in Unit
	Relation   Relation
	Unit       string
	Digits     int
	Experiment string
	Row        string // a workload, or one of [MeanRow], [LeastRow], [MostRow]
	Column     string
	Of         func() (float64, error) // instead of an entry
}

// Rows of a claim that no workload is.
const (
	MeanRow  = "mean"
	LeastRow = "least"
	MostRow  = "most"
)

// declared are the makers of the papers. They run when a paper is requested: other commands need none.
var declared []func() *Paper

// register adds a paper. It is called from init.
func register(p func() *Paper) { declared = append(declared, p) }

// papers are those that there are, in the order of their names; two of the same name are
// our bug.
var papers = sync.OnceValue(func() []*Paper {
	var all []*Paper
	for _, make := range declared {
		all = append(all, make())
	}
	slices.SortFunc(all, func(a, b *Paper) int { return strings.Compare(a.Name, b.Name) })
	for i, p := range all[1:] {
		if p.Name == all[i].Name {
			panic("reproduce: " + p.Name + " registered twice")
		}
	}
	return all
})

// Papers returns those that there are, in the order of their names.
func Papers() []*Paper { return slices.Clone(papers()) }

// Get returns a paper by name; the error lists all.
func Get(name string) (*Paper, error) {
	var names []string
	for _, p := range Papers() {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return nil, fmt.Errorf("no paper %q; there are: %s", name, strings.Join(names, ", "))
}

// Names returns the names of the paper's experiments, in their order.
func (p *Paper) Names() []string {
	var all []string
	for i := range p.Experiments {
		all = append(all, p.Experiments[i].Name)
	}
	return all
}

// experiment returns one by name, nil if there is none.
func (p *Paper) experiment(name string) *Experiment {
	for i := range p.Experiments {
		if p.Experiments[i].Name == name {
			return &p.Experiments[i]
		}
	}
	return nil
}

// column returns one by name, nil if there is none.
func (e *Experiment) column(name string) *Column {
	i := slices.IndexFunc(e.Columns, func(c Column) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &e.Columns[i]
}

// meanOf is how a column's figures are averaged: shares in per cent by their sum,
// ratios as the experiment says.
func (e *Experiment) meanOf(c *Column) Mean {
	if c.Unit == "%" {
		return Arithmetic
	}
	return e.Mean
}

// reduce folds the figures of a column into one; figures that are not there do
// not count.
func reduce(values []float64, row string, mean Mean) (v float64, n int) {
	v = math.NaN()
	for _, x := range values {
		if math.IsNaN(x) {
			continue
		}
		n++
		switch {
		case n == 1 && row == MeanRow && mean == Geometric:
			v = math.Log(x)
		case n == 1:
			v = x
		case row == LeastRow:
			v = min(v, x)
		case row == MostRow:
			v = max(v, x)
		case mean == Geometric:
			v += math.Log(x)
		default:
			v += x
		}
	}
	switch {
	case n == 0 || row != MeanRow:
		return v, n
	case mean == Geometric:
		return math.Exp(v / float64(n)), n
	}
	return v / float64(n), n
}
