package table

import (
	"encoding/json"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"gpureplay/model"
	"gpureplay/model/exec"
	"gpureplay/model/hardware"
	"gpureplay/model/memory"
	"gpureplay/trace"
)

const queries = "../../samples/queries"

// writeStory writes two policies of two traces under dir. All of it follows
// from the policy's cycles T and is small enough that testdata/queries.json,
// the answers of the queries, was worked out by hand.
func writeStory(t *testing.T, dir string) {
	t.Helper()
	for _, run := range []struct {
		trace, policy string
		cycles        model.Time
		overhead      float64
	}{
		{"bfs", "serial", 8000, 1}, {"bfs", "dtbl", 4000, 2}, {"stencil", "serial", 8000, 1}, {"stencil", "dtbl", 1000, 8},
	} {
		s, err := Open(Options{Dir: dir, Trace: run.trace, Policy: run.policy, GPU: "k20c", ClockMHz: 1000})
		if err != nil {
			t.Fatal(err)
		}
		summary := model.Summary{Cycles: run.cycles}
		if run.trace == "bfs" {
			summary.Extra = []model.Metric{{Name: "launch_overhead_cycles", Value: 100 * run.overhead}}
			tellHost(s, run.cycles)
			tellDevice(s, run.cycles)
			tellLaunches(s, run.policy == "dtbl", run.cycles)
		}
		s.Run(&Run{Baselines: "serial", Summary: summary,
			WaitingMean: math.NaN(), WaitingP50: model.Unset, WaitingP95: model.Unset, WaitingP99: model.Unset})
		if err := s.Commit(); err != nil {
			t.Fatal(err)
		}
	}
}

func tellHost(s *Set, T model.Time) {
	o := s.Observer()
	o.Stage(&model.StageRecord{Stage: model.StageH2D, Kernel: model.NoKernel, End: T / 8, Bytes: 4096})
	o.Stage(&model.StageRecord{Stage: model.StageKernel, Array: trace.NoArray, Start: T / 8, End: T / 2})
	o.Stage(&model.StageRecord{Stage: model.StageD2H, Kernel: model.NoKernel, Start: T / 2, End: T, Bytes: 4096})
	o.Task(&model.TaskRecord{Kernel: 0, Back: T / 8, Worker: -1})
	o.Task(&model.TaskRecord{Kernel: 1, Back: T / 4, Worker: -1})
	for i := range 4 {
		o.Page(&model.PageRecord{Time: T / 8, Page: uint64(i), From: model.NoKernel, To: model.NoKernel, Ready: true})
	}
	s.Machine(&Machine{Config: &hardware.Config{SM: hardware.SMConfig{Count: 2, MaxWarps: 8},
		Clock: hardware.ClockConfig{CoreMHz: 1000, DRAMMHz: 500},
		DRAM:  hardware.DRAMConfig{Channels: 1, BusBytes: 8, DataRate: 2}}})
	for i := range int32(2) {
		s.Memory(&memory.Record{Level: "l1", Index: i, Accesses: 10, Hits: 5})
	}
	s.Memory(&memory.Record{Level: "l2", Index: -1, Accesses: 40, Hits: 10})
	s.Memory(&memory.Record{Level: "l2", Index: 0, Accesses: 10, Hits: 5})
	s.Memory(&memory.Record{Level: "l2", Index: 1, Accesses: 30, Hits: 5})
	s.Memory(&memory.Record{Level: "dram", Index: 0, Accesses: 20, RowHits: 10})
	s.Diagnostic(&Diagnostic{Name: "unknown_opcode", Severity: trace.DataLoss, Count: 3, Help: "timed as integer"})
}

func tellDevice(s *Set, T model.Time) {
	o := s.Observer()
	cta := func(kernel, index uint32, from, delay, to model.Time) {
		half := (to - from) / 2
		o.CTA(&model.CTARecord{Kernel: kernel, CTA: index, Child: model.NoKernel, SM: index % 2, Dispatch: from,
			Start: from + delay, End: to,
			WarpInsts: 100, Active: half, StallTimes: [exec.NumStalls]model.Time{exec.StallMemory: half}})
	}
	cta(0, 0, T/8, 0, T/4)
	cta(0, 1, T/8, 0, T/4)
	o.Sample(&model.SampleRecord{End: T / 4, ParentCTAs: 2, ChildCTAs: 2, ActiveWarps: 8, DRAMReads: 30, DRAMWrites: 2,
		Registers:   64,
		SharedBytes: 128, Kernels: []uint32{0}, PagesOwned: []uint32{1}, SMsHeld: []uint32{2}, CTAsFinished: []uint32{2}})
	cta(0, 2, T/4, 0, T/2)
	cta(0, 3, T/4, 0, T/2)
	cta(1, 0, T/4, 0, T/2)
	cta(1, 1, T/4, 100, T/2)
	o.Kernel(&model.KernelRecord{ID: 0, Function: "parent", Parent: model.NoKernel, CTAs: 4, Block: trace.Dim3{128, 1, 1},
		FirstCTA: T / 8, LastCTA: T / 4, End: T / 2, Recorded: &trace.Recorded{HostNs: -1, StartNs: -1, DurationNs: T / 4}})
	o.Kernel(&model.KernelRecord{ID: 1, Function: "child", Device: true, Parent: 0, CTAs: 2, FirstCTA: T / 4,
		LastCTA: T / 4, End: T / 2})
	o.Sample(&model.SampleRecord{Start: T / 4, End: T / 2, Kernels: []uint32{0, 1}, PagesOwned: []uint32{0, 0},
		SMsHeld:      []uint32{0, 0},
		CTAsFinished: []uint32{4, 2}})
}

