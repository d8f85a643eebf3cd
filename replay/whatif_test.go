package replay

import (
	"slices"
	"strings"
	"testing"

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
	all, err := WhatIfs(t.Context(), r, 0, nil, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{ // k20c dispatches in 283 cycles of 706 MHz: 401 ns
		"recorded": 4500, "captured": 4500, "replayed": 4500, "calls that cost nothing": 2*(401+1000) + 500,
		"a host twice as fast": 4250, "a host that takes no time": 2 * (401 + 1000), "26 SMs": 4500,
		// nothing to gain for a graph of one kernel, nor without the order of a stream that the host waits for
		"each step a CUDA graph": 4500, "streams freed": 4500,
	}
	for _, w := range all {
		if off := w.Ns - want[w.What]; off < -20 || off > 20 { // cycles are 1.4 ns
			t.Errorf("%s: %d ns, want %d", w.What, w.Ns, want[w.What])
		}
		delete(want, w.What)
	}
	if len(want) > 0 {
		t.Errorf("not there: %v", want)
	}
	if _, err := WhatIfs(t.Context(), tracetest.FromText(t, "launch a grid=1 block=32\n"), 0, nil, 1, nil); err == nil {
		t.Error("a trace without times is taken for a capture")
	}
}

// Where the profiler saw the device alone, what the host does is not asked.
func TestWhatIfWithoutHost(t *testing.T) {
	r := tracetest.FromText(t, `meta gpu=k20c fidelity=kernel
launch a grid=1 block=32 fidelity=kernel start=1000 duration=1000
launch b grid=1 block=32 fidelity=kernel start=3500 duration=1000
`)
	all, err := WhatIfs(t.Context(), r, 39, nil, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	var asked []string
	for _, w := range all {
		asked = append(asked, w.What)
	}
	if want := []string{"recorded", "captured", "replayed", "streams freed", "39 SMs"}; !slices.Equal(asked, want) {
		t.Errorf("asked %q, want %q", asked, want)
	}
	if all[0].Ns != 3500 || !strings.HasPrefix(all[2].Notes, "no call of the host") {
		t.Errorf("%+v", all)
	}
}
