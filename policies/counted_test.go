package policies

import (
	"strings"
	"testing"

	"gpureplay/model/host"
	"gpureplay/trace/tracetest"
)

const countedText = `
array a bytes=64K
launch parent block=32
cta 0
 warp 0
  devlaunch
   child 1 lane=0 work=32 params=64 marked
  exit
kernel job block=64 fidelity=cta child
cta 0
 count int x7
launch touching block=64 fidelity=cta
cta 0
 touch a read 0..64
launch timed grid=2 block=64 fidelity=cta duration=10
cta 0
 count int x7
launch known grid=2 block=64 fidelity=kernel
`

// Diagnostics of kernels without warps: which work is inferred and from which data, and which policies that leaves
// out.
func TestFactsOfCounts(t *testing.T) {
	f, err := ProfileTrace(tracetest.FromText(t, countedText), host.NotTasks)
	if err != nil {
		t.Fatal(err)
	}
	got := [8]uint64{f.Kernels, f.Counted, f.Touching, f.Inferred, f.Timed, f.TimedCTAs, f.Uncounted, f.Bodiless}
	if want := [8]uint64{5, 1, 1, 2, 1, 1, 2, 1}; got != want {
		t.Errorf("%v, want %v", got, want)
	}
	lacks := strings.Join(f.Missing(), "\n")
	for _, want := range []string{
		"warps of 1 of 5 kernels: their instructions are counted for each CTA",
		"instructions of 1 of 5 kernels: their CTAs make the stated accesses and nothing else",
		"instructions of 2 of 5 kernels: their work is inferred from durations",
		"durations of 1 of these kernels",
	} {
		if !strings.Contains(lacks, want) {
			t.Errorf("not said: %q in\n%s", want, lacks)
		}
	}
	apply, rest, err := Applicable(f, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range apply {
		switch c.Label {
		case "flat", "threshold", "offline-search", "spawn", "spawn+dtbl":
			t.Errorf("%s applies, which may have a parent do the work of a child", c.Label)
		}
	}
	if text := strings.Join(rest, "\n"); !strings.Contains(text, "flat: it does not know the warps of 1 of its children") {
		t.Errorf("%s", text)
	}
}
