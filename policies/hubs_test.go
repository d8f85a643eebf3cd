package policies_test

import "testing"

// On a graph with hubs (the autonomous systems of the internet) children pay: both
// the search and SPAWN launch some and beat flat. On a triangulated plane no vertex
// has more than a few neighbours: the search settles on launching nothing, and SPAWN
// refuses all but what it launches before the first child has told it anything. It is
// then no slower than flat by more than that learning costs.
func TestHubsAndNone(t *testing.T) {
	if testing.Short() {
		t.Skip("generates graphs")
	}
	hubs := otherGraphs[0]
	o := replayAll(t, hubs.open(t), "k20m-spawn", "flat,offline-search,steps=2,spawn")
	for _, p := range []string{"offline-search,steps=2", "spawn"} {
		if o[p].Run.LaunchesMade == 0 || o.speedup(p, "flat") <= 1 {
			t.Errorf("hubs: %s makes %d launches, %.2f over flat", p, o[p].Run.LaunchesMade, o.speedup(p, "flat"))
		}
	}
	plane := otherGraphs[4]
	o = replayAll(t, plane.open(t), "k20m-spawn", "flat,offline-search,steps=1,spawn")
	if n := o["offline-search,steps=1"].Run.LaunchesMade; n != 0 {
		t.Errorf("plane: the search settles on %d launches", n)
	}
	s := o["spawn"].Run
	t.Logf("plane: %d of %d, %.3f over flat", s.LaunchesMade, s.LaunchesRequested, o.speedup("spawn", "flat"))
	if s.LaunchesMade*20 > s.LaunchesRequested {
		t.Errorf("plane: spawn makes %d of %d launches", s.LaunchesMade, s.LaunchesRequested)
	}
	if x := o.speedup("spawn", "flat"); x < 0.9 {
		t.Errorf("plane: spawn is %.2f times as fast as flat", x)
	}
}
