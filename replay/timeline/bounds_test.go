package timeline

import (
	"bytes"
	"context"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/replay/table"
)

// An arrow leads from the launch call, which lies on its parent's slice, to the child:
// its wait and its stay in the distributor, or the first CTA of its group.
func TestArrows(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, "ppcs", table.Parquet, "kernels", "launches", "ctas")
	o := s.Observer()
	launch := func(child uint32, decision model.Decision) {
		o.Launch(&model.LaunchRecord{Parent: 3, Child: child, Time: 20, Decision: decision, Arrive: 21, FirstCTA: 30})
	}
	launch(5, model.DeviceKernel)
	launch(6, model.Group)
	launch(7, model.Inline)
	for i := range uint32(2) {
		o.CTA(&model.CTARecord{Kernel: 3, CTA: i, Child: 6, SM: i, Dispatch: 30, End: 40})
	}
	o.Kernel(&model.KernelRecord{ID: 5, Function: "void ns::child<int>(int*)", Parent: 3, CTAs: 1, Arrive: 21,
		Dispatch: 25,
		FirstCTA: 30, End: 40})
	o.Kernel(&model.KernelRecord{ID: 3, Function: "parent", Parent: model.NoKernel, CTAs: 1, Arrive: 1, Dispatch: 2,
		FirstCTA: 10, End: 50})
	commit(t, s)
	var b bytes.Buffer
	if _, err := Write(context.Background(), &b, dir, Options{}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, line := range parse(t, b.Bytes()) {
		if before, _, ok := strings.Cut(strings.TrimPrefix(line, process+"/"), " parent_kernel="); ok ||
			strings.Contains(line, "flow=") {
			before, _, _ = strings.Cut(before, " kernel=")
			got = append(got, before)
		}
	}
	slices.Sort(got)
	want := []string{
		"KMU/Pending kernels 2-4 parent flow=1/3",
		"KMU/Pending kernels 42-50 child flow=1/5",
		"Kernel distributor/Kernels 4-100 parent flow=1/3",
		"Kernel distributor/Kernels 40 group flow=1/6",
		"Kernel distributor/Kernels 40 inline",
		"Kernel distributor/Kernels 40 kernel flow=1/5",
		"Kernel distributor/Kernels 50-80 child flow=1/5",
		"SMs/SM 0 60-80 parent flow=1/6",
		"Streams/Stream 0 20-100 parent flow=1/3",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// If there are more CTAs than are shown, each SM has a counter: here two at a time on SM 0 for half of the time,
// none on SM 1 at the beginning.
func TestManyCTAsAreCounted(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, "ppcs", table.Parquet, "ctas")
	o := s.Observer()
	for i := range int64(maxCTAs) {
		o.CTA(&model.CTARecord{Kernel: 1, Child: model.NoKernel, SM: 0, Dispatch: i / 2, End: i/2 + 1})
	}
	o.CTA(&model.CTARecord{Kernel: 1, Child: model.NoKernel, SM: 1, Dispatch: 500, End: 2 * maxCTAs})
	commit(t, s)
	var b bytes.Buffer
	stats, err := Write(context.Background(), &b, dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	left := Left{Replay: process, Of: "CTAs", Count: maxCTAs + 1, Instead: "a counter for each SM"}
	if want := (Stats{Replays: 1, Left: []Left{left}}); !reflect.DeepEqual(stats, want) {
		t.Errorf("%+v, want %+v", stats, want)
	}
	// 4000 cycles in 512 bins of 8 cycles of 2 ns: SM 0 has 2 until 1000, in bin 125. SM 1
	// begins in the middle of bin 62 and ends with bin 499.
	want := []string{
		process + "/SMs/SM 0: resident CTAs 0 = 2", process + "/SMs/SM 0: resident CTAs 2000 = 0",
		process + "/SMs/SM 1: resident CTAs 0 = 0", process + "/SMs/SM 1: resident CTAs 992 = 0.5",
		process + "/SMs/SM 1: resident CTAs 1008 = 1",
		process + "/SMs/SM 1: resident CTAs 8000 = 0",
	}
	check(t, b.Bytes(), want)
}

// Of kernels that wait at one time a few are shown, and the others where they run, if
// there is a counter of them.
func TestManyWaitsAreCounted(t *testing.T) {
	for _, w := range []struct {
		tables []string
		slices int
		left   []Left
	}{
		{[]string{"kernels", "timeline"}, maxWaits + 80,
			[]Left{{Replay: process, Of: "waits of kernels in the KMU", Count: 40 - maxWaits, From: maxWaits,
				Instead: "the counter pending_kernels"}}},
		{[]string{"kernels"}, 40 + 80, nil},
	} {
		dir := t.TempDir()
		s := open(t, dir, "ppcs", table.Parquet, w.tables...)
		o := s.Observer()
		for i := range int64(40) {
			o.Kernel(&model.KernelRecord{ID: uint32(i), Function: "f", Parent: model.NoKernel, CTAs: 1, Arrive: i,
				Dispatch: 100 + 10*i,
				FirstCTA: 100 + 10*i, End: 110 + 10*i})
		}
		o.Sample(&model.SampleRecord{Start: 0, End: 100, PendingKernels: 40})
		commit(t, s)
		stats, err := Write(context.Background(), &bytes.Buffer{}, dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if want := (Stats{Replays: 1, Slices: w.slices, Left: w.left}); !reflect.DeepEqual(stats, want) {
			t.Errorf("%v: %+v, want %+v", w.tables, stats, want)
		}
	}
}

// A timeline is bounded: events without room are counted by their first cycle, and windows of the samples are
// merged without losing their peaks and sums.
func TestSizeIsBounded(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, "ppcs", table.Parquet, "tasks", "timeline")
	o := s.Observer()
	defer func(most int) { maxEvents = most }(maxEvents)
	maxEvents = 40_000
	const over = 1000
	for i := range int64(maxEvents/4 + over) {
		o.Task(&model.TaskRecord{Kernel: 1, Spawn: 10 * i, Back: 10*i + 5})
	}
	const windows = 4*maxSamples + 3
	for i := range int64(windows) {
		o.Sample(&model.SampleRecord{Start: i, End: i + 1, ActiveWarps: uint32(i % 1000), WarpInsts: 1})
	}
	commit(t, s)
	var b bytes.Buffer
	stats, err := Write(context.Background(), &b, dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []Left{{Replay: process, Of: "tasks", Count: over, From: int64(10 * maxEvents / 4)}}
	if !reflect.DeepEqual(stats.Left, want) || stats.Slices != maxEvents/4 || b.Len()-5_000_000 > 100*maxEvents/4 {
		t.Errorf("%+v in %d bytes, want %+v", stats, b.Len(), want)
	}
	peak, sum, counts := int64(0), int64(0), 0
	for _, line := range parse(t, b.Bytes()) {
		name, value, ok := strings.Cut(line, " = ")
		n := number(t, value, ok)
		switch {
		case strings.Contains(name, "/active_warps "):
			peak = max(peak, n)
			counts++
		case strings.Contains(name, "/warp_instructions "):
			sum += n
		}
	}
	if peak != 999 || sum != windows || counts > maxSamples || counts < maxSamples/2 {
		t.Errorf("a peak of %d, %d instructions in %d samples", peak, sum, counts)
	}
}

// number is the value of a counter; 0 for other texts.
func number(t *testing.T, text string, ok bool) int64 {
	t.Helper()
	if !ok {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
