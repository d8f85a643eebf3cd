package table

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

const requirements = "../../samples/queries/requirements.txt"

// python returns a Python that has the pinned requirements: .venv of the repository, which make makes, or else a
// virtual environment under it, made on the first call and named after the requirements. It skips the test where
// there is no Python or where the packages cannot be fetched.
func python(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("the engines are not run with -short")
	}
	pins, err := os.ReadFile(requirements)
	if err != nil {
		t.Fatal(err)
	}
	if made, err := os.Stat("../../.venv/.stamp"); err == nil {
		if needed, err := os.Stat(requirements); err == nil && !made.ModTime().Before(needed.ModTime()) {
			return "../../.venv/bin/python"
		}
	}
	system, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3: DuckDB and pandas cannot be tried")
	}
	dir, err := filepath.Abs(fmt.Sprintf("../../.venv/tables-%.8x", sha256.Sum256(pins)))
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "bin", "python")
	if _, err := os.Stat(filepath.Join(dir, "complete")); err == nil {
		return bin
	}
	if out, err := exec.Command(system, "-m", "venv", "--clear", dir).CombinedOutput(); err != nil {
		t.Skipf("python3 makes no virtual environment: %v\n%s", err, out)
	}
	out, err := exec.Command(bin, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r",
		requirements).CombinedOutput()
	if err != nil {
		t.Skipf("the packages of %s cannot be installed (is there a network?): %v\n%s", requirements, err, out)
	}
	if err := os.WriteFile(filepath.Join(dir, "complete"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	return bin
}

// runPython runs a script in dir and returns its output. Its failure is the test's.
func runPython(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	if _, err := os.ReadFile(args[0]); err != nil { // so that a cached result depends on it
		t.Fatal(err)
	}
	bin, err := filepath.Abs(python(t))
	if err != nil {
		t.Fatal(err)
	}
	if args[0], err = filepath.Abs(args[0]); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "MPLBACKEND=Agg", "MPLCONFIGDIR="+t.TempDir())
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		t.Fatalf("%v: %v\n%s%s", args, err, out, exit.Stderr)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// names that a folder, a URL, a glob or a hive reader could trip over.
var oddNames = []string{
	"threshold=32", "spawn+dtbl", "a,b", "a b", "a/b", "..", "50%", "%41", "*", "[x]", "{y,z}", "?", "größe", "a&b#c;d",
	"'quoted'", `"`, "~", "a:b",
}

// TestEngines opens written sets with DuckDB, pandas and pyarrow as users do,
// and compares every value of every column (testdata/engines.py).
func TestEngines(t *testing.T) {
	dir := t.TempDir()
	for _, format := range Formats() {
		s := openFixture(t, filepath.Join(dir, format), fixturePolicy, format)
		fill(s)
		if err := s.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	for _, policy := range []string{"serial", "crcs"} { // without rows
		if err := openFixture(t, filepath.Join(dir, "empty"), policy, Parquet).Commit(); err != nil {
			t.Fatal(err)
		}
	}
	mixed := openFixture(t, filepath.Join(dir, "mixed"), "full", Parquet)
	fill(mixed)
	many := openFixture(t, filepath.Join(dir, "many"), "p", Parquet)
	flood(many, 2*batchRows+500)
	for _, s := range []*Set{mixed, many, openFixture(t, filepath.Join(dir, "mixed"), "empty", Parquet)} {
		if err := s.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range oddNames {
		s, err := Open(Options{Dir: filepath.Join(dir, "names"), Trace: name, Policy: name, GPU: "k20c",
			Tables: []string{"metrics"}, ClockMHz: 1})
		if err != nil {
			t.Fatal(err)
		}
		s.Run(&Run{Summary: fixtureMetric(name)})
		if err := s.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	about, err := json.Marshal(map[string]any{
		"tables": Describe(), "types": typeNames, "trace": fixtureTrace, "policy": fixturePolicy, "names": oddNames,
		"metadata": fixtureMetadata, "batch": batchRows, "rows": 2*batchRows + 500,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "about.json"), about, 0o666); err != nil {
		t.Fatal(err)
	}
	expected(t)
	runPython(t, ".", "testdata/engines.py", dir, "testdata/expected.json")
}
