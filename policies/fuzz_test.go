package policies_test

import (
	"strings"
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/policies"
)

// FuzzParse reads any list of policies: an error of one line, or choices that their
// labels name again, and that make a policy or say in one line why not.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"serial", "serial,ppcs,guard=off,cta=fifo", "threshold=128", "dtbl,match=kde,agt=2,fallback=api",
		"crcs,crcs-profiler=off,pages=text",
		"spawn+dtbl,spawn-queue=3", "pagoda-batch,pagoda-batch-size=7", "fusion,fusion-batch=fill",
		"serial,warp=lrr,launch=none", "crcs,prelude=random,prelude-seed=1", " serial , ",
	} {
		f.Add(s)
	}
	cfg, err := hardware.Preset("k20c")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, list string) {
		line := func(err error) {
			if strings.Contains(err.Error(), "\n") && !strings.Contains(list, "\n") {
				t.Errorf("an error of several lines: %v", err)
			}
		}
		cs, err := policies.Parse(list, nil)
		if err != nil {
			line(err)
			return
		}
		for _, c := range cs {
			again, err := policies.Parse(c.Label, nil)
			if err != nil || len(again) != 1 || again[0].Label != c.Label {
				t.Fatalf("%q of %q: %d choices, %v", c.Label, list, len(again), err)
			}
			if p, machine, err := c.Build(cfg); err != nil {
				line(err)
			} else if p == nil || machine.Validate() != nil {
				t.Errorf("%q: no policy, or a machine that cannot exist", c.Label)
			}
		}
	})
}
