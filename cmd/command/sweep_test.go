package command

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sweepFolder makes a folder with two traces and a sweep's file of the given
// text, and returns the path of that file.
func sweepFolder(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	for name, n := range map[string]string{"large": "2048", "small": "1024"} {
		must(t, "sample", "vecadd", "--param=n="+n, "-o", filepath.Join(dir, name+".trace.zst"))
	}
	return writeSweep(t, dir, text)
}

func writeSweep(t *testing.T, dir, text string) string {
	t.Helper()
	path := filepath.Join(dir, "sweep.toml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

const smallSweep = `
traces   = ["*.trace.zst"]
gpus     = ["gk110-ppcs"]
policies = ["serial,ppcs"]
tables   = ["metrics"]

[set]
kmu.hwqs = [1, 32]
`

// printedRows runs the command and returns its JSON rows.
func printedRows(t *testing.T, args ...string) (rows []map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(must(t, append([]string{"--json", "--quiet"}, args...)...)), &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

// Every cell of a sweep has the figures that a replay of its own has.
func TestSweepIsTheReplaysOfItsCells(t *testing.T) {
	file := sweepFolder(t, strings.Replace(smallSweep, "*", "small", 1)+
		"host.launch_latency = { from = 0, to = 5000, step = 5000 }\n")
	rows := printedRows(t, "sweep", "-o", filepath.Join(t.TempDir(), "out"), file)
	if len(rows) != 2*2*2 {
		t.Fatalf("%d rows, want 8", len(rows))
	}
	i := 0
	for _, hwqs := range []int{1, 32} {
		for _, latency := range []int{0, 5000} {
			alone := printedRows(t, "--gpu=gk110-ppcs", "--policy=serial,ppcs", fmt.Sprintf("--set=kmu.hwqs=%d", hwqs),
				fmt.Sprintf("--set=host.launch_latency=%d", latency), "--tables=runs", "-o", t.TempDir(),
				filepath.Join(filepath.Dir(file), "small.trace.zst"))
			for _, want := range alone {
				got := rows[i]
				i++
				if got["set_kmu_hwqs"] != float64(hwqs) || got["set_host_launch_latency"] != float64(latency) {
					t.Errorf("row %d has hwqs %v and latency %v, want %d and %d", i, got["set_kmu_hwqs"],
						got["set_host_launch_latency"], hwqs, latency)
				}
				for column, v := range got {
					if !strings.HasPrefix(column, "set_") && column != "cell" && column != "table" && want[column] != v {
						t.Errorf("row %d, %s: %v, a replay alone has %v", i, column, v, want[column])
					}
				}
			}
		}
	}
}

// sweepContents reads all files of a sweep but the table performance.
func sweepContents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := contents(t, dir)
	maps.DeleteFunc(files, func(name, _ string) bool { return strings.Contains(name, "performance") })
	return files
}

func sameFiles(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	if len(got) != len(want) || len(want) == 0 {
		t.Errorf("%s: %d files, want %d", what, len(got), len(want))
	}
	for name, data := range want {
		if got[name] != data {
			t.Errorf("%s: %s differs", what, name)
		}
	}
}

// Neither the number of workers, nor who ran a cell before, changes a byte.
func TestSweepDoesNotDependOnWorkers(t *testing.T) {
	file := sweepFolder(t, smallSweep+"\n[slurm]\n")
	var first map[string]string
	for _, jobs := range []string{"1", "2", "7"} {
		dir := filepath.Join(t.TempDir(), "out")
		if jobs == "7" { // some cells before, in pieces
			must(t, "sweep", "--jobs=2", "--cells=3-4", "-o", dir, file)
			if rows := printedRows(t, "sweep", "--cells=7", "-o", dir, file); len(rows) != 1 || rows[0]["index"] != 7.0 ||
				rows[0]["state"] != "finished" {
				t.Errorf("--cells=7 shows %v", rows)
			}
		}
		must(t, "sweep", "--jobs="+jobs, "-o", dir, file)
		noPartials(t, dir)
		files := sweepContents(t, dir)
		if first == nil {
			first = files
		}
		sameFiles(t, "--jobs="+jobs, files, first)
	}
}

// ranCells runs a sweep and returns how many cells it says it replayed.
func ranCells(t *testing.T, want int, args ...string) (ran, before int) {
	t.Helper()
	status, _, errs := command(t, append([]string{"sweep"}, args...)...)
	_, counts, found := strings.Cut(errs, " cells: ")
	if status != want || !found {
		t.Fatalf("status %d, want %d: %s", status, want, errs)
	}
	if _, err := fmt.Sscanf(counts, "%d replayed now, %d finished before", &ran, &before); err != nil {
		t.Fatal(err)
	}
	return ran, before
}

// A sweep started again runs missing and changed cells, and nothing else.
func TestSweepGoesOn(t *testing.T) {
	file, dir := sweepFolder(t, smallSweep), filepath.Join(t.TempDir(), "out")
	check := func(what string, ran, before int) {
		t.Helper()
		if r, b := ranCells(t, 0, "-o", dir, file); r != ran || b != before {
			t.Errorf("%s: %d cells replayed and %d finished before, want %d and %d", what, r, b, ran, before)
		}
	}
	check("first", 8, 0)
	whole := sweepContents(t, dir)
	check("again", 0, 8)
	sameFiles(t, "again", sweepContents(t, dir), whole)

	cells, err := filepath.Glob(filepath.Join(dir, "cells", "[0-9a-f]*"))
	if err != nil || len(cells) != 8 {
		t.Fatalf("%d cells: %v", len(cells), err)
	}
	os.RemoveAll(cells[5])
	check("without one", 1, 7)
	sameFiles(t, "without one", sweepContents(t, dir), whole)

	writeSweep(t, filepath.Dir(file), strings.Replace(smallSweep, "[1, 32]", "[1, 4]", 1))
	check("one value changed", 4, 4)
	writeSweep(t, filepath.Dir(file), smallSweep+"\nshared.latency = 77\n")
	check("another setting", 8, 0)
	writeSweep(t, filepath.Dir(file), smallSweep)
	check("back", 0, 8)

	from, to := filepath.Join(filepath.Dir(file), "small.trace.zst"), filepath.Join(filepath.Dir(file), "tiny.trace.zst")
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
	check("a trace renamed", 0, 8) // its content is known
	if text := must(t, "sweep", "--quiet", "-o", dir, file); !strings.Contains(text, "tiny") ||
		strings.Contains(text, "small") {
		t.Errorf("the new name is not shown:\n%s", text)
	}
	must(t, "sample", "vecadd", "--param=n=512", "-o", to)
	check("a trace changed", 4, 4)
}

// Failed cells are listed with their reasons. The other cells are there, and the same command does not run them
// again.
func TestSweepLosesNoOtherCell(t *testing.T) {
	file := sweepFolder(t, "traces = ['*.trace.zst']\ngpus = ['gk110-ppcs']\npolicies = ['serial', "+
		"'spawn']\n[set]\nl1.ways = [4, 3]\n")
	bad := filepath.Join(filepath.Dir(file), "broken.trace.zst")
	if err := os.WriteFile(bad, []byte("no trace"), 0o644); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "out")
	status, out, errs := command(t, "sweep", "-o", dir, file)
	if status != 1 || strings.Count(errs, "replay: ") != 1 {
		t.Fatalf("status %d: %s", status, errs)
	}
	for _, want := range []string{"10 of 12 cells failed", "broken.trace.zst: ", "l1.ways=3: l1",
		"under spawn, l1.ways=4: policy spawn does not apply to large: it holds no child launches"} {
		if !strings.Contains(errs, want) {
			t.Errorf("standard error does not say %q:\n%s", want, errs)
		}
	}
	if strings.Count(out, "1.000") != 2 {
		t.Errorf("the two cells that ran are not shown:\n%s", out)
	}
	if ran, before := ranCells(t, 1, "-o", dir, file); ran != 0 || before != 2 {
		t.Errorf("again: %d replayed, %d finished before, want 0 and 2", ran, before)
	}
	noPartials(t, dir)
}

func TestSweepsThatAreWrong(t *testing.T) {
	file := sweepFolder(t, "")
	dir := filepath.Dir(file)
	const head = "traces = '*.zst'\npolicies = ['serial']\ngpus = 'k20c'\n"
	for text, want := range map[string][]string{
		"":                                                   {"sweep.toml: traces", "no trace is named"},
		"traces = '*.zst'\n":                                 {"policies", "no policy is named"},
		"traces = '*.zst":                                    {"sweep.toml: line 1"},
		"traces = 3\n":                                       {"line 1", "traces", "list of texts"},
		"traces = 'x*.zst'\npolicies = 'serial'":             {"sweep.toml:1: traces", "x*.zst"},
		"traces = '*.zst'\npolcies = 'serial'":               {"sweep.toml:2: polcies", "did you mean policies?"},
		"traces = '*.zst'\npolicies = 'serail'":              {"sweep.toml:2: policies", "did you mean serial?"},
		head + "policies = 'x'":                              {"sweep.toml: line 4"},
		head + "gpu = 'k20c'":                                {"sweep.toml:4: gpu", "did you mean gpus?"},
		strings.Replace(head, "k20c", "k2c", 1):              {"sweep.toml:3: gpus", "did you mean k20c?"},
		head + "baseline = 'seral'":                          {"sweep.toml:4: baseline", "did you mean serial?"},
		head + "tables = ['cta']":                            {"sweep.toml:4: tables", "did you mean ctas?"},
		head + "format = 'xml'":                              {"sweep.toml:4: format", "parquet"},
		head + "sample = -1":                                 {"sweep.toml:4: sample", "-1"},
		head + "as_tasks = 'some'":                           {"sweep.toml:4: as_tasks", "some"},
		head + "approximate = '60%'":                         {"sweep.toml", "line 4", "at most 50%"},
		head + "approximate = '2%'\napproximate_seed = -1":   {"sweep.toml:5: approximate_seed", "-1"},
		head + "approximate = '2%'\naudit = true":            {"sweep.toml:5: audit", "drop one"},
		head + "sensitivity = 'lunch'":                       {"sweep.toml:4: sensitivity", "lunch", "launch"},
		head + "set = 3":                                     {"sweep.toml:4: set", "keys of the machine"},
		head + "[set]\n\nkmu.hwq = 3":                        {"sweep.toml:6: set.kmu.hwq", "did you mean kmu.hwqs?"},
		head + "[set]\nkmu.hwqs = [3, 0]":                    {"sweep.toml:5: set.kmu.hwqs", "= 0", "from 1 to"},
		head + "[set]\nkmu.hwqs = [3, 3]":                    {"sweep.toml:5: set.kmu.hwqs", "3 twice"},
		head + "[set]\nkmu.hwqs = []":                        {"sweep.toml:5: set.kmu.hwqs", "0 values"},
		head + "[set]\nkmu.hwqs = 2.5":                       {"sweep.toml:5: set.kmu.hwqs", "2.5", "integer"},
		head + "[set.kmu]\nhwqs = 2026-01-01":                {"sweep.toml:5: set.kmu.hwqs", "is no value"},
		head + "[set.kmu]\nhwqs = {from=1,to=4}":             {"sweep.toml:5: set.kmu.hwqs", "step above 0"},
		head + "[set.kmu]\nhwqs = {from=1,to=4,stp=1}":       {"sweep.toml:5: set.kmu.hwqs", "did you mean step?"},
		head + "[set.kmu]\nhwqs = {from=9,to=4,step=1}":      {"sweep.toml:5: set.kmu.hwqs", "empty"},
		head + "[set.kmu]\nhwqs = {from=nan,to=4,step=1}":    {"sweep.toml:5: set.kmu.hwqs", "empty"},
		head + "[set.kmu]\nhwqs = {from=1,to=9,step=1e-9}":   {"sweep.toml:5: set.kmu.hwqs", "more than"},
		head + "[set]\nkmu.hwqs = 1\n'kmu.hwqs' = 2":         {"sweep.toml:5: set.kmu.hwqs", "twice"},
		head + "[slurm]\noption = 3":                         {"sweep.toml:5: slurm.option", "did you mean slurm.options?"},
		head + "[slurm]\noptions = '''--a\nrm -rf x'''":      {"sweep.toml:5: slurm.options", "one line"},
		head + "[set]\nkmu.hwqs = " + strings.Repeat("[", 9): {"sweep.toml: line"},
		strings.Repeat("# long\n", 10000):                    {"sweep.toml: more than", "bytes"},
	} {
		writeSweep(t, dir, text)
		fails(t, 1, want, "sweep", "--quiet", "-o", filepath.Join(dir, "out"), file)
	}
	fails(t, 1, []string{"nosuch.toml"}, "sweep", "nosuch.toml")
	writeSweep(t, dir, head)
	fails(t, 1, []string{"no sweep's folder"}, "sweep", "--quiet", "-o", dir, file) // it has other files
	for _, args := range [][]string{{"--jobs=-1"}, {"--launcher=pbs"}, {"--cells=9"}, {"--cells=x"}, {"--cells=1-0"},
		{"--cells=0", "--collect"}} {
		fails(t, 2, nil, append([]string{"sweep", "--quiet", "-o", filepath.Join(dir, "out"), file}, args...)...)
	}
	if _, err := os.Stat(filepath.Join(dir, "out", "cells")); err == nil {
		t.Error("a wrong sweep has made a folder")
	}
}

// Traces and GPUs without a word about them: names that collide, the machine that
// a trace is of, and the policies that it can feed.
func TestSweepNamesAndDefaults(t *testing.T) {
	file := sweepFolder(t, "traces = ['*.trace.zst', 'more/*.zst']\npolicies = 'all'\ntables = 'runs'\nformat = "+
		"'csv'\nsensitivity = 'launch'\n")
	dir := filepath.Dir(file)
	if err := os.Mkdir(filepath.Join(dir, "more"), 0o755); err != nil {
		t.Fatal(err)
	}
	must(t, "sample", "vecadd", "--param=n=1024", "-o", filepath.Join(dir, "more", "small.trace.zst"))
	var listed []map[string]any
	if err := json.Unmarshal([]byte(must(t, "--json", "sweep", "--dry-run", "-o", "nowhere", file)), &listed); err != nil {
		t.Fatal(err)
	}
	traces, policies := map[any]bool{}, map[any]bool{}
	for _, m := range listed {
		traces[m["trace"]], policies[m["policy"]] = true, true
		if m["gpu"] != "gk110-ppcs" || m["state"] != "to run" {
			t.Fatalf("cell %v", m)
		}
	}
	if !traces["large"] || !traces["small.trace.zst"] || !traces["more/small.trace.zst"] || len(traces) != 3 {
		t.Errorf("traces %v", traces)
	}
	if !policies["serial"] || !policies["ppcs"] || policies["spawn"] || policies["captured"] {
		t.Errorf("policies %v", policies)
	}
	if n := len(listed); n != 3*len(policies)*11 {
		t.Errorf("%d cells for 3 traces, %d policies and 11 latencies", n, len(policies))
	}
	if _, err := os.Stat("nowhere"); err == nil {
		t.Error("a dry run has made a folder")
	}

	writeSweep(t, dir, "traces = 'small.trace.zst'\npolicies = 'serial'\ntables = 'runs'\nformat = 'csv'\noutput = 'o'\n")
	must(t, "sweep", "--quiet", file)
	files, _ := filepath.Glob(filepath.Join(dir, "o", "*"))
	slices.Sort(files)
	if len(files) != 3 || filepath.Base(files[0]) != ".runs" || filepath.Base(files[2]) != "runs.csv" {
		t.Errorf("%v, want .runs, cells and runs.csv", files)
	}
}

// sweepLoader opens merged tables in the real DuckDB and the real pandas.
const sweepLoader = `
import json, os, sys, duckdb, pandas as pd
out = sys.argv[1]
runs = duckdb.sql(f"SELECT trace, set_kmu_hwqs, policy, cycles, speedup FROM '{out}/runs.parquet'").fetchall()
every = duckdb.sql(f"SELECT count(*) FROM read_parquet('{out}/*.parquet', union_by_name = true)").fetchall()[0][0]
kernels = pd.read_parquet(out + "/kernels.parquet").merge(pd.read_parquet(out + "/runs.parquet")[["cell", "trace"]],` +
	` on=["cell", "trace"])
by = kernels.groupby(["trace", "set_kmu_hwqs", "policy"]).warp_instructions.sum()
print(json.dumps({"runs": runs, "every": every, "insts": [[*k, int(v)] for k, v in by.items()]}))
# The threads of DuckDB and pyarrow do not always survive the end of the interpreter ("terminate called without an ` +
	`active exception").
sys.stdout.flush()
os._exit(0)
`

func TestSweepLoadedByDuckDBAndPandas(t *testing.T) {
	python, err := filepath.Abs("../../.venv/bin/python")
	if err != nil {
		t.Fatal(err)
	}
	if exec.Command(python, "-c", "import duckdb, pandas, pyarrow").Run() != nil {
		t.Skip("no Python environment with duckdb and pandas (make test makes it)")
	}
	dir := filepath.Join(t.TempDir(), "out")
	rows := printedRows(t, "sweep", "-o", dir, sweepFolder(t, strings.Replace(smallSweep, "metrics", "kernels", 1)))
	out, err := exec.Command(python, "-c", sweepLoader, dir).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, err.(*exec.ExitError).Stderr)
	}
	var loaded struct {
		Runs  [][]any
		Every int
		Insts [][]any
	}
	if err := json.Unmarshal(out, &loaded); err != nil {
		t.Fatal(err)
	}
	if len(loaded.Runs) != len(rows) || len(loaded.Insts) != len(rows) || loaded.Every <= len(rows) {
		t.Fatalf("DuckDB sees %d runs of %d rows in all, pandas sums %d, want %d runs", len(loaded.Runs), loaded.Every,
			len(loaded.Insts), len(rows))
	}
	for i, r := range rows {
		want := []any{r["trace"], r["set_kmu_hwqs"], r["policy"], r["cycles"], r["speedup"]}
		if !slices.Equal(loaded.Runs[i], want) {
			t.Errorf("DuckDB has %v, the command printed %v", loaded.Runs[i], want)
		}
		insts := []any{want[0], want[1], want[2], r["warp_instructions"]}
		if !slices.ContainsFunc(loaded.Insts, func(x []any) bool { return slices.Equal(x, insts) }) {
			t.Errorf("pandas has no sum of %v in %v", want, loaded.Insts)
		}
	}
}

// The file that the help shows is one.
func TestSweepOfTheHelp(t *testing.T) {
	help := must(t, "sweep", "--help")
	_, rest, ok := strings.Cut(help, "A sweep's file:\n\n")
	text, _, ended := strings.Cut(rest, "\nUsage:")
	if !ok || !ended {
		t.Fatalf("the help shows no file:\n%s", help)
	}
	file := sweepFolder(t, text)
	dir := filepath.Dir(file)
	if err := os.Mkdir(filepath.Join(dir, "traces"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "small.trace.zst"),
		filepath.Join(dir, "traces", "small.trace.zst")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "mine.toml"), []byte("base = 'k20c'\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	rows := printedRows(t, "sweep", "--dry-run", "-o", "nowhere", file)
	if len(rows) != 2*4*3*5*3 {
		t.Errorf("%d cells, want 2 GPUs times 4 policies (ppcs with two seeds) times 3, 5 and 3 values", len(rows))
	}
	script := must(t, "sweep", "--dry-run", "--launcher=slurm", "-o", "nowhere", file)
	if !strings.Contains(script, "#SBATCH --partition=long\n#SBATCH --time=2:00:00\n") {
		t.Errorf("the script lacks the options:\n%s", script)
	}
}
