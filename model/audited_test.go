package model_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/policies"
	runs "gpureplay/replay"
	"gpureplay/replay/table"
	"gpureplay/trace"
	"gpureplay/trace/container"
)

// audited replays a trace with the auditor on and fails the test on a violation. Programs whose warps access memory
// before they wait race by themselves: those violations are no fault.
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
		if racesItself(t, tr, &v) {
			continue
		}
		t.Errorf("%s: cycle %d, %s: %s", policy, v.Time, v.Rule, v.What)
	}
}

// racesItself reports whether a violation is a hazard whose later kernel has waits of its own (ACQBULK): its warps may
// access memory before them, and a policy adds no other.
func racesItself(t testing.TB, tr *container.Reader, v *table.Audit) bool {
	if !slices.Contains([]string{"raw", "war", "waw"}, v.Rule) {
		return false
	}
	var cta, page, first, later uint32
	switch n, _ := fmt.Sscanf(v.What, "CTA %d of kernel %d touches page 0x%x after kernel %d", &cta, &first, &page,
		&later); n {
	case 3:
		later = first // an earlier kernel is not done
	case 4:
	default:
		t.Fatalf("another text of %s: %s", v.Rule, v.What)
	}
	var k trace.Kernel
	if err := tr.Kernel(later, &k); err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(tr.Program().Functions[k.Function].Insts, func(i trace.Inst) bool {
		return strings.HasPrefix(i.Opcode, "ACQBULK")
	})
}
