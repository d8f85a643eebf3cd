package analyse

import (
	"fmt"
	"testing"

	"gpureplay/trace/tracetest"
)

// Two captures: of a the kernel f shrinks by 600, g grows by 500, and h by 100.
func TestLargestChangeComesFirst(t *testing.T) {
	a := tracetest.FromText(t, `
launch f grid=1 block=32 host=0 start=100 duration=1000
launch g grid=1 block=32 host=10 start=1200 duration=1000
launch h grid=1 block=32 host=20 start=2300 duration=1000
`)
	b := tracetest.FromText(t, `
launch f grid=1 block=32 host=0 start=100 duration=400
launch g grid=1 block=32 host=10 start=1200 duration=1500
launch h grid=1 block=32 host=20 start=2800 duration=1100
`)
	c, err := CompareCaptures(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(c.Kernels), "[{f 1 1 1000 400} {g 1 1 1000 1500} {h 1 1 1000 1100}]"; got != want {
		t.Errorf("kernels %s, want %s", got, want)
	}
}

// A step lasts from its first start to its latest end. The last of its kernels to begin, on another stream, ends before
// the first: it lasts from 100 to 2100.
func TestStepEndsWithItsLatestEnd(t *testing.T) {
	r := tracetest.FromText(t, `
scope ProfilerStep#3
launch f grid=1 block=32 host=0 start=100 duration=2000 scope=0
launch g grid=1 block=32 stream=1 host=10 start=300 duration=50 scope=0
launch h grid=1 block=32 stream=2 host=20 start=90 duration=10
`)
	c, err := CompareCaptures(r, r)
	if err != nil {
		t.Fatal(err)
	}
	if c.Steps != (Change{"a step", 1, 1, 2000, 2000}) {
		t.Errorf("steps %+v, want one of 2000 ns", c.Steps)
	}
}

// A change is of the time of the first capture. Where that has none, there is no change to state.
func TestChangePct(t *testing.T) {
	for want, c := range map[float64]Change{0: {NsB: 5}, 200: {NsA: 1, NsB: 3}, -50: {NsA: 4, NsB: 2}} {
		if got := c.Pct(); got != want {
			t.Errorf("%d ns and %d ns: %v %%, want %v", c.NsA, c.NsB, got, want)
		}
	}
}
