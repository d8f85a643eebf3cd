package command

import (
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
	if len(want) != 2 || want[0]["policy"] != "serial" || want[1]["baseline"] != "serial" || want[1]["speedup"].(float64) < 1.1 {
		t.Fatalf("%v", want)
	}
	if alone := call("--policy=ppcs", "--no-baseline", "--gpu=gk110-ppcs"); len(alone) != 1 || alone[0]["speedup"] != nil || alone[0]["cycles"] != want[1]["cycles"] {
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
	if out := must(t, "compare", dir, "serial", "ppcs"); !strings.Contains(out, "policy: serial → ppcs") || !strings.Contains(out, "vecadd") {
		t.Errorf("compare: %s", out)
	}
	fails(t, 1, []string{"1 of 1 runs are more than"}, "compare", "--max-slowdown=5", dir, "ppcs", "serial")
	fails(t, 1, []string{"there is no folder"}, "compare", dir, filepath.Join(dir, "none"))
	if out := must(t, "top", dir, "--policy=ppcs"); !strings.Contains(out, "longest gap") || !strings.Contains(out, "%") {
		t.Errorf("top: %s", out)
	}
	fails(t, 1, []string{"no recorded times"}, "top", path)
	if out := must(t, "verify", dir); !strings.Contains(out, "11 files") {
		t.Errorf("verify: %s", out)
	}
}
