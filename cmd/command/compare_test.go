package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Speed-ups do not depend on the order of calls: serial first, then ppcs, which the
// report then compares with it; a run does not go for another machine, fewer tables
// or another format.
func TestOneFolder(t *testing.T) {
	path, dir := sample(t), t.TempDir()
	call := func(args ...string) []map[string]any {
		return printedRows(t, append(append([]string{"--quiet", "--tables=runs,kernels"}, args...), "-o", dir, path)...)
	}
	want := call("--policy=ppcs", "--gpu=gk110-ppcs") // with serial, its own baseline
	if len(want) != 2 || want[0]["policy"] != "serial" || want[1]["baseline"] != "serial" ||
		want[1]["speedup"].(float64) < 1.1 {
		t.Fatalf("%v", want)
	}
	if alone := call("--policy=ppcs", "--no-baseline", "--gpu=gk110-ppcs"); len(alone) != 1 ||
		alone[0]["speedup"] != nil ||
		alone[0]["cycles"] != want[1]["cycles"] {
		t.Errorf("alone: %v", alone)
	}
	call("--policy=serial", "--gpu=k20c")
	call("--policy=serial", "--gpu=k20c", "--set=sm.count=8")
	call("--policy=ppcs", "--ppcs-guard=off", "--no-baseline", "--gpu=gk110-ppcs")
	must(t, "--quiet", "--policy=serial", "--gpu=k20c", "--tables=runs", "--format=csv", "-o", dir, path)
	runs, _ := filepath.Glob(filepath.Join(dir, "runs", "*", "*", "*", "*", "part-0.parquet"))
	kernels, _ := filepath.Glob(filepath.Join(dir, "kernels", "*", "*", "*", "*", "part-0.parquet"))
	if len(runs) != 5 || len(kernels) != 5 {
		t.Errorf("%d files of runs, %d of kernels:\n%s", len(runs), len(kernels), strings.Join(runs, "\n"))
	}
	if out := must(t, "compare", dir, "serial", "ppcs"); !strings.Contains(out, "policy: serial → ppcs") ||
		!strings.Contains(out, "vecadd") {
		t.Errorf("compare: %s", out)
	}
	if out := must(t, "compare", dir, dir); !strings.Contains(out, "5 of 5 runs take the same cycles") {
		t.Errorf("a folder with itself: %s", out)
	}
	fails(t, 1, []string{"1 of 1 runs are more than"}, "compare", "--max-slowdown=5", dir, "ppcs", "serial")
	fails(t, 1, []string{"no such file", "two folders"}, "compare", dir, filepath.Join(dir, "none"))
	if out := must(t, "top", dir, "--policy=ppcs"); !strings.Contains(out, "longest gap") ||
		!strings.Contains(out, "without the table stages") {
		t.Errorf("top: %s", out)
	}
	if out := must(t, "top", path, "--policy=ppcs"); !strings.Contains(out, "vecadd under ppcs on gk110-ppcs") ||
		!strings.Contains(out, "h2d") {
		t.Errorf("top of a trace without times: %s", out)
	}
	if out := must(t, "verify", dir); !strings.Contains(out, "11 files") {
		t.Errorf("verify: %s", out)
	}
}

// Two captures: f took 10 ns twice, then 30 ns; g is gone and h is new; steps have
// other numbers. The whole: from the first call, 0, to 70 and to 140.
func TestCompareCaptures(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		in, out := filepath.Join(dir, name+".txt"), filepath.Join(dir, name+".trace.zst")
		if err := os.WriteFile(in, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		must(t, "convert", in, "-o", out)
		return out
	}
	a := write("a", `
scope ProfilerStep#1
scope forward in=0
launch f grid=1 block=32 host=0 start=10 duration=10 scope=1
launch f grid=1 block=32 host=5 start=30 duration=10 scope=1
launch g grid=1 block=32 host=6 start=50 duration=20 scope=0
`)
	b := write("b", `
scope ProfilerStep#7
scope forward in=0
scope ProfilerStep#8
launch f grid=1 block=32 host=0 start=10 duration=30 scope=1
launch h grid=1 block=32 host=6 start=100 duration=40 scope=2
`)
	rows := map[string]map[string]any{}
	for _, r := range printedRows(t, "compare", a, b) {
		rows[r["of"].(string)+" "+r["name"].(string)] = r
	}
	for name, want := range map[string][4]float64{
		"capture recorded end to end": {1, 1, 70, 140}, "step a step": {1, 2, 60, 70},
		"kernel f": {2, 1, 20, 30}, "kernel g": {1, 0, 20, 0}, "kernel h": {0, 1, 0, 40},
		"range ProfilerStep#": {3, 2, 40, 70}, "range ProfilerStep# / forward": {2, 1, 20, 30},
	} {
		r := rows[name]
		if r == nil {
			t.Errorf("%s is missing: %v", name, rows)
			continue
		}
		if got := [4]float64{r["count_a"].(float64), r["count_b"].(float64), r["time_ns_a"].(float64),
			r["time_ns_b"].(float64)}; got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
		delete(rows, name)
	}
	if len(rows) > 0 {
		t.Errorf("more: %v", rows)
	}
	out := must(t, "compare", a, b)
	for _, want := range []string{"+100.0 %", "2 → 1", "gone", "new", "only in A: 1 kernels, 20 ns: g",
		"only in B: 1 kernels, 40 ns: h"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	fails(t, 1, []string{"100.00 % longer", "more than 5 %"}, "compare", "--max-slowdown=5", a, b)
	must(t, "compare", "--max-slowdown=5", b, a)
	if out := must(t, "compare", a, a); !strings.Contains(out, "no kernel, copy or range differs") {
		t.Errorf("the same: %s", out)
	}
	if out := must(t, "compare", "--ranges=forward", "--json", a, b); strings.Contains(out, `"h"`) ||
		!strings.Contains(out, `"f"`) {
		t.Errorf("only the range is asked for: %s", out)
	}
	fails(t, 1, []string{"no recorded times"}, "compare", a, sample(t))
	fails(t, 1, []string{"no such file", "two captures"}, "compare", a, filepath.Join(dir, "none"))
}

// One line has the recorded time and the replayed ones. It says so where nothing is
// known of the host between the launches of a capture.
func TestRecordedLine(t *testing.T) {
	dir := t.TempDir()
	for _, w := range []struct {
		call string
		says bool
	}{{"", true}, {" host=0", false}} {
		in, out := filepath.Join(dir, "a.txt"), filepath.Join(dir, "a.trace.zst")
		if err := os.WriteFile(in, []byte("meta fidelity=kernel\nlaunch f grid=1 block=32"+w.call+
			" start=1000 duration=2000\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		must(t, "convert", in, "-o", out)
		got := must(t, "--policy=captured", out, "-o", filepath.Join(dir, "out"+w.call))
		if cut := must(t, "--policy=captured", "--max-cycles=10", out, "-o",
			filepath.Join(dir, "cut"+w.call)); !strings.Contains(cut, ", captured cut off at ") {
			t.Errorf("cut off: %s", cut)
		}
		if !strings.Contains(got, "captured") || strings.Contains(got, "no calls of the host") != w.says {
			t.Errorf("host%q: %s", w.call, got)
		}
	}
}
