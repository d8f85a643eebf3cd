package command

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpureplay/trace/tracetest"
)

// chain makes a trace of several kernels and returns its path.
func chain(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "c.trace.zst")
	must(t, "sample", "3mm", "--param=n=64", "-o", path)
	return path
}

// A choice of all kernels has the tables of no choice, to the byte. A choice of some kernels has the tables of a
// trace that convert made of them.
func TestChosenTables(t *testing.T) {
	path := chain(t)
	run := func(args ...string) map[string][]byte {
		dir := t.TempDir()
		must(t, append([]string{"--format=csv", "--gpu=k20c", "--policy=hyperq", "--no-baseline", "-o", dir}, args...)...)
		all := tablesOf(t, dir)
		maps.DeleteFunc(all, func(name string, _ []byte) bool {
			return strings.Contains(name, "machines")
		}) // it has the command
		return all
	}
	differ := func(a, b map[string][]byte) (n int) {
		for name := range a {
			if !bytes.Equal(a[name], b[name]) {
				n++
			}
		}
		return n
	}
	whole := run(path)
	if n := differ(whole, run("--kernels=0-2", path)); n > 0 {
		t.Errorf("choosing everything changes %d tables", n)
	}
	part := filepath.Join(t.TempDir(), "c.trace.zst")
	must(t, "convert", "--kernels=1-2", path, "-o", part)
	some := run("--kernels=1-2", path)
	if n := differ(some, run(part)); n > 0 {
		t.Errorf("%d tables differ between choosing in a replay and choosing before it", n)
	}
	if differ(some, whole) == 0 {
		t.Error("two kernels have the tables of three")
	}
}

// To choose while converting is to convert and then choose; a capture in the folder of
// results has no trace if nothing is chosen.
func TestChooseWhileConverting(t *testing.T) {
	capture := tracetest.Data(t, "kineto-hta", "critical_path__alexnet__benchmark_result_2869224_1695835535_trace.json.gz")
	dir := t.TempDir()
	once, whole, twice := filepath.Join(dir, "once.trace.zst"), filepath.Join(dir, "whole.trace.zst"),
		filepath.Join(dir, "twice.trace.zst")
	must(t, "convert", "--from=kineto", "--from=50%", "--kernels=/gemm|conv/", capture, "-o", once)
	must(t, "convert", capture, "-o", whole)
	must(t, "convert", "--from=50%", "--kernels=/gemm|conv/", whole, "-o", twice)
	a, errA := os.ReadFile(once)
	b, errB := os.ReadFile(twice)
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		t.Errorf("%d and %d bytes, %v, %v", len(a), len(b), errA, errB)
	}
	must(t, "verify", once)
	fails(t, 1, []string{"no_such", "near"}, "convert", "--kernels=no_such", capture, "-o",
		filepath.Join(dir, "none.trace.zst"))
	if _, err := os.Stat(filepath.Join(dir, "none.trace.zst")); err == nil {
		t.Error("a choice that failed left a trace")
	}
	fails(t, 2, []string{"--to=5", "unit"}, "--to=5", whole)
	fails(t, 2, []string{"at once"}, "convert", "--from=1ms", "--from=2ms", capture, "-o", once)
	for _, args := range [][]string{{"top"}, {"inspect"}, {"inspect", "--kernels=0-60"},
		{"explain", "--policy=captured"}, {"what-if"},
		{"export", "-o", filepath.Join(dir, "tables")}} {
		must(t, append(append(args, "--to=90%"), whole)...)
	}
}

// The second half of a capture is replayed as it was recorded: the first, which kept the
// device as its calls were made, leaves no gap in front.
func TestChosenAsRecorded(t *testing.T) {
	for _, capture := range []string{"kineto-hta/" +
		"critical_path__alexnet__benchmark_result_2869224_1695835535_trace.json.gz",
		"kineto-tracelens/b200__eager_trace.json.gz"} {
		path := filepath.Join(t.TempDir(), "half.trace.zst")
		must(t, "convert", "--from=50%", tracetest.Data(t, capture), "-o", path)
		rows := printedRows(t, "correlate", path, tracetest.Data(t, capture))
		recorded, captured, whole := rows[0]["recorded_ns"].(float64), rows[0]["captured_ns"].(float64),
			rows[1]["recorded_ns"].(float64)
		if recorded <= 0.3*whole || recorded > 0.51*whole || captured < 0.999*recorded || captured > 1.001*recorded {
			t.Errorf("%s: %.0f ns, recorded %.0f of %.0f", capture, captured, recorded, whole)
		}
	}
}
