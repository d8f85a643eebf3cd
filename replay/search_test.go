package replay

import (
	"context"
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/policies"
	"gpureplay/trace/tracetest"
)

const twoChildren = `
launch parent grid=1 block=32
cta 0
 warp 0
  devlaunch
  child 1 lane=0 work=100 params=8 marked
  child 2 lane=1 work=512 params=8 marked
  exit
kernel work grid=1 block=32 child
cta 0
 warp 0
  int x200
  exit
kernel work grid=16 block=32 child
cta 0..15
 warp 0
  int x200
  exit
`

// A search leaves a result for every threshold that it tried and, last, one under its own name with the cycles of
// the fastest; speedups refer to it where it comes first. Here the lane with 512 items is better launched. The lane
// with 100 does its work while the launch is on its way, which takes 1,721 cycles less for one lane than for two.
func TestSearchKeepsEveryTry(t *testing.T) {
	cfg, err := hardware.Preset("k20m-spawn")
	if err != nil {
		t.Fatal(err)
	}
	cfg.Launch.BlocksWarp = false // the lane with 100 items works while the launch is on its way
	for _, list := range []string{"offline-search,cdp", "cdp,offline-search"} {
		cs, err := policies.Parse(list, nil)
		if err != nil {
			t.Fatal(err)
		}
		results, err := Run(context.Background(),
			&Job{Trace: tracetest.FromText(t, twoChildren), Name: "t", Config: cfg, Choices: cs, Audit: true})
		if err != nil {
			t.Fatal(err)
		}
		byName := map[string]*Result{}
		var labels []string
		for _, r := range results {
			byName[r.Policy] = r
			labels = append(labels, r.Policy)
			if len(r.Violations) > 0 {
				t.Errorf("%s: %+v", r.Policy, r.Violations[0])
			}
		}
		if len(results) != 5 { // thresholds 0, 100 and 512
			t.Fatalf("results of %q", labels)
		}
		found, best := byName["offline-search"].Run, byName["threshold=100"].Run
		if found.Cycles != best.Cycles || found.LaunchesMade != 1 {
			t.Errorf("%s: it settles on %d cycles with %d launches, want those of threshold=100, %d with 1", list,
				found.Cycles, found.LaunchesMade, best.Cycles)
		}
		base := byName[cs[0].Label].Run
		for name, r := range byName {
			if want := float64(base.Cycles) / float64(r.Run.Cycles); r.Speedup != want {
				t.Errorf("%s: %s is %v over %s, want %v", list, name, r.Speedup, r.Baseline, want)
			}
		}
	}
}
