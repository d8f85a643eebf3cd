package analyse_test

import (
	"testing"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/replay/analyse"
	"gpureplay/trace/tracetest"
)

// prologues is a graph of three kernels of a CTA each. The second computes for long before it reads the result of the
// first, which loads behind a quarter of its work. The third reads the result of the second at once.
const prologues = `
array a base=0x10000 bytes=4K
launch first grid=1 block=32 graph=1
cta 0
warp 0
int R1 <- R1 x200
load R2 <- R1 @0x10800+4
int R1 <- R2 x600
store <- R1 @0x10000+4
exit
launch second grid=1 block=32 graph=1
cta 0
warp 0
int R1 <- R1 x100
load R2 <- R1 @0x10000+4
store <- R2 @0x10400+4
exit
launch third grid=1 block=32 graph=1
cta 0
warp 0
load R2 <- R1 @0x10400+4
int R1 <- R2
exit
`

// An edge gains its gap and the work in front of its wait. Its trigger belongs at the latest place that gains as much.
func TestEdges(t *testing.T) {
	cfg, err := hardware.Preset("h100")
	if err != nil {
		t.Fatal(err)
	}
	tr := tracetest.FromText(t, prologues)
	runs, edges, err := analyse.Edges(t.Context(), tr, cfg, &host.Timing{}, 0, nil)
	if err != nil || len(edges) != 2 {
		t.Fatalf("%d edges: %v", len(edges), err)
	}
	work := 99*int64(cfg.Exec.Int.Latency) + int64(cfg.SM.CTALaunchLatency)
	first, second := &edges[0], &edges[1]
	least, gain := int64(first.Gap())+work, int64(first.Gains.PDL)
	if first.Predecessor != 0 || first.Successor != 1 || first.Gains.Trigger != "last-load" || gain < least ||
		gain > least+20 {
		t.Errorf("%+v: want a gain of %d to %d with a trigger at the last load", first, least, least+20)
	}
	if g := second.Gains; g.Trigger == "" || int64(g.PDL) > int64(second.Gap())+200 || g.PDL > g.Bound+200 {
		t.Errorf("%+v: want a gain of the gap, %d", second, second.Gap())
	}
	if runs[0].Cycles-runs[len(runs)-1].Cycles < first.Gains.Bound+second.Gains.Bound {
		t.Errorf("the bound gains %d cycles, its edges %d and %d", runs[0].Cycles-runs[len(runs)-1].Cycles, first.Gains.Bound,
			second.Gains.Bound)
	}
	sum := model.Time(0) // in one stream the gains of edges add up to a replay's, but for the first kernel
	for i := range edges {
		sum += edges[i].Gains.Megakernel
	}
	if mega := &runs[len(runs)-2]; mega.Policy != "megakernel" || sum < runs[0].Cycles-mega.Cycles-2000 ||
		sum > runs[0].Cycles-mega.Cycles+2000 || sum == 0 {
		t.Errorf("edges gain %d cycles in a megakernel, and the trace %d", sum, runs[0].Cycles-mega.Cycles)
	}
	classes, err := analyse.EdgeClasses(tr, edges)
	if err != nil || len(classes) != 2 || classes[0].Predecessor != "first" || classes[0].Gains.Trigger != "last-load" {
		t.Errorf("%+v: %v", classes, err)
	}
}

// A trace without instructions has edges, and no place for a trigger.
func TestEdgesOfTimes(t *testing.T) {
	cfg, err := hardware.Preset("h100")
	if err != nil {
		t.Fatal(err)
	}
	tr := tracetest.FromText(t, "launch a grid=1 block=32 fidelity=kernel duration=1000\n"+
		"launch b grid=1 block=32 fidelity=kernel duration=1000\nsync\n")
	runs, edges, err := analyse.Edges(t.Context(), tr, cfg, nil, 0, nil)
	if err != nil || len(edges) != 1 || edges[0].Gains.PDL != 0 || edges[0].Gains.Trigger != "" || edges[0].Gap() == 0 {
		t.Fatalf("%+v: %v", edges, err)
	}
	for _, x := range runs {
		if (x.Trigger != "" || x.Policy == "megakernel") != (x.Lacks != "") {
			t.Errorf("%+v", x)
		}
	}
}
