package analyse

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/trace"
	"gpureplay/trace/tracetest"
)

// A host that takes 900 ns of the 2,000 of a program: half of it is left with a host
// twice as fast, and a host that takes no time leaves the kernel and its dispatch.
func TestWhatIf(t *testing.T) {
	r := tracetest.FromText(t, `meta gpu=k20c fidelity=kernel
launch a grid=1 block=32 fidelity=kernel ns=400 host=0 start=1000 duration=1000
sync
work 500
launch b grid=1 block=32 fidelity=kernel ns=400 host=2500 start=3500 duration=1000
`)
	all, err := RunWhatIfs(t.Context(), r, 0, nil, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{ // k20c dispatches in 283 cycles of 706 MHz: 401 ns
		"recorded": 4500, "captured": 4500, "replayed": 4500, "calls that cost nothing": 2*(401+1000) + 500,
		"a host twice as fast": 4250, "a host that takes no time": 2 * (401 + 1000), "26 SMs": 4500,
		"26 SMs, host no limit": 2 * (401 + 1000),
		// nothing to gain for a graph of one kernel, nor without the order of a stream that the host waits for
		"each step a CUDA graph": 4500, "streams freed": 4500,
	}
	for _, w := range all.Rows {
		if off := w.Ns - want[w.What]; off < -20 || off > 20 { // cycles are 1.4 ns
			t.Errorf("%s: %d ns, want %d", w.What, w.Ns, want[w.What])
		}
		delete(want, w.What)
		sum := model.Time(0)
		for _, x := range w.Limits.List() {
			sum += x.Cycles
		}
		if ns := int64(float64(sum) / 0.706); w.What != "recorded" && (ns-w.Ns < -2 || ns-w.Ns > 2) {
			t.Errorf("%s: the limits come to %d of %d ns", w.What, ns, w.Ns)
		}
	}
	if len(want) > 0 {
		t.Errorf("not there: %v", want)
	}
	if _, err := RunWhatIfs(t.Context(), tracetest.FromText(t, "launch a grid=1 block=32\n"), 0, nil, 1, nil); err == nil {
		t.Error("a trace without times is taken for a capture")
	}
}

// A capture of the device alone has no rows about the host.
func TestWhatIfWithoutHost(t *testing.T) {
	r := tracetest.FromText(t, `meta gpu=k20c fidelity=kernel
launch a grid=1 block=32 fidelity=kernel start=1000 duration=1000
launch b grid=1 block=32 fidelity=kernel start=3500 duration=1000
`)
	all, err := RunWhatIfs(t.Context(), r, 39, nil, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	var asked []string
	for _, w := range all.Rows {
		asked = append(asked, w.What)
	}
	if want := []string{"recorded", "captured", "replayed", "streams freed", "39 SMs"}; !slices.Equal(asked, want) {
		t.Errorf("asked %q, want %q", asked, want)
	}
	if all.Rows[0].Ns != 3500 || !strings.HasPrefix(all.Rows[2].Notes, "no call of the host") {
		t.Errorf("%+v", all)
	}
}

// A is launched at 10 and runs 20-50, B at 30 and 60-80, C keeps its start and runs 100-110, D is launched at 130
// and runs 140-150; a copy 85-95; the end at 160. So the host is waited for in 0-10, 110-130 and 150-160, the copy
// in 85-95, and C's start in 80-85 and 95-100. Boundaries are 10-20, 50-60 and 130-140.
func TestLimitsByHand(t *testing.T) {
	w := limitWatch{pin: uncalled}
	for _, k := range []model.KernelRecord{
		{Arrive: 130, FirstCTA: 140, End: 150}, {Arrive: 30, FirstCTA: 60, End: 80}, {Arrive: 10, FirstCTA: 20, End: 50},
		{Arrive: 100, FirstCTA: 100, End: 110, Recorded: &trace.Recorded{HostNs: -1, StartNs: 100}},
		{FirstCTA: model.Unset, End: model.Unset},
	} {
		w.Kernel(&k)
	}
	w.Stage(&model.StageRecord{Stage: model.StageH2D, Start: 85, End: 95})
	w.Stage(&model.StageRecord{Stage: model.StageKernel, Start: 0, End: 160})
	want := Limits{GPU: 70, Boundaries: 30, Copies: 10, Host: 40, Pinned: 10}
	if got := w.limits(160); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// The time on another GPU is a bound: on a newer one the most, by the lower of clock and
// bandwidth, and on an older one the least.
func TestAnotherGPUIsABound(t *testing.T) {
	own, err := hardware.Preset("h100")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		capability   int
		clock, bytes float64 // times the captured GPU's
		bound        string
		scale        float64
	}{
		{100, 0.5, 1, "at most", 2}, {100, 2, 2, "at most", 1}, {90, 1, 0.5, "at most", 2}, {80, 0.5, 0.5, "at least", 1},
		{80, 1, 4, "at least", 0.25},
	} {
		gpu := *own
		gpu.SM.ComputeCapability = c.capability
		gpu.Clock.CoreMHz *= c.clock
		gpu.Clock.DRAMMHz *= c.bytes
		rows := onAnother(own, &gpu, host.Timing{}, true)
		if len(rows) != 2 || rows[0].bound != c.bound || math.Abs(rows[0].scale-c.scale) > 1e-9 {
			t.Errorf("%+v: %d rows, %s times %v", c, len(rows), rows[0].bound, rows[0].scale)
		}
	}
}
