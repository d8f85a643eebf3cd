package policies

import (
	"cmp"
	"sort"

	"gpureplay/internal/nearest"
	"gpureplay/model"
	"gpureplay/model/exec"
	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/trace/container"
)

// Param is one parameter of a decision or a policy, settable as a flag
// --NAME=VALUE or behind the policy's name: --policy=ppcs,guard=off.
type Param struct {
	Name    string
	Default string
	Help    string // with the unit and the values allowed
}

// Policy is the registration record of a named policy.
type Policy struct {
	Name   string
	Title  string // one line
	Source string // paper and section
	Doc    string // its mechanism, for `replay policies NAME`

	// The five decisions by name. Empty: device-kernel, hwq, barrier, fifo and the machine's own.
	Launch, Admission, Dependency, CTA, Warp string

	// Baselines are the policies that its papers compare it with; speed-ups refer to the first. nil: it is compared
	// with whatever is requested.
	Baselines []string

	Bound bool // no machine works that way: it bounds the gain of a mechanism

	Host   host.Mode
	Tasks  bool                         // it runs narrow tasks: with a nil Compose as kernels in streams
	Params []Param                      // beyond those of its decisions
	Needs  func(f *TraceProfile) string // names missing data of a trace, as a sentence; "": nothing. nil: needs nothing
	// why the parameters in force cannot run a trace, as a sentence; nil: they can run any
	CannotRun func(f *TraceProfile, a Args) string
	Adjust    func(c *hardware.Config, a Args) error // changes to a copy of the machine; nil: none

	// Compose sets the parts of a policy beyond its decisions; nil: there are none.
	Compose func(p *model.Policy, a Args) error

	// Search makes the policy stand for the fastest of several, which it names as
	// --policy would; nil: it is one run.
	Search func(r *container.Reader, a Args) ([]string, error)

	// Cost is the hardware that the policy adds to a machine; nil: none. CostOn
	// is the preset of the machine that its paper counts for; "": k20c.
	Cost   func(cfg *hardware.Config, a Args) []CostLine
	CostOn string

	streams bool // narrow tasks, if there are any, run as kernels in streams: Register set Adjust and Compose
}

// CostLine is one part of the hardware that a policy adds.
type CostLine struct {
	What   string
	Value  float64 // in Unit
	Unit   string  // "bytes", "bits", "entries", "%"
	Source string  // paper and section; "": a sum
}

// Option is the registration record of one implementation of a decision.
type Option[T any] struct {
	Name   string
	Title  string
	Source string
	Params []Param
	New    func(a Args) (T, error)
}

// The implementations of each decision. A program of one's own adds to them in
// init, as the files of this package do.
var (
	LaunchControls = Table[model.LaunchControl]{decision: "launch"}
	Admissions     = Table[model.Admission]{decision: "admission"}
	Dependencies   = Table[model.Dependency]{decision: "dependency"}
	CTASchedulers  = Table[model.CTAScheduler]{decision: "cta"}
	WarpSchedulers = Table[exec.WarpScheduler]{decision: "warp"}
)

var named = map[string]*Policy{}

// Table holds the implementations of one decision by name.
type Table[T any] struct {
	decision string
	options  map[string]*Option[T]
}

// Register adds an implementation; a second one of the same name is a bug.
func (t *Table[T]) Register(o Option[T]) {
	if t.options == nil {
		t.options = make(map[string]*Option[T])
	}
	if t.options[o.Name] != nil {
		panic("policies: " + t.decision + " " + o.Name + " registered twice")
	}
	t.options[o.Name] = &o
}

func (t *Table[T]) build(name string, a Args) (T, error) {
	o := t.options[name]
	if o == nil {
		var zero T
		return zero, nearest.Unknown(t.decision+" decision", name, sortedKeys(t.options))
	}
	return o.New(a)
}

func (t *Table[T]) params(name string) []Param {
	if o := t.options[name]; o != nil {
		return o.Params
	}
	return nil
}

// Register adds a named policy; a second one of the same name is a bug.
func Register(p Policy) {
	if named[p.Name] != nil {
		panic("policies: " + p.Name + " registered twice")
	}
	p.Launch, p.Admission = cmp.Or(p.Launch, "device-kernel"), cmp.Or(p.Admission, "hwq")
	p.Dependency, p.CTA = cmp.Or(p.Dependency, "barrier"), cmp.Or(p.CTA, "fifo")
	if p.Tasks && p.Compose == nil {
		p.streams = true
		p.Params, p.Adjust, p.Compose = append(p.Params[:len(p.Params):len(p.Params)], taskParams...), adjustTasks,
			composeTaskStreams
	}
	named[p.Name] = &p
}

// Names returns the named policies, sorted.
func Names() []string { return sortedKeys(named) }

// Get returns a named policy, or an error that lists those there are.
func Get(name string) (*Policy, error) {
	if name == "streams" { // the word of runtime engineers
		name = "hyperq"
	}
	if p := named[name]; p != nil {
		return p, nil
	}
	return nil, nearest.Unknown("policy", name, Names())
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// all returns the parameters of every implementation.
func (t *Table[T]) all() []Param {
	var ps []Param
	for _, k := range sortedKeys(t.options) {
		ps = append(ps, t.options[k].Params...)
	}
	return ps
}
