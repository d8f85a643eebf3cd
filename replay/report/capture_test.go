package report

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/replay/table"
	"gpureplay/trace"
)

const hostile = `</script><script>alert(1)</script><img src=x onerror=alert(2)>"'&`

// rank writes a capture with hostile names and its replay at 1 GHz. Recorded, in ms from its first call on: a copy at
// 100-200, kernels at 300-500 (called at 250) and 600-late (called at 150), each of a stream. Replayed the same, 10
// ms later.
func rank(t *testing.T, dir, name string, late int64) {
	t.Helper()
	const m = 1_000_000
	s, err := table.Open(table.Options{Dir: dir, Trace: name, Policy: "hyperq", GPU: "g", Set: "file." + name,
		ClockMHz: 1000})
	if err != nil {
		t.Fatal(err)
	}
	s.Run(&table.Run{Fidelity: trace.FidelityKernel, RecordedNs: late * m,
		Summary: model.Summary{Cycles: model.Time((late + 10) * m), Kernels: 2, KernelsInferred: 2}})
	const origin = 1000
	call := func(kind trace.OpKind, kernel uint32, asked, from, to int64) {
		op, at := &trace.HostOp{Kind: kind, Kernel: kernel}, &trace.Recorded{HostNs: origin + asked*m, StartNs: origin +
			from*m, DurationNs: (to - from) * m}
		s.Call(&table.Call{Op: op, Recorded: at, Scope: hostile})
		if kind != trace.OpLaunch {
			s.Observer().Stage(&model.StageRecord{Stage: model.StageH2D, Kernel: model.NoKernel, Array: trace.NoArray,
				Start: model.Time((from + 10) * m), End: model.Time((to + 10) * m)})
			return
		}
		s.Observer().Kernel(&model.KernelRecord{ID: kernel, Function: hostile + fmt.Sprint(kernel), Parent: model.NoKernel,
			Stream: uint64(kernel), CTAs: 4,
			Arrive: model.Time((asked + 10) * m), FirstCTA: model.Time((from + 10) * m), End: model.Time((to + 10) * m),
			Recorded: at})
	}
	call(trace.OpCopyH2D, 0, 0, 100, 200)
	call(trace.OpLaunch, 1, 250, 300, 500)
	call(trace.OpLaunch, 2, 150, 600, late)
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
}

// The page of a capture sets recorded beside replayed times, divides the idle time, and lists kernels and streams.
func TestCaptureTellsItsStory(t *testing.T) {
	dir := t.TempDir()
	rank(t, dir, "rank0", 1000)
	rank(t, dir, "rank1", 1500)
	all := figuresOf(t, dir)
	for title, want := range map[string]string{
		// Nothing at 0-100 (the host is late), 200-250 (likewise), 250-300 and 500-600 (launched).
		"Where the time goes": "run kernels ms copies alone ms waits for the host ms gaps after a launch ms|" +
			"recorded 1100.000 100.000 150.000 150.000|hyperq 1100.000 100.000 160.000 150.000",
		"Recorded and replayed": "run ms of recorded %|recorded 1500.000 100.0|hyperq 1510.000 100.7",
		"Captures side by side": "capture recorded ms replayed ms kernels ms copies alone ms waits for the host ms gaps " +
			"after a launch ms|" +
			"rank0 1000.000 1010.000 600.000 100.000 150.000 150.000|rank1 1500.000 1510.000 1100.000 100.000 150.000 150.000",
	} {
		f := all[title]
		if f == nil {
			t.Errorf("no plot %q", title)
			continue
		}
		lines := []string{strings.Join(f.Table.Header, " ")}
		for _, r := range f.Table.Rows {
			lines = append(lines, strings.Join(r, " "))
		}
		if got := strings.Join(lines, "|"); got != want {
			t.Errorf("%s: %s, want %s", title, got, want)
		}
	}
	if f := all["Streams over time"]; f == nil || len(f.Lanes.Rows) != 4 || f.Table.Rows[0][1] != "recorded" ||
		f.Table.Rows[1][1] != "hyperq" {
		t.Errorf("streams %+v", f)
	}
	if f := all["Kernels that take longest"]; f == nil || len(f.Table.Rows) != 2 || f.Table.Rows[0][1] != "1" {
		t.Errorf("kernels %+v", f)
	}
}

// The idle time of rank0, and the page's names of captures.
func TestCapturePage(t *testing.T) {
	dir := t.TempDir()
	rank(t, dir, "rank0", 1000)
	s, err := open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.readStories(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	const m = 1_000_000
	for _, a := range s.groups()[0].activities() {
		want := []int64{600 * m, 100 * m, 150 * m, 150 * m, 0}
		if !a.Recorded {
			want[2] += 10 * m
		}
		if got := idleOf(a); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", nameOf(a), got, want)
		}
	}
	var page bytes.Buffer
	opt := Options{WhatIfs: []WhatIf{{Change: "recorded", Ns: 1000}, {Change: hostile, Ns: 500, Bound: "at least",
		Limits: "host 40 %"}}}
	if _, err := Write(context.Background(), &page, dir, opt); err != nil {
		t.Fatal(err)
	}
	text := page.String()
	if strings.Contains(text, "<script") || strings.Contains(text, "<img") || !strings.Contains(text, "&lt;script&gt;") {
		t.Error("a name of a kernel or a range is markup")
	}
	for _, want := range []string{"One thing changed", "(at least)", "host 40 %",
		"All 2 kernels of rank0 have inferred work"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(text, "file.rank0") || strings.Contains(text, "L2 hits") {
		t.Error("the page has the hash of a machine, or a column without a figure")
	}
}
