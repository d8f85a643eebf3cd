package policies

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"gpureplay/internal/nearest"
	"gpureplay/model"
	"gpureplay/model/hardware"
)

// Choice is a policy as a user requested it: a named policy, and its overridden parts.
type Choice struct {
	Label  string // as it stands in the tables: "ppcs,cta=fifo"
	Policy *Policy
	args   map[string]string
	over   map[string]string // decision -> implementation
}

// decisions are the names of the five, as an override spells them.
var decisions = []string{"launch", "admission", "dependency", "cta", "warp"}

// Parse reads a list of policies: names separated by commas, where decision=implementation and parameter=value
// belong to the policy before them. flags holds parameters given for every policy that has them. It returns an error
// for an unknown name or a wrong value.
func Parse(list string, flags map[string]string) ([]*Choice, error) {
	var all []*Choice
	for _, word := range strings.Split(list, ",") {
		word = strings.TrimSpace(word)
		key, value, has := strings.Cut(word, "=")
		switch {
		case word == "":
			return nil, fmt.Errorf("--policy=%s: a name is missing", list)
		case has && named[key] == nil:
			if len(all) == 0 {
				return nil, fmt.Errorf("--policy=%s: %s must stand behind the policy that it belongs to", list, word)
			}
			if err := all[len(all)-1].set(key, value); err != nil {
				return nil, err
			}
		default:
			c, err := newChoice(key, value, has)
			if err != nil {
				return nil, err
			}
			all = append(all, c)
		}
	}
	seen := map[string]bool{}
	for _, c := range all {
		c.fill(flags)
		if seen[c.Label] {
			return nil, fmt.Errorf("--policy=%s: %s is named twice", list, c.Label)
		}
		seen[c.Label] = true
	}
	return all, nil
}

// newChoice names a policy; a value sets the parameter of its own name
// (threshold=128).
func newChoice(name, value string, has bool) (*Choice, error) {
	p, err := Get(name)
	if err != nil {
		return nil, err
	}
	c := &Choice{Label: name, Policy: p, args: map[string]string{}, over: map[string]string{}}
	if has {
		if !c.Declares(name) {
			return nil, fmt.Errorf("policy %s takes no value (%s=%s)", name, name, value)
		}
		c.Label += "=" + value
		c.args[name] = value
	}
	return c, nil
}

// set overrides a decision or a parameter of c. A parameter may be given without
// its policy's name in front: ppcs,guard=off is ppcs-guard=off.
func (c *Choice) set(key, value string) error {
	if value == "" {
		return fmt.Errorf("policy %s: %s= has no value", c.Label, key)
	}
	c.Label += "," + key + "=" + value
	for _, d := range decisions {
		if key == d {
			c.over[d] = value
			return nil
		}
	}
	key = c.whole(key)
	if !c.Declares(key) {
		names := append([]string{}, decisions...)
		for _, p := range c.params() {
			names = append(names, p.Name)
		}
		return nearest.Unknown("decision or parameter of policy "+c.Policy.Name, key, names)
	}
	c.args[key] = value
	return nil
}

// whole completes a name that lacks its prefix, if it means one parameter alone; else it returns the name itself.
func (c *Choice) whole(key string) string {
	whole := key
	for _, p := range c.params() {
		switch {
		case p.Name == key || p.Name == c.Policy.Name+"-"+key:
			return p.Name
		case !strings.HasSuffix(p.Name, "-"+key):
		case whole != key:
			return key // more than one
		default:
			whole = p.Name
		}
	}
	return whole
}

// fill sets the parameters that c has and that were not set for it alone. A value other than the default becomes
// part of the label, as if it stood behind the policy: runs are known by it.
func (c *Choice) fill(flags map[string]string) {
	for _, k := range sortedKeys(flags) {
		if _, ok := c.args[k]; ok || !c.Declares(k) {
			continue
		}
		if (Args{c.params(), c.args}).Text(k) != flags[k] {
			c.Label += "," + strings.TrimPrefix(k, c.Policy.Name+"-") + "=" + flags[k]
		}
		c.args[k] = flags[k]
	}
}

// Declares reports whether a parameter is one of the policy or its decisions.
func (c *Choice) Declares(name string) bool {
	for _, p := range c.params() {
		if p.Name == name {
			return true
		}
	}
	return false
}

// params are the parameters of the policy and of its decisions.
func (c *Choice) params() []Param {
	all := append([]Param{}, c.Policy.Params...)
	for _, d := range decisions {
		all = append(all, c.paramsOf(d)...)
	}
	return all
}

// Parameters returns the parameters of the policy and of its decisions.
func (c *Choice) Parameters() []Param { return c.params() }

// decision returns the implementation chosen for a decision.
func (c *Choice) decision(d string) string {
	if n, ok := c.over[d]; ok {
		return n
	}
	p := c.Policy
	return map[string]string{"launch": p.Launch, "admission": p.Admission, "dependency": p.Dependency, "cta": p.CTA,
		"warp": p.Warp}[d]
}

