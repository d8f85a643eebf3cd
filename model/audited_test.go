package model_test

import (
	"context"
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/policies"
	runs "gpureplay/replay"
	"gpureplay/trace/container"
)

// audited replays a trace with the auditor on and fails the test on a violation.
func audited(t testing.TB, tr *container.Reader, c *hardware.Config, policy string) {
	t.Helper()
	cs, err := policies.Parse(policy, nil)
	if err != nil {
		t.Fatal(err)
	}
	results, err := runs.Run(context.Background(), &runs.Job{Trace: tr, Name: "t", Config: c, Choices: cs, Audit: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range results[0].Violations {
		t.Errorf("%s: cycle %d, %s: %s", policy, v.Time, v.Rule, v.What)
	}
}
