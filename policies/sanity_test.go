package policies_test

import (
	"testing"

	"gpureplay/samples/samplestest"
)

// benchmarks are those whose parents launch children, at sizes at which all
// policies together take a second.
var benchmarks = map[string][]string{
	"dp-amr":    {"side=8", "levels=3"},
	"dp-bfs":    {"input=graph500", "scale=10"},
	"dp-bht":    {"bodies=500", "steps=1"},
	"dp-gc":     {"input=citation", "scale=9"},
	"dp-join":   {"left=2000", "right=2000", "keys=20"},
	"dp-mandel": {"size=64", "iterations=64", "regions=8"},
	"dp-mm":     {"scale=7", "columns=64"},
	"dp-pre":    {"users=100", "items=80"},
	"dp-regx":   {"strings=100", "longest=400"},
	"dp-sa":     {"bases=5000", "count=200", "length=60", "word=5"},
	"dp-sssp":   {"input=citation", "scale=10"},
}

// Rules that hold of every benchmark that launches. Of times, by at most 2 %: launches that take no time never slow
// a run, and a larger table of groups never slows one. Ideal groups are not behind ideal kernels, whether their
// records are on chip or in memory. By construction, on every machine: the children of cdp and dtbl issue the same
// instructions. flat launches nothing, threshold=0 everything, spawn something between. dtbl launches the same as
// cdp, and joins less than all of it. A table of as many entries as there are groups spills none.
func TestSanityOfLaunchPolicies(t *testing.T) {
	const list = "flat,cdp,cdp-ideal,dtbl,dtbl-ideal,dtbl-ideal,agt=65536,dtbl-ideal,agt=64,threshold=0,spawn,dtbl," +
		"agt=64,dtbl,agt=256,dtbl,agt=65536,dtbl,agt=64,alloc=hash,dtbl,agt=256,alloc=hash"
	for name, params := range benchmarks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := replayAll(t, samplestest.Trace(t, name, params...), "k20c", list)
			noSlower := func(fast, slow string) {
				if f, s := o[fast].Run.Cycles, o[slow].Run.Cycles; float64(f) > 1.02*float64(s) {
					t.Errorf("%s takes %d cycles, %s %d", fast, f, slow, s)
				}
			}
			noSlower("cdp-ideal", "cdp")
			noSlower("dtbl-ideal", "dtbl")
			noSlower("dtbl-ideal,agt=65536", "cdp-ideal")
			noSlower("dtbl-ideal", "cdp-ideal")
			noSlower("dtbl-ideal,agt=64", "cdp-ideal")
			noSlower("dtbl", "cdp")
			noSlower("dtbl,agt=256", "dtbl,agt=64")
			noSlower("dtbl", "dtbl,agt=256")
			noSlower("dtbl,agt=65536", "dtbl")
			noSlower("dtbl,agt=256,alloc=hash", "dtbl,agt=64,alloc=hash")
			cdp, dtbl := &o["cdp"].Run, &o["dtbl"].Run
			for _, p := range []string{"cdp-ideal", "dtbl", "dtbl-ideal", "dtbl,agt=64"} {
				if r := &o[p].Run; r.WarpInsts != cdp.WarpInsts || r.ThreadInsts != cdp.ThreadInsts ||
					r.LaunchesMade != cdp.LaunchesMade {
					t.Errorf("%s issues %d instructions for %d launches, cdp %d for %d", p, r.WarpInsts, r.LaunchesMade,
						cdp.WarpInsts, cdp.LaunchesMade)
				}
			}
			all, some := &o["threshold=0"].Run, &o["spawn"].Run
			if o["flat"].Run.LaunchesMade != 0 || all.LaunchesMade != all.LaunchesRequested || some.LaunchesMade == 0 ||
				some.LaunchesMade > all.LaunchesRequested {
				t.Errorf("flat launches %d, threshold=0 %d of %d, spawn %d", o["flat"].Run.LaunchesMade, all.LaunchesMade,
					all.LaunchesRequested, some.LaunchesMade)
			}
			if dtbl.LaunchesMade > 0 && dtbl.LaunchesCoalesced >= dtbl.LaunchesMade {
				t.Errorf("all of %d groups join, the first too", dtbl.LaunchesMade)
			}
			for _, m := range o["dtbl,agt=65536"].Run.Extra {
				if m.Name == "agt_spilled_groups" && m.Value > 0 {
					t.Errorf("%v groups find no entry of 65,536", m.Value)
				}
			}
		})
	}
}