// WarpScheduler is the name of the warp scheduler on a machine, which has one of its
// own where the policy has none.
func (c *Choice) WarpScheduler(cfg *hardware.Config) string {
	return cmp.Or(c.decision("warp"), cfg.SM.WarpScheduler)
}

// Settings lists the decisions and parameters in force, for tables and help.
func (c *Choice) Settings() []string {
	var all []string
	for _, d := range decisions {
		if n := c.decision(d); n != "" {
			all = append(all, d+"="+n)
		}
	}
	a := Args{c.params(), c.args}
	for _, p := range a.params {
		all = append(all, p.Name+"="+a.Text(p.Name))
	}
	return all
}

// Machine returns the machine that the policy runs on: a copy of cfg with the policy's changes. It fails if a
// parameter of the policy has a wrong value.
func (c *Choice) Machine(cfg *hardware.Config) (*hardware.Config, error) {
	machine := *cfg
	if c.Policy.Adjust != nil {
		if err := c.Policy.Adjust(&machine, Args{c.params(), c.args}); err != nil {
			return nil, err
		}
	}
	return &machine, nil
}

// Build makes the policy and the machine that it runs on; cfg is left as it is. It returns an error if a parameter
// is wrong, or if c is a search over several runs.
func (c *Choice) Build(cfg *hardware.Config) (p *model.Policy, machine *hardware.Config, err error) {
	if c.Searches() {
		return nil, nil, errors.New("it is a search over runs, not one: run it by --policy, and take one of the " +
			"policies that it tried here")
	}
	a := Args{c.params(), c.args}
	if machine, err = c.Machine(cfg); err != nil {
		return nil, nil, err
	}
	p = &model.Policy{Name: c.Label, Host: c.Policy.Host}
	var wrong [5]error
	p.Launch, wrong[0] = LaunchControls.build(c.decision("launch"), a)
	p.Admission, wrong[1] = Admissions.build(c.decision("admission"), a)
	p.Dependency, wrong[2] = Dependencies.build(c.decision("dependency"), a)
	p.CTA, wrong[3] = CTASchedulers.build(c.decision("cta"), a)
	p.Warp, wrong[4] = WarpSchedulers.build(c.WarpScheduler(machine), a)
	if err = cmp.Or(wrong[:]...); err != nil {
		return nil, nil, err
	}
	if c.Policy.Compose != nil {
		err = c.Policy.Compose(p, a)
	}
	return p, machine, err
}

// Cost is the hardware that c adds to a machine; nil: none.
func (c *Choice) Cost(cfg *hardware.Config) []CostLine {
	if c.Policy.Cost == nil {
		return nil
	}
	return c.Policy.Cost(cfg, Args{c.params(), c.args})
}

// MissingInput names the data that a trace lacks for c, as a sentence; "" if it lacks nothing.
func (c *Choice) MissingInput(f *TraceProfile) string {
	if f.Tasks > 0 && !c.Policy.Tasks {
		return "it spawns narrow tasks, for which this policy has no rule"
	}
	if c.Policy.Needs != nil {
		if why := c.Policy.Needs(f); why != "" {
			return why
		}
	}
	if c.Policy.CannotRun != nil {
		return c.Policy.CannotRun(f, Args{c.params(), c.args})
	}
	return ""
}

// allParams are the parameters of all policies and decisions, sorted by name.
var allParams = sync.OnceValue(func() []Param {
	all := map[string]Param{}
	add := func(ps []Param) {
		for _, p := range ps {
			all[p.Name] = p
		}
	}
	for _, p := range named {
		add(p.Params)
	}
	add(LaunchControls.all())
	add(Admissions.all())
	add(Dependencies.all())
	add(CTASchedulers.all())
	add(WarpSchedulers.all())
	sorted := make([]Param, 0, len(all))
	for _, k := range sortedKeys(all) {
		sorted = append(sorted, all[k])
	}
	return sorted
})

// Params returns the parameters of all policies and decisions, sorted by name.
func Params() []Param { return slices.Clone(allParams()) }

// IsParam reports whether a policy or a decision has a parameter of that name.
func IsParam(name string) bool {
	return slices.ContainsFunc(allParams(), func(p Param) bool { return p.Name == name })
}

// Applicable returns the policies that a trace can feed, serial first if it is among them, and for each other
// policy the reason. It fails if a flag names no parameter or has a wrong value.
func Applicable(f *TraceProfile, flags map[string]string) (apply []*Choice, rest []string, err error) {
	names := Names()
	for i, n := range names {
		if n == "serial" {
			copy(names[1:i+1], names[:i])
			names[0] = n
		}
	}
	for _, n := range names {
		cs, err := Parse(n, flags)
		if err != nil {
			return nil, nil, err
		}
		if why := cs[0].MissingInput(f); why != "" {
			rest = append(rest, n+": "+why)
			continue
		}
		apply = append(apply, cs[0])
	}
	return apply, rest, nil
}
