package policies

import (
	"fmt"
	"maps"
	"strings"
)

// A Step is a policy on the way from one to another, with some decisions of the second.
type Step struct {
	Switched string // the decision that this step takes over: "dependency: barrier → crcs"
	Choice   *Choice
}

// Between replaces the decisions of one policy by the decisions of another, one at a time:
// the host's order, then the five decisions, then changes of the machine. The last step
// is the other policy itself. With narrow tasks policies differ by their runtimes too, and
// there is one step.
func Between(from, to *Choice, tasks bool) []Step {
	whole := []Step{{"policy: " + from.Label + " → " + to.Label, to}}
	if tasks {
		return whole
	}
	var steps []Step
	now := from.copy()
	add := func(switched string) {
		step := now.copy()
		step.Label = from.Label + " with " + switched
		steps = append(steps, Step{switched, step})
	}
	if a, b := from.Policy.Host, to.Policy.Host; a != b {
		now.Policy.Host = b
		add(fmt.Sprintf("host: %s → %s", a, b))
	}
	for _, d := range decisions {
		a, b := from.implementation(d), to.implementation(d)
		if a == b {
			continue
		}
		now.take(d, to)
		add(fmt.Sprintf("%s: %s → %s", d, a, b))
	}
	switch {
	case from.composes() || to.composes():
		return append(steps, Step{"the rest: of " + from.Label + " → of " + to.Label, to})
	case from.adjusts() || to.adjusts():
		return append(steps, Step{"machine: of " + from.Label + " → of " + to.Label, to})
	case len(steps) == 0:
		return whole
	}
	steps[len(steps)-1].Choice = to
	return steps
}

// composes reports whether a policy has more than its decisions, tasks apart.
func (c *Choice) composes() bool { return c.Policy.Compose != nil && !c.Policy.streams }

// adjusts reports whether a policy changes the machine, tasks apart.
func (c *Choice) adjusts() bool { return c.Policy.Adjust != nil && !c.Policy.streams }

// copy returns a choice that can be changed.
func (c *Choice) copy() *Choice {
	p := *c.Policy
	return &Choice{Label: c.Label, Policy: &p, args: maps.Clone(c.args), over: maps.Clone(c.over)}
}

// take replaces a decision and its parameters by another choice's.
func (c *Choice) take(decision string, from *Choice) {
	c.over[decision] = from.decision(decision)
	values := Args{from.params(), from.args}
	for _, p := range from.paramsOf(decision) {
		c.args[p.Name] = values.Text(p.Name)
	}
}

// implementation names the implementation of a decision, with the parameters that are not
// their defaults.
func (c *Choice) implementation(decision string) string {
	name := c.decision(decision)
	if name == "" {
		name = "the machine's"
	}
	var set []string
	values := Args{c.params(), c.args}
	for _, p := range c.paramsOf(decision) {
		if v := values.Text(p.Name); v != p.Default {
			set = append(set, p.Name+"="+v)
		}
	}
	if len(set) > 0 {
		name += " (" + strings.Join(set, ", ") + ")"
	}
	return name
}

// paramsOf are the parameters of a decision.
func (c *Choice) paramsOf(decision string) []Param {
	name := c.decision(decision)
	switch decision {
	case "launch":
		return LaunchControls.params(name)
	case "admission":
		return Admissions.params(name)
	case "dependency":
		return Dependencies.params(name)
	case "cta":
		return CTASchedulers.params(name)
	}
	return WarpSchedulers.params(name)
}
