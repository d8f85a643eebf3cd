package policies_test

import (
	"slices"
	"strings"
	"testing"

	"gpureplay/policies"
)

// The way from one policy to another switches the decisions that differ, in the order of
// the decisions, and ends with the other policy itself.
func TestBetween(t *testing.T) {
	for _, c := range []struct {
		from, to string
		tasks    bool
		want     []string
	}{
		{"serial", "ppcs", false, []string{"host: serial → streams", "dependency: barrier → crcs", "cta: fifo → ppcs"}},
		{"serial", "hyperq", false, []string{"host: serial → streams"}},
		{"serial", "hyperq", true, []string{"policy: serial → hyperq"}},
		{"ppcs", "ppcs,guard=off", false, []string{"cta: ppcs → ppcs (ppcs-guard=off)"}},
		{"serial", "nocopy", false, []string{"machine: of serial → of nocopy"}},
		{"cdp", "dtbl", false, []string{"launch: device-kernel → aggregated-group", "the rest: of cdp → of dtbl"}},
		{"hyperq", "hyperq,warp=lrr", false, []string{"warp: the machine's → lrr"}},
	} {
		from, err := policies.Parse(c.from, nil)
		if err != nil {
			t.Fatal(err)
		}
		to, err := policies.Parse(c.to, nil)
		if err != nil {
			t.Fatal(err)
		}
		before := strings.Join(from[0].Settings(), " ")
		steps := policies.Between(from[0], to[0], c.tasks)
		var got []string
		for _, s := range steps {
			got = append(got, s.Switched)
		}
		if !slices.Equal(got, c.want) || steps[len(steps)-1].Choice != to[0] {
			t.Errorf("%s to %s: %q, want %q, the last the policy itself", c.from, c.to, got, c.want)
		}
		if after := strings.Join(from[0].Settings(), " "); after != before {
			t.Errorf("%s has changed: %s", c.from, after)
		}
	}
}
