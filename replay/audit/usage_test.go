package audit

import (
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/trace/tracetest"
)

// A CTA takes all of its resources, and returns them.
func TestUsage(t *testing.T) {
	r := &hardware.Resources{CTAs: 1, Warps: 2, Threads: 64, Registers: 2048, SharedBytes: 512}
	var u usage
	if u.take(r, 1); u != (usage{ctas: 1, warps: 2, threads: 64, registers: 2048, shared: 512}) {
		t.Errorf("taken: %+v", u)
	}
	if u.take(r, -1); u != (usage{}) {
		t.Errorf("returned: %+v", u)
	}
}

// A kernel may begin before the end of the one before it where it was recorded to. One without a record may not.
func TestOvertakes(t *testing.T) {
	tr := tracetest.FromText(t, "launch a grid=1 block=32 start=100 duration=50\nlaunch b grid=1 block=32 start=120 "+
		"duration=10\nlaunch c grid=1 block=32\nlaunch d grid=1 block=32 start=150 duration=10\n")
	o := &order{a: &Auditor{tr: tr, overlaps: true}}
	s := &streamBook{}
	for kernel, want := range []bool{false, true, false, false} {
		if got := o.overtakes(s, uint32(kernel)); got != want {
			t.Errorf("kernel %d: %t, want %t", kernel, got, want)
		}
	}
	o.a.overlaps = false
	if o.overtakes(&streamBook{ends: 200}, 1) {
		t.Error("a kernel overtakes where records do not count")
	}
}
