// Package policiestest builds policies in tests.
package policiestest

import (
	"testing"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/policies"
)

// Build returns a policy, by its name as --policy takes it, and the machine that it runs on.
func Build(t testing.TB, name string, cfg *hardware.Config) (*model.Policy, *hardware.Config) {
	t.Helper()
	choices, err := policies.Parse(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, machine, err := choices[0].Build(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return p, machine
}
