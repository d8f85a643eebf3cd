package sweep

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpureplay/replay/table"
	"gpureplay/trace/tracetest"
)

// planned writes two traces and a sweep's file of a text into a folder, and multiplies it out.
func planned(t *testing.T, dir, text string) *Grid {
	t.Helper()
	for name, ctas := range map[string]int{"one": 1, "two": 2} {
		trace := strings.ReplaceAll(tracetest.Vecadd, "grid=2", fmt.Sprint("grid=", ctas))
		trace = strings.ReplaceAll(trace, "cta 0..1", fmt.Sprint("cta 0..", ctas-1))
		if ctas == 1 {
			trace = strings.ReplaceAll(trace, "cta 0..0", "cta 0")
		}
		path := filepath.Join(dir, name+".trace.zst")
		if err := os.WriteFile(path, tracetest.Encode(t, trace), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "sweep.toml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	g, err := f.Plan(context.Background(), "v1", "v1 build")
	if err != nil {
		t.Fatal(err)
	}
	return g
}

const launches = `
traces = ["one.trace.zst"]
gpus = ["k20c"]
policies = ["serial", "hyperq"]
sensitivity = "launch"
tables = ["runs", "kernels", "audit"]
audit = true
[set]
l2.ways = [8, 16]
`

// cellsOf are 2 policies, 2 numbers of ways and 11 latencies of a launch.
const cellsOf = 2 * 2 * 11

func run(t *testing.T, g *Grid, opt Options) *Outcome {
	t.Helper()
	out, err := g.Run(context.Background(), opt)
	if err != nil || len(out.Failed) > 0 {
		t.Fatalf("%v, failed %v", err, out.Failed)
	}
	return out
}

func collect(t *testing.T, g *Grid, dir string) []Row {
	t.Helper()
	rows, violated, err := g.Collect(context.Background(), dir)
	if err != nil || len(violated) > 0 {
		t.Fatalf("%v, violated %v", err, violated)
	}
	return rows
}

// The rows of a sweep are in the order of its grid. A launch that takes longer than the copies beside it delays its
// kernel by as much. A cell's speedup is over the baseline's cell of the same trace and settings.
func TestRowsOfAGrid(t *testing.T) {
	dir := t.TempDir()
	g, out := planned(t, dir, launches), filepath.Join(dir, "out")
	got := run(t, g, Options{Dir: out, Jobs: 2})
	if got.Cells != cellsOf || got.Ran != cellsOf || got.Reused != 0 {
		t.Fatalf("%+v", got)
	}
	rows := collect(t, g, out)
	if len(rows) != cellsOf {
		t.Fatalf("%d rows, want %d", len(rows), cellsOf)
	}
	latencies := []int64{0, 1000, 2000, 3500, 5000, 7500, 10000, 13500, 20000, 27500, 35000}
	i := 0
	for _, ways := range []int64{8, 16} {
		former := map[string]int64{} // cycles under the latency before
		for n, latency := range latencies {
			for _, policy := range []string{"serial", "hyperq"} {
				r, v := rows[i], rows[i].Values
				if v["trace"] != "one" || v["gpu"] != "k20c" || v["set_l2_ways"] != ways || v["set_launch"] != latency ||
					v["policy"] != policy || v["cell"] != r.Cell.Key {
					t.Fatalf("row %d is %v, want %s, %d ways, launch %d", i, v, policy, ways, latency)
				}
				cycles := v["cycles"].(int64)
				if longer := cycles - former[policy]; latency > 10_000 && longer != latency-latencies[n-1] {
					t.Errorf("%s, launch %d: %d cycles more than for %d", policy, latency, longer, latencies[n-1])
				}
				former[policy] = cycles
				base := rows[i-i%2].Values["cycles"].(int64)
				if v["baseline"] != "serial" || v["speedup"] != float64(base)/float64(cycles) {
					t.Errorf("%s, launch %d: speedup %v over %v, want %d/%d", policy, latency, v["speedup"],
						v["baseline"], base, cycles)
				}
				i++
			}
		}
	}
	mergedRows(t, out, rows)
}

// mergedRows compares the file of the table runs with the rows that Collect returned, and the columns of the grid.
func mergedRows(t *testing.T, out string, want []Row) {
	t.Helper()
	r, err := table.OpenReader(filepath.Join(out, "runs.parquet"), table.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	i := 0
	for {
		b, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, c := range b.Columns {
			names = append(names, c.Name)
		}
		if grid := []string{"cell", "trace", "gpu", "set_l2_ways", "set_launch", "policy", "baseline",
			"speedup"}; !slices.Equal(names[:len(grid)], grid) {
			t.Fatalf("columns %v", names)
		}
		for row := range b.Rows {
			for c := range b.Columns {
				if got := b.Values[c].Any(row); fmt.Sprint(got) != fmt.Sprint(want[i].Values[names[c]]) {
					t.Errorf("row %d, %s: %v, want %v", i, names[c], got, want[i].Values[names[c]])
				}
			}
			i++
		}
	}
	if i != len(want) {
		t.Errorf("the file has %d rows, want %d", i, len(want))
	}
}

const few = "traces = ['*.trace.zst']\ngpus = ['k20c']\npolicies = ['serial']\n"

// A sweep runs the cells that are wanted and not there. Without a cell's folder, or with an empty one, it is not there.
func TestCellsAreReused(t *testing.T) {
	dir := t.TempDir()
	g, out := planned(t, dir, few), filepath.Join(dir, "out")
	if got := run(t, g, Options{Dir: out, Cells: g.Cells[1:]}); got.Cells != 1 || got.Ran != 1 || got.Reused != 0 {
		t.Errorf("the second cell: %+v", got)
	}
	if len(g.Unfinished(out)) != 1 || g.Unfinished(out)[0].Cell != g.Cells[0] {
		t.Errorf("unfinished: %v", g.Unfinished(out))
	}
	if got := run(t, g, Options{Dir: out}); got.Cells != 2 || got.Ran != 1 || got.Reused != 1 {
		t.Errorf("both cells: %+v", got)
	}
	if got := run(t, g, Options{Dir: out}); got.Ran != 0 || got.Reused != 2 || len(g.Unfinished(out)) != 0 {
		t.Errorf("again: %+v", got)
	}
	at := cellDir(out, g.Cells[0].Key)
	err := os.RemoveAll(at)
	if err == nil {
		err = os.Mkdir(at, 0o777)
	}
	if err != nil {
		t.Fatal(err)
	}
	if g.Finished(out, g.Cells[0]) {
		t.Error("a cell without a file is finished")
	}
	if got := run(t, g, Options{Dir: out}); got.Ran != 1 || got.Reused != 1 {
		t.Errorf("one cell is empty: %+v", got)
	}
}

// Cells of one table are whole with its one file.
func TestCellOfOneTable(t *testing.T) {
	dir := t.TempDir()
	g, out := planned(t, dir, few+"tables = 'runs'\n"), filepath.Join(dir, "out")
	run(t, g, Options{Dir: out})
	if got := run(t, g, Options{Dir: out}); got.Reused != 2 {
		t.Errorf("%+v", got)
	}
	if rows := collect(t, g, out); len(rows) != 2 {
		t.Errorf("%d rows", len(rows))
	}
}

// Traces of the same content share their cells, and each has its row.
func TestEqualCells(t *testing.T) {
	dir := t.TempDir()
	planned(t, dir, few)
	data, err := os.ReadFile(filepath.Join(dir, "one.trace.zst"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "same.trace.zst"), data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	g, out := planned(t, dir, few), filepath.Join(dir, "out")
	started := 0
	if got := run(t, g, Options{Dir: out, Started: func(*Cell) { started++ }}); got.Cells != 3 || got.Ran != 3 ||
		started != 2 {
		t.Errorf("%+v, %d replays", got, started)
	}
	rows := collect(t, g, out)
	if len(rows) != 3 || rows[1].Values["trace"] != "same" || rows[0].Values["cycles"] != rows[1].Values["cycles"] {
		t.Errorf("rows %v", rows)
	}
}

// Where a file says all policies, a trace has those that it can feed. Where it names no GPU, the note says which
// machine a trace is replayed on.
func TestPlanChooses(t *testing.T) {
	g := planned(t, t.TempDir(), "traces = 'one.trace.zst'\npolicies = 'all'\n")
	var got []string
	for _, c := range g.Cells {
		got = append(got, c.Policy)
	}
	if !slices.Contains(got, "serial") || !slices.Contains(got, "hyperq") || slices.Contains(got, "spawn") {
		t.Errorf("policies %v of a trace without child launches", got)
	}
	notes := strings.Join(g.Notes, "\n")
	if !strings.Contains(notes, "one: machine ") || !strings.Contains(notes, "spawn") {
		t.Errorf("notes %s", notes)
	}
	g = planned(t, t.TempDir(), "traces = 'one.trace.zst'\npolicies = 'serial'\n")
	if len(g.Cells) != 1 || g.Cells[0].Policy != "serial" {
		t.Errorf("cells %v", g.Cells)
	}
}

// Two values of a key that are one value to the machine are refused.
func TestValueTwice(t *testing.T) {
	for text, wrong := range map[string]bool{"[1, 2]": false, "[2, 0x2]": true, "[1, 2, 1]": true} {
		_, err := load(t, few+"[set]\nkmu.hwqs = "+text+"\n")
		if (err != nil) != wrong || wrong && !strings.Contains(err.Error(), "twice") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// The remains of processes that have ended go with the next sweep, in its folder and among its cells; others stay.
func TestRemainsAreRemoved(t *testing.T) {
	dir := t.TempDir()
	if err := prepare(dir); err != nil {
		t.Fatal(err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	left := "." + "merge." + host + "-4194999-1.partial" // above the largest id of a process
	for _, at := range []string{left, "cells/" + left, "kept", "cells/kept"} {
		if err := os.Mkdir(filepath.Join(dir, at), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := prepare(dir); err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]bool{left: false, "cells/" + left: false, "kept": true, "cells/kept": true} {
		if _, err := os.Stat(filepath.Join(dir, at)); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", at, err == nil, want)
		}
	}
}

// A grid of up to 1000 cells has a task for each, and a larger one as few cells a task as give 1000 tasks at most.
func TestTasksOfSlurm(t *testing.T) {
	dir := t.TempDir()
	g := planned(t, dir, few)
	one := g.Cells[0]
	for _, c := range []struct {
		cells, tasks int
		array        string
	}{{1, 1, "--array=0\n"}, {1000, 1000, "--array=0-999\n"}, {1001, 501, "--array=0-500\n"},
		{2000, 1000, "--array=0-999\n"}, {2001, 667, "--array=0-666\n"}} {
		g.Cells = slices.Repeat([]*Cell{one}, c.cells)
		s, err := g.Script("replay", filepath.Join(dir, "out"))
		if err != nil {
			t.Fatal(err)
		}
		if s.Tasks != c.tasks || s.Cells != c.cells || !strings.Contains(s.Array, c.array) {
			t.Errorf("%d cells: %d tasks of %d cells, want %d\n%s", c.cells, s.Tasks, s.Cells, c.tasks, s.Array)
		}
	}
	g.Cells = planned(t, dir, few).Cells
	run(t, g, Options{Dir: filepath.Join(dir, "out"), Cells: g.Cells[:1]})
	s, err := g.Script("replay", filepath.Join(dir, "out"))
	if err != nil || s.Tasks != 1 || s.Cells != 1 || !strings.Contains(s.Array, "--array=1\n") {
		t.Errorf("one of two is finished: %+v, %v", s, err)
	}
}
