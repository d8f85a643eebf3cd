package capture

import (
	"testing"

	"gpureplay/trace"
	"gpureplay/trace/tracetest"
)

// Two streams: 0 runs 0-10, 15-20 and, within, 16-18; 1 runs 5-15. Copies 18-30 and 28-40. So kernels 0 to 20,
// several in 5-10 and 15-18 (5-10: streams 0 and 1; at 15 the one ends as the other begins; 16-18 two of stream 0).
// Copies 18-40, 18-20 of it beside a kernel.
func TestActivity(t *testing.T) {
	a := &Activity{
		Kernels: []Span{{Name: "f", From: 15, To: 20}, {Name: "f", From: 0, To: 10},
			{Name: "g", From: 16, To: 18}, {Name: "g", Stream: 1, From: 5, To: 15}},
		Copies: []Span{{Name: "h2d", From: 18, To: 30, Bytes: 100}, {Name: "h2d", From: 28, To: 40, Bytes: 20}},
	}
	if got, want := a.Overlap(), (Overlap{Span: 40, Kernels: 20, Several: 7, Copies: 22, CopiesHidden: 2}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	b := *a // a file is read before, and the run goes on for 10
	b.Files, b.Ns = []Span{{Name: "prelude", From: -50, To: -5, Bytes: 7}}, 100
	if got, want := b.Overlap(),
		(Overlap{Span: 100, Kernels: 20, Several: 7, Copies: 22, CopiesHidden: 2, Files: 45, Idle: 15}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	f := a.Functions()
	if len(f) != 2 || f[0] != (Times{Name: "f", Count: 2, Ns: 15, MostNs: 10}) ||
		f[1] != (Times{Name: "g", Count: 2, Ns: 12, MostNs: 10}) {
		t.Errorf("functions %+v", f)
	}
	s := a.Streams()
	if len(s) != 2 || s[0] != (Times{Count: 3, Ns: 15, MostNs: 10, GapNs: 5, MostGapNs: 5}) ||
		s[1] != (Times{Stream: 1, Count: 1, Ns: 10, MostNs: 10}) {
		t.Errorf("streams %+v", s)
	}
	if l := a.Links(); len(l) != 1 || l[0] != (Times{Name: "h2d", Count: 2, Ns: 24, MostNs: 12, Bytes: 120}) {
		t.Errorf("links %+v", l)
	}
	if got := (&Activity{}).Overlap(); got != (Overlap{}) {
		t.Errorf("nothing: %+v", got)
	}
}

// A capture's copies are there beside its kernels, and its span is the capture's.
func TestRecordedActivity(t *testing.T) {
	r := tracetest.FromText(t, `meta gpu=k20c fidelity=kernel
memset addr=0x1000 bytes=64 host=100 start=300 duration=100
h2d addr=0x1000 bytes=64 host=500 start=1000 duration=2000
launch a grid=1 block=32 fidelity=kernel host=2500 start=3500 duration=1000
`)
	a, err := RecordedActivity(r, "x")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := a.Overlap(), (Overlap{Span: 4400, Kernels: 1000, Copies: 2100, Idle: 1300}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if l := a.Links(); len(l) != 2 || l[0].Name != "h2d" || l[0].Bytes != 64 || l[1].Name != "memset" {
		t.Errorf("links %+v", l)
	}
}

// Work that begins at time 0 has a time; work without a start or a duration has none.
func TestRecordedTimes(t *testing.T) {
	for times, want := range map[trace.Recorded]int{
		{StartNs: 0, DurationNs: 5}: 1, {StartNs: 3, DurationNs: 0}: 1, {StartNs: -1, DurationNs: 5}: 0,
		{StartNs: 3, DurationNs: -1}: 0,
	} {
		var a Activity
		a.recorded(&a.Kernels, &times, Span{})
		if len(a.Kernels) != want || want > 0 && (a.Kernels[0].From != times.StartNs ||
			a.Kernels[0].To != times.StartNs+times.DurationNs) {
			t.Errorf("%+v: %+v, want %d", times, a.Kernels, want)
		}
	}
}