func tellLaunches(s *Set, grouped bool, T model.Time) {
	o := s.Observer()
	made := model.LaunchRecord{Child: 1, Time: T / 8, CTAs: 1, Decision: model.DeviceKernel, Reason: "marked", AGT: -1}
	wait := model.Time(100)
	if grouped {
		made.Decision, made.Reason, wait = model.Group, "eligible", 10
		s.Audit(&Audit{Rule: "order", Time: 5, What: "too early"})
	}
	for i := range 4 {
		made.Lane, made.Workload = uint8(i), uint32(100*(i+1))
		made.FirstCTA = made.Time + wait*model.Time(i+1)
		o.Launch(&made)
	}
	o.Launch(&model.LaunchRecord{Child: 1, Time: T / 8, CTAs: 1, Workload: 3, Decision: model.Inline,
		Reason: "few items", AGT: -1,
		Arrive: model.Unset, FirstCTA: model.Unset})
}

type answer struct {
	Columns []string
	Rows    [][]any
}

// near reports equal values, numbers up to rounding.
func near(a, b any) bool {
	x, ok1 := a.(float64)
	y, ok2 := b.(float64)
	if ok1 && ok2 {
		return math.Abs(x-y) <= 1e-9*math.Max(math.Abs(x), 1)
	}
	return reflect.DeepEqual(a, b)
}

// TestQueries runs every query of samples/queries in DuckDB and compares the answers with testdata/queries.json.
func TestQueries(t *testing.T) {
	dir := t.TempDir()
	writeStory(t, filepath.Join(dir, "replay-out"))
	files, err := filepath.Glob(queries + "/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("no queries: %v", err)
	}
	args := []string{"testdata/queries.py"}
	for _, f := range files {
		if _, err := os.ReadFile(f); err != nil {
			t.Fatal(err)
		}
		abs, err := filepath.Abs(f)
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, abs)
	}
	var got, want map[string]answer
	if err := json.Unmarshal(runPython(t, dir, args...), &got); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("testdata/queries.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name := filepath.Base(f)
		g, w := got[name], want[name]
		if !slices.Equal(g.Columns, w.Columns) || len(g.Rows) != len(w.Rows) {
			t.Errorf("%s: %v with %d rows, want %v with %d\n%v", name, g.Columns, len(g.Rows), w.Columns, len(w.Rows), g.Rows)
			continue
		}
		for i := range g.Rows {
			if !slices.EqualFunc(g.Rows[i], w.Rows[i], near) {
				t.Errorf("%s, row %d: %v, want %v", name, i, g.Rows[i], w.Rows[i])
			}
		}
	}
}

// TestFigures draws all figures of a full set, and of a set with runs alone the
// one that needs no more.
func TestFigures(t *testing.T) {
	dir := t.TempDir()
	writeStory(t, filepath.Join(dir, "replay-out"))
	all := []string{"speedup", "concurrent-ctas", "kernel-progress", "waiting-time", "launch-decisions", "stalls",
		"stages", "task-latency",
		"predicted-measured"}
	checkFigures(t, runPython(t, dir, queries+"/figures.py"), dir, "replay-out/figures", all)

	s, err := Open(Options{Dir: filepath.Join(dir, "alone"), Trace: "1", Policy: "serial", GPU: "k20c",
		Tables: []string{"runs"}, ClockMHz: 1})
	if err != nil {
		t.Fatal(err)
	}
	s.Run(&Run{Summary: model.Summary{Cycles: 1}})
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	checkFigures(t, runPython(t, dir, queries+"/figures.py", "alone", "pictures"), dir, "pictures", []string{"speedup"})
}

func checkFigures(t *testing.T, printed []byte, dir, folder string, want []string) {
	t.Helper()
	var lines string
	for _, name := range want {
		path := folder + "/" + name + ".png"
		lines += path + "\n"
		f, err := os.Open(filepath.Join(dir, path))
		if err != nil {
			t.Error(err)
			continue
		}
		defer f.Close()
		picture, err := png.Decode(f)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		colours := map[color.Color]bool{}
		for x := range picture.Bounds().Dx() {
			for y := range picture.Bounds().Dy() {
				colours[picture.At(x, y)] = true
			}
		}
		if len(colours) < 20 { // axes and text alone have shades of grey
			t.Errorf("%s: %d colours", path, len(colours))
		}
	}
	if string(printed) != lines {
		t.Errorf("printed\n%s\nwant\n%s", printed, lines)
	}
}

// TestQuestions asks ten questions of the story with DuckDB, pandas, polars and
// pyarrow; TestQueries has the answers that were worked out by hand.
func TestQuestions(t *testing.T) {
	dir := t.TempDir()
	writeStory(t, filepath.Join(dir, "replay-out"))
	sql, err := filepath.Abs(queries)
	if err != nil {
		t.Fatal(err)
	}
	runPython(t, dir, "testdata/questions.py", "replay-out", sql)
}
