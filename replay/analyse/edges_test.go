package analyse_test

import (
	"strings"
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
	b, err := analyse.Edges(t.Context(), tr, cfg, &host.Timing{}, 0, nil)
	if err != nil || len(b.Edges) != 2 {
		t.Fatalf("%+v: %v", b, err)
	}
	edges := b.Edges
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
	if cost := b.Streams.Cycles - b.Free.Cycles; cost < first.Gains.Bound+second.Gains.Bound {
		t.Errorf("the bound gains %d cycles, its edges %d and %d", cost, first.Gains.Bound, second.Gains.Bound)
	}
	sum := model.Time(0) // in one stream the gains of edges add up to a replay's, but for the first kernel
	for i := range edges {
		sum += edges[i].Gains.Megakernel
	}
	if gain := b.Streams.Cycles - b.Megakernel.Cycles; sum < gain-2000 || sum > gain+2000 || sum == 0 {
		t.Errorf("edges gain %d cycles in a megakernel, and the trace %d", sum, gain)
	}
	if b.Calls != (analyse.Calls{Kernels: 3, Nodes: 2}) || b.Alone.Policy != "" {
		t.Errorf("calls %+v; beside a graph: %q", b.Calls, b.Alone.Policy)
	}
	classes, err := analyse.EdgeClasses(tr, edges)
	if err != nil || len(classes) != 2 || classes[0].Predecessor != "first" || classes[0].Edges != 1 ||
		classes[0].Gains.Trigger != "last-load" {
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
	b, err := analyse.Edges(t.Context(), tr, cfg, nil, 0, nil)
	if err != nil || len(b.Edges) != 1 {
		t.Fatalf("%+v: %v", b, err)
	}
	if e := &b.Edges[0]; !e.Gains.NoPDL || !e.Gains.NoMegakernel || e.Gains.Trigger != "" || e.Gap() == 0 {
		t.Errorf("%+v", e)
	}
	for _, x := range b.Runs() {
		if (x.Trigger != "" || x.Policy == "megakernel") != (x.Lacks != "") {
			t.Errorf("%+v", x)
		}
	}
}

// A trigger of a path is tried at other places too. In streams each kernel arrives behind the end of the one before, so
// that a programmatic launch gains nothing there, and in a graph something.
func TestEdgesOfPathsWithTriggers(t *testing.T) {
	cfg, err := hardware.Preset("h100")
	if err != nil {
		t.Fatal(err)
	}
	cfg.Host.LaunchOverheadNs = 20000 // the call of a graph, which its first kernel hides
	text := strings.ReplaceAll(prologues, " graph=1", "")
	text = strings.Replace(text, "launch first", "launch long grid=1 block=32\ncta 0\nwarp 0\nint R1 <- R1 x12000\nexit\n"+
		"launch first", 1)
	text = strings.Replace(text, "x600\n", "x600\nPREEXIT control\n", 1)
	b, err := analyse.Edges(t.Context(), tracetest.FromText(t, text), cfg, &host.Timing{}, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	var gains []model.Time
	for _, x := range b.Programmatic {
		gains = append(gains, b.Graph.Cycles-x.Cycles)
	}
	if gains[0] <= 0 || gains[2] <= gains[0] || !strings.HasSuffix(b.Best().Policy, "begin,own=moved") {
		t.Errorf("gains of places %v, the best is %s", gains, b.Best().Policy)
	}
	if b.Alone.Cycles != b.Streams.Cycles || b.Graph.Cycles >= b.Streams.Cycles || b.Calls.Nodes != 0 {
		t.Errorf("streams %d, with programmatic launches %d, graph %d", b.Streams.Cycles, b.Alone.Cycles, b.Graph.Cycles)
	}
}

// The host's waits, and launches that share a call, are counted.
func TestCalls(t *testing.T) {
	tr := tracetest.FromText(t, `
h2d bytes=4096
launch a grid=1 block=32 fidelity=kernel host=0 start=1000 duration=100
launch a grid=1 block=32 fidelity=kernel host=0 start=1200 duration=100
sync
launch a grid=1 block=32 fidelity=kernel host=4000 start=5000 duration=100
memset bytes=64 async
launch a grid=1 block=32 fidelity=kernel host=4500 start=5200 duration=100
`)
	cfg, err := hardware.Preset("h100")
	if err != nil {
		t.Fatal(err)
	}
	b, err := analyse.Edges(t.Context(), tr, cfg, nil, 0, nil)
	if want := (analyse.Calls{Kernels: 4, Nodes: 1, Waits: 1}); err != nil || b.Calls != want {
		t.Errorf("%+v, want %+v: %v", b.Calls, want, err)
	}
}
