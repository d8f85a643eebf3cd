package command

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"gpureplay/policies"
)

func init() { register((*app).policiesCommand) }

var policyRows = rowsOf("policies", "a policy", `
policy string: its name
title string: one line
source string: paper and section`)

var policyDetails = rowsOf("policy_details", "a policy with its settings", `
policy string: its name
title string: one line
source string: paper and section
doc string: its behaviour
settings array: decisions and parameters with their values`)

var policyCosts = rowsOf("policy_costs", "a part of the hardware that a policy adds", `
policy string: its name
gpu string: machine of the count
what string: the part
value number: its size
unit string: of the value
source string: paper and section`)

func (a *app) policiesCommand() *cobra.Command {
	cost, gpu := false, ""
	c := &cobra.Command{
		Use:   "policies [POLICY]",
		Short: "list the policies, or explain one",
		Example: "  replay policies\n  replay policies hyperq\n  replay policies ppcs --cost\n  replay policies " +
			"dtbl,agt=4096 --cost --gpu=k20c",
		Args: between(0, 1, "at most one policy"),
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case cost && len(args) == 0:
				return usagef("policies --cost: want a policy")
			case cost:
				return a.showCost(args[0], gpu)
			case len(args) == 1:
				return a.showPolicy(args[0])
			}
			return a.listPolicies()
		},
	}
	c.ValidArgsFunction = firstOnly(listed(policies.Names, false))
	c.Flags().BoolVar(&cost, "cost", false, "the hardware that the policy adds to a machine")
	c.Flags().StringVar(&gpu, "gpu", "", "`PRESET` or TOML file of that machine (default: the one of the policy's paper)")
	c.AddCommand(a.newPolicyCommand())
	return c
}

// showCost prints the hardware that a policy adds.
func (a *app) showCost(name, gpu string) error {
	cs, err := policies.Parse(name, nil)
	if err != nil {
		return usageError{err}
	}
	if gpu == "" {
		gpu = cmp.Or(cs[0].Policy.CostOn, "k20c")
	}
	cfg, err := machineNamed(gpu)
	if err != nil {
		return err
	}
	lines := cs[0].Cost(cfg)
	if a.asJSON {
		rows := []map[string]any{}
		for _, l := range lines {
			rows = append(rows, map[string]any{"policy": name, "gpu": cfg.Name, "what": l.What, "value": l.Value, "unit": l.Unit,
				"source": l.Source})
		}
		return a.printRows(policyCosts, rows)
	}
	if len(lines) == 0 {
		fmt.Fprintf(a.out, "%s adds no hardware\n", name)
		return nil
	}
	g := newGrid(a.out, "what "+name+" adds to "+cfg.Name, "value", "unit", "source")
	g.right(2)
	for _, l := range lines {
		g.row(l.What, fmt.Sprintf("%.6g", l.Value), l.Unit, l.Source)
	}
	g.print()
	return nil
}

func (a *app) listPolicies() error {
	rows := []map[string]any{}
	g := newGrid(a.out, "policy", "what it does", "source")
	for _, name := range policies.Names() {
		p, err := policies.Get(name)
		if err != nil {
			return err
		}
		g.row(name, p.Title, p.Source)
		rows = append(rows, map[string]any{"policy": name, "title": p.Title, "source": p.Source})
	}
	if a.asJSON {
		return a.printRows(policyRows, rows)
	}
	g.print()
	return nil
}

func (a *app) showPolicy(name string) error {
	cs, err := policies.Parse(name, nil)
	if err != nil {
		return usageError{err}
	}
	p := cs[0].Policy
	if a.asJSON {
		return a.printRows(policyDetails, []map[string]any{{"policy": p.Name, "title": p.Title, "source": p.Source,
			"doc":      p.Doc,
			"settings": cs[0].Settings()}})
	}
	fmt.Fprintf(a.out, "%s: %s\n\n%s\n\nSource: %s\n", p.Name, p.Title, p.Doc, p.Source)
	for _, s := range cs[0].Settings() {
		fmt.Fprintf(a.out, "  %s\n", s)
	}
	if params := cs[0].Parameters(); len(params) > 0 {
		fmt.Fprintln(a.out, "\nParameters, as flags or behind the policy's name (--policy="+p.Name+",NAME=VALUE):")
		for _, q := range params {
			fmt.Fprintf(a.out, "  --%s=%s  %s\n", q.Name, q.Default, q.Help)
		}
	}
	if len(p.Baselines) > 0 {
		fmt.Fprintf(a.out, "\nCompared with %s, which is run too unless --no-baseline says no.\n",
			strings.Join(p.Baselines, " and "))
	}
	return nil
}
