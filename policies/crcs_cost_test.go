package policies_test

import (
	"fmt"
	"strings"
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/policies"
)

// costs returns the lines of a policy's cost by their first words.
func costs(t *testing.T, policy string, change func(*hardware.Config)) func(what string) string {
	t.Helper()
	cs, err := policies.Parse(policy, nil)
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := hardware.Preset(cs[0].Policy.CostOn)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(cfg)
	}
	lines := cs[0].Cost(cfg)
	return func(what string) string {
		for _, l := range lines {
			if strings.HasPrefix(l.What, what) {
				return fmt.Sprintf("%.6g %s", l.Value, l.Unit)
			}
		}
		return "none"
	}
}

// Section 5.4: 1 KB per SM, 26 bits per kernel, 3.25 KB for 1,024 kernels, 0.77 %
// of 64 x (32 + 32 + 48) KB + 1.5 MB.
func TestCRCSCostIsThePapers(t *testing.T) {
	of := costs(t, "ppcs", nil)
	for what, want := range map[string]string{
		"TLB entry:": "64 bits", "TLB of an SM": "1024 bytes", "kernel record:": "26 bits", "kernel records": "3328 bytes",
		"added in all": "68864 bytes", "storage of the GPU": fmt.Sprintf("%.6g bytes", float64(64*112*1024+1536*1024)),
		"added to the GPU's storage": "0.772633 %",
	} {
		if got := of(what); got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
}

// The cost follows the configuration: half the SMs, twice the TLB, wider counters,
// no kernel records without PPCS.
func TestCRCSCostFollowsTheMachine(t *testing.T) {
	of := costs(t, "crcs,counter-bits=14", func(c *hardware.Config) { c.SM.Count, c.TLB.Entries = 32, 256 })
	for what, want := range map[string]string{"TLB entry:": "72 bits", "TLBs of all SMs": "73728 bytes",
		"kernel record": "none", "added in all": "73728 bytes"} {
		if got := of(what); got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
}
