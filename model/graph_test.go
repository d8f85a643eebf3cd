package model_test

import (
	"fmt"
	"testing"

	"gpureplay/model/host"
)

// On a machine of a cycle a nanosecond, a launch arrives 7 after its call, which takes
// 11, and is dispatched in 40.
//
// hyperq: a is called at 100, begins at 147; b is called at 111 + 50, begins at 208 and
// ends at 308, for which the host waits: its work of 30 ended at 202. c is called at 308.
//
// graph: b comes with a's call, at 111, when the host is free, and begins at 151; the 50
// before it are gone, the 30 behind it stay. The host waits for b, to 251; c is a graph
// of its own, and so is d, of another step: it is called 20 after c.
func TestGraph(t *testing.T) {
	const text = `meta fidelity=kernel
scope ProfilerStep#1
scope inner in=0
scope ProfilerStep#2
work 100
launch a grid=1 block=32 fidelity=kernel start=0 duration=100 scope=1
work 50
launch b grid=1 block=32 stream=1 fidelity=kernel start=0 duration=100 scope=0
work 30
sync
launch c grid=1 block=32 stream=2 fidelity=kernel start=0 duration=100 scope=0
work 20
launch d grid=1 block=32 stream=3 fidelity=kernel start=0 duration=100 scope=2
`
	for policy, want := range map[string]string{
		"hyperq": "[147-247 208-308 355-455 386-486]",
		"graph":  "[147-247 151-251 298-398 329-429]",
	} {
		if got := fmt.Sprint(recordedEnds(t, text, policy, host.Timing{}, nil)); got != want {
			t.Errorf("%s: %s, want %s", policy, got, want)
		}
	}
}

// b is launched behind a in one stream, 11 later, and begins beside it; the copy waits
// for both, 5 + 64 from 1047 on, and c for the copy.
func TestFreed(t *testing.T) {
	const text = `meta fidelity=kernel
launch a grid=1 block=32 fidelity=kernel start=0 duration=1000
launch b grid=1 block=32 fidelity=kernel start=0 duration=100
d2h bytes=64 async
launch c grid=1 block=32 fidelity=kernel start=0 duration=100
`
	for policy, want := range map[string]string{
		"hyperq": "[47-1047 1087-1187 1296-1396]",
		"freed":  "[58-158 47-1047 1156-1256]",
	} {
		if got := fmt.Sprint(recordedEnds(t, text, policy, host.Timing{}, nil)); got != want {
			t.Errorf("%s: %s, want %s", policy, got, want)
		}
	}
}

// Launches begin 50 behind their calls, as captured. b begins beside a, at 60, and stays at
// the front of its stream when a has ended, at 100, with time before it of which the capture
// lacks the kernels (100 to 5,000). That has passed it; the copy begins when b has ended, at
// 1,060, and once: c and d are behind its 9,000, dispatched in 40, one in a cycle.
func TestFreedThatBeganBefore(t *testing.T) {
	const text = `meta fidelity=kernel
launch a grid=1 block=32 fidelity=kernel ns=10 host=0 start=50 duration=50
launch b grid=1 block=32 fidelity=kernel ns=10 host=10 start=5000 duration=1000
d2h bytes=64 async ns=10 host=20 start=6000 duration=9000
launch c grid=1 block=32 fidelity=kernel ns=10 host=30 start=15000 duration=100
launch d grid=1 block=32 fidelity=kernel ns=10 host=40 start=15100 duration=100
`
	timing := host.Timing{Host: host.TimesRecorded, Copies: host.CopiesRecorded}
	const want = "[50-100 60-1060 10100-10200 10101-10201]"
	if got := fmt.Sprint(recordedEnds(t, text, "freed", timing, nil)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
