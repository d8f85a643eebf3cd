package policies_test

import (
	"context"
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/policies"
	runs "gpureplay/replay"
	"gpureplay/trace/container"
)

// audited replays a trace with the auditor on and fails the test on a violation: a test's hand-computed run must
// also keep every invariant.
func audited(t testing.TB, r *container.Reader, cfg *hardware.Config, cs []*policies.Choice) {
	t.Helper()
	results, err := runs.Run(context.Background(), &runs.Job{Trace: r, Name: "t", Config: cfg, Choices: cs, Audit: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range results {
		for _, v := range x.Violations {
			t.Errorf("%s: cycle %d, %s: %s", x.Policy, v.Time, v.Rule, v.What)
		}
	}
}
