package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"gpureplay/policies"
)

func (a *app) policiesCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "policies [POLICY]",
		Short:   "list the policies, or explain one",
		Example: "  replay policies\n  replay policies hyperq",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				return a.showPolicy(args[0])
			}
			return a.listPolicies()
		},
	}
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
		return a.printJSON(rows)
	}
	g.print()
	return nil
}

func (a *app) showPolicy(name string) error {
	cs, err := policies.Parse(name, nil)
	if err != nil {
		return err
	}
	p := cs[0].Policy
	if a.asJSON {
		return a.printJSON([]map[string]any{{"policy": p.Name, "title": p.Title, "source": p.Source, "doc": p.Doc, "settings": cs[0].Settings()}})
	}
	fmt.Fprintf(a.out, "%s: %s\n\n%s\n\nSource: %s\n", p.Name, p.Title, p.Doc, p.Source)
	for _, s := range cs[0].Settings() {
		fmt.Fprintf(a.out, "  %s\n", s)
	}
	return nil
}
