package timeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/replay/table"
	"gpureplay/trace"
)

func open(t testing.TB, dir, policy, format string, tables ...string) *table.Set {
	t.Helper()
	s, err := table.Open(table.Options{Dir: dir, Trace: "bfs", Policy: policy, GPU: "k20c", Format: format,
		Tables: tables, ClockMHz: 500})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func commit(t testing.TB, s *table.Set) {
	t.Helper()
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
}

// fill writes a run in which CTAs overlap on an SM, and in which times are
// missing.
func fill(s *table.Set) {
	o := s.Observer()
	o.Stage(&model.StageRecord{Stage: model.StageH2D, Kernel: model.NoKernel, Start: 0, End: 10, Bytes: 4096})
	o.Stage(&model.StageRecord{Stage: model.StagePostlude, Kernel: model.NoKernel, Start: 10, End: model.Unset})
	cta := func(index, sm uint32, from, to model.Time) {
		o.CTA(&model.CTARecord{Kernel: 3, CTA: index, Child: model.NoKernel, SM: sm, Dispatch: from, End: to, WarpInsts: 7,
			Active: 2})
	}
	cta(0, 1, 20, 30)
	cta(1, 1, 25, 35) // overlaps with 0
	cta(2, 0, 20, 40)
	cta(3, 1, 30, 50) // follows 0
	cta(4, 1, model.Unset, model.Unset)
	o.Launch(&model.LaunchRecord{Parent: 3, Child: 4, Time: 26, Workload: 9, Decision: model.Inline, Reason: "few items",
		Arrive: model.Unset, FirstCTA: model.Unset})
	o.Kernel(&model.KernelRecord{ID: 3, Function: "bfs", Parent: model.NoKernel, CTAs: 4, Arrive: 11, Dispatch: 15,
		FirstCTA: 20, End: 50})
	o.Kernel(&model.KernelRecord{ID: 4, Function: "", Parent: 3, Arrive: 40, Dispatch: model.Unset,
		FirstCTA: model.Unset, End: model.Unset})
	o.Task(&model.TaskRecord{Kernel: 9, Spawn: 5, Back: 6, Warps: 4})
	o.Sample(&model.SampleRecord{Start: 0, End: 32, ParentCTAs: 3, SharedBytes: 512, DRAMReads: 10})
}

const process = "bfs, ppcs, k20c"

// want are the lines that the viewer must show of fill at 500 MHz, 2 ns a cycle.
var want = []string{
	process + "/Host/Host to device link 0-20 h2d bytes=4096 cycles=10 start_cycle=0",
	process + "/KMU/Pending kernels 22-30 bfs flow=1/3 kernel=3 ctas=4 cycles=4 start_cycle=11",
	process + "/Kernel distributor/Kernels 30-100 bfs flow=1/3 kernel=3 ctas=4 cycles=35 start_cycle=15",
	process + "/Streams/Stream 0 40-100 bfs flow=1/3 kernel=3 ctas=4 cycles=30 start_cycle=20",
	process + "/Kernel distributor/Kernels 52 inline parent_kernel=3 child_kernel=4 reason=few items workload_items=9",
	process + "/SMs/SM 1 40-60 bfs kernel=3 cta=0 kind=native warp_instructions=7 active_cycles=2 cycles=10 " +
		"start_cycle=20",
	process + "/SMs/SM 1 50-70 bfs kernel=3 cta=1 kind=native warp_instructions=7 active_cycles=2 cycles=10 " +
		"start_cycle=25",
	process + "/SMs/SM 0 40-80 bfs kernel=3 cta=2 kind=native warp_instructions=7 active_cycles=2 cycles=20 " +
		"start_cycle=20",
	process + "/SMs/SM 1 60-100 bfs kernel=3 cta=3 kind=native warp_instructions=7 active_cycles=2 cycles=20 " +
		"start_cycle=30",
	process + "/Tasks/Tasks 10-12 kernel 9 kernel=9 warps=4 cycles=1 start_cycle=5",
	process + "/Counters/parent_ctas 64 = 3",
	process + "/Counters/child_ctas 64 = 0",
	process + "/Counters/active_warps 64 = 0",
	process + "/Counters/registers_used 64 = 0",
	process + "/Counters/shared_used_bytes 64 = 512",
	process + "/Counters/pending_kernels 64 = 0",
	process + "/Counters/kde_used 64 = 0",
	process + "/Counters/agt_used 64 = 0",
	process + "/Counters/warp_instructions 64 = 0",
	process + "/Counters/l2_bytes 64 = 0",
	process + "/Counters/dram_read_bytes 64 = 320",
	process + "/Counters/dram_write_bytes 64 = 0",
}

func check(t *testing.T, data []byte, want []string) {
	t.Helper()
	got := parse(t, data)
	slices.Sort(got)
	want = slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, "ppcs", table.Parquet)
	fill(s)
	commit(t, s)
	var first, second bytes.Buffer
	stats, err := Write(context.Background(), &first, dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if stats.Replays != 1 || stats.Slices != 9 || stats.Left != nil {
		t.Errorf("stats %+v", stats)
	}
	check(t, first.Bytes(), want)
	if _, err := Write(context.Background(), &second, dir, Options{}); err != nil ||
		!bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Errorf("written again it differs: %v", err)
	}
}

