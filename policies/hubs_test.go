package policies_test

import (
	"context"
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/policies"
	runs "gpureplay/replay"
	_ "gpureplay/samples/children"
	"gpureplay/samples/samplestest"
	"gpureplay/trace/container"
	"gpureplay/trace/tracetest"
)

// graph generates the trace of a breadth-first search of a real graph; the test
// is skipped where its data is not at hand.
func graph(t testing.TB, path string) *container.Reader {
	t.Helper()
	return samplestest.Trace(t, "dp-bfs", "graph="+tracetest.Data(t, path))
}

// outcome maps the label of a policy to its run.
type outcome map[string]*runs.Result

// replayAll runs policies over a trace, audited. Reads, copies and the host's own
// time are free: the papers' figures are of the kernels.
func replayAll(t testing.TB, r *container.Reader, gpu, list string) outcome {
	t.Helper()
	cfg, err := hardware.Preset(gpu)
	if err != nil {
		t.Fatal(err)
	}
	h := &cfg.Host
	h.StorageMBs, h.PCIeGBs, h.CopyLatencyNs, h.LaunchOverheadNs = 0, 0, 0, 0
	cs, err := policies.Parse(list, nil)
	if err != nil {
		t.Fatal(err)
	}
	results, err := runs.Run(context.Background(), &runs.Job{Trace: r, Name: "t", Config: cfg, Choices: cs, Audit: true})
	if err != nil {
		t.Fatal(err)
	}
	o := outcome{}
	for _, x := range results {
		o[x.Policy] = x
		for _, v := range x.Violations {
			t.Errorf("%s: cycle %d, %s: %s", x.Policy, v.Time, v.Rule, v.What)
		}
	}
	return o
}

// speedup is the speedup of one policy over another.
func (o outcome) speedup(policy, over string) float64 {
	return float64(o[over].Run.Cycles) / float64(o[policy].Run.Cycles)
}

// On a graph with hubs (the autonomous systems of the internet) children pay: both the search and SPAWN launch some
// and beat flat. On a triangulated plane no vertex has more than a few neighbours. The search settles on launching
// nothing. SPAWN refuses all children but the ones before its first measurement, and is slower than flat by at most
// the cost of that.
func TestHubsAndNone(t *testing.T) {
	if testing.Short() {
		t.Skip("generates graphs")
	}
	o := replayAll(t, graph(t, "graphs-small-bench/snap-as20graph.txt"), "k20m-spawn", "flat,offline-search,steps=2,spawn")
	for _, p := range []string{"offline-search,steps=2", "spawn"} {
		if o[p].Run.LaunchesMade == 0 || o.speedup(p, "flat") <= 1 {
			t.Errorf("hubs: %s makes %d launches, %.2f over flat", p, o[p].Run.LaunchesMade, o.speedup(p, "flat"))
		}
	}
	o = replayAll(t, graph(t, "graphs-kahip/delaunay_n15.graph"), "k20m-spawn", "flat,offline-search,steps=1,spawn")
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