// A window leaves out events before and after it, and keeps those that reach in.
func TestWindow(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, "ppcs", table.Parquet, "ctas")
	fill(s)
	commit(t, s)
	var b bytes.Buffer
	if _, err := Write(context.Background(), &b, dir, Options{From: 31, To: 36}); err != nil {
		t.Fatal(err)
	}
	var inside []string
	for _, line := range want {
		for _, index := range []int{1, 2, 3} {
			if strings.Contains(line, fmt.Sprintf(" cta=%d ", index)) {
				inside = append(inside, strings.Replace(line, " bfs kernel", " kernel 3 kernel", 1)) // there is no table of kernels
			}
		}
	}
	check(t, b.Bytes(), inside)
}

func TestChoosesRuns(t *testing.T) {
	dir := t.TempDir()
	for _, policy := range []string{"serial", "ppcs"} {
		s := open(t, dir, policy, table.Parquet)
		fill(s)
		commit(t, s)
	}
	var b bytes.Buffer
	if _, err := Write(context.Background(), &b, dir, Options{Policy: "ppcs"}); err != nil {
		t.Fatal(err)
	}
	check(t, b.Bytes(), want)
	b.Reset()
	if stats, err := Write(context.Background(), &b, dir, Options{}); err != nil || stats.Replays != 2 {
		t.Errorf("%+v, %v", stats, err)
	}
	both := slices.Clone(want)
	for _, line := range want {
		line = strings.Replace(line, "flow=1/", "flow=2/", 1) // an arrow stays within its replay
		both = append(both, strings.Replace(line, process, "bfs, serial, k20c", 1))
	}
	check(t, b.Bytes(), both)
}

// In CSV there is no clock: a cycle is a nanosecond.
func TestCSV(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, "ppcs", table.CSV, "tasks")
	fill(s)
	commit(t, s)
	var b bytes.Buffer
	if _, err := Write(context.Background(), &b, dir, Options{}); err != nil {
		t.Fatal(err)
	}
	check(t, b.Bytes(), []string{process + "/Tasks/Tasks 5-6 kernel 9 kernel=9 warps=4 cycles=1 start_cycle=5"})
}

// More slices at once than lanes are counted, and names beyond the interned ones start anew.
func TestManyAtOnce(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, "ppcs", table.Parquet, "tasks", "kernels")
	o := s.Observer()
	for i := range maxLanes + 5 {
		o.Task(&model.TaskRecord{Kernel: uint32(i), Spawn: 1, Back: int64(1000 + i)})
	}
	for i := range maxNames + 100 {
		at := int64(10 * i)
		o.Kernel(&model.KernelRecord{ID: uint32(i), Function: fmt.Sprintf("f%d", i), Parent: model.NoKernel, Arrive: at,
			Dispatch: at,
			FirstCTA: at, End: at + 10, Recorded: &trace.Recorded{}})
	}
	commit(t, s)
	var b bytes.Buffer
	stats, err := Write(context.Background(), &b, dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	// Of a kernel there are three: pending, in the distributor, in its stream.
	want := Stats{Replays: 1, Slices: maxLanes + 3*(maxNames+100),
		Left: []Left{{Replay: process, Of: "tasks", Count: 5, From: 1}}}
	if !reflect.DeepEqual(stats, want) {
		t.Errorf("stats %+v, want %+v", stats, want)
	}
	lines := parse(t, b.Bytes())
	if len(lines) != stats.Slices {
		t.Errorf("%d slices in the bytes, want %d", len(lines), stats.Slices)
	}
	last := fmt.Sprintf("f%d ", maxNames+99)
	if !slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, last) }) {
		t.Errorf("no slice of the last kernel")
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := Write(context.Background(), &bytes.Buffer{}, dir, Options{}); err == nil ||
		!strings.Contains(err.Error(), dir) {
		t.Errorf("an empty folder: %v", err)
	}
	if _, err := Write(context.Background(), &bytes.Buffer{}, dir+"/none", Options{}); err == nil {
		t.Error("no folder: no error")
	}
	s := open(t, dir, "ppcs", table.Parquet)
	fill(s)
	commit(t, s)
	full := errors.New("disk full")
	if _, err := Write(context.Background(), failing{full}, dir, Options{}); !errors.Is(err, full) {
		t.Errorf("a full disk: %v", err)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	if _, err := Write(ended, &bytes.Buffer{}, dir, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	dir = t.TempDir()
	commit(t, open(t, dir, "ppcs", table.Arrow))
	if _, err := Write(context.Background(), &bytes.Buffer{}, dir, Options{}); err == nil ||
		!strings.Contains(err.Error(), "--format=parquet") {
		t.Errorf("tables in Arrow IPC: %v", err)
	}
}

func BenchmarkWrite(b *testing.B) {
	dir := b.TempDir()
	s := open(b, dir, "ppcs", table.Parquet, "ctas")
	o := s.Observer()
	const rows = 200_000
	for i := range rows {
		from := int64(i)
		o.CTA(&model.CTARecord{Kernel: 1, CTA: uint32(i), Child: model.NoKernel, SM: uint32(i % 80), Dispatch: from,
			End: from + 1000})
	}
	commit(b, s)
	for b.Loop() {
		if _, err := Write(context.Background(), discard{}, dir, Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "CTAs/s")
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
