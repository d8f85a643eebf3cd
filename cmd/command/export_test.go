package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpureplay/replay/table/neutral"
)

// A trace goes out as tables in either format, a later format in place of the
// earlier, and comes back as a trace that replays to the same cycles.
func TestExport(t *testing.T) {
	path, dir := sample(t), filepath.Join(t.TempDir(), "tables")
	replayed := func(path string) string {
		out := must(t, "--quiet", "--policy=hyperq", "--gpu=gk110-ppcs", "-o", t.TempDir(), path)
		return strings.Split(out, "\n")[1]
	}
	want := replayed(path)
	for _, format := range []string{"parquet", "csv"} {
		if out := must(t, "export", "--format="+format, path, "-o", dir); !strings.Contains(out, "accesses") {
			t.Errorf("the tables are not shown:\n%s", out)
		}
		files, _ := filepath.Glob(filepath.Join(dir, "*"))
		if n := len(neutral.Names()); len(files) != n {
			t.Errorf("%s: %d files in the folder, want one for each of %d tables", format, len(files), n)
		}
		noPartials(t, dir)
		again := filepath.Join(t.TempDir(), "again.zst")
		must(t, "convert", dir, "-o", again)
		if got := replayed(again); got != want {
			t.Errorf("%s: replayed to\n%s\nwant\n%s", format, got, want)
		}
	}
	fails(t, 2, []string{"-o DIR"}, "export", path)
	fails(t, 2, []string{"arrow", "parquet, csv, traceg"}, "export", "--format=arrow", path, "-o", dir)
	if err := os.WriteFile(filepath.Join(dir, "kernels.parquet"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	fails(t, 1, []string{"both as parquet and as csv"}, "convert", dir, "-o", filepath.Join(t.TempDir(), "x.zst"))
	fails(t, 1, []string{"captured", "no recorded start times"}, "--policy=captured", "--gpu=gk110-ppcs", path)
}

// A trace goes out as a capture for Accel-Sim and comes back as a trace that
// replays to the same cycles.
func TestExportCapture(t *testing.T) {
	dir := t.TempDir()
	path, capture, again := filepath.Join(dir, "t.trace.zst"), filepath.Join(dir, "capture"), filepath.Join(dir, "again.trace.zst")
	must(t, "sample", "behaviour", "--param=kind=kernels", "--param=most=4000", "-o", path)
	fails(t, 2, []string{"compute capability", "--sm=70"}, "export", "--format=traceg", path, "-o", capture)
	fails(t, 2, []string{"--sm goes with"}, "export", "--sm=70", path, "-o", capture)
	if out := must(t, "export", "--format=traceg", "--sm=70", path, "-o", capture); !strings.Contains(out, "sm_70") {
		t.Errorf("it says %s", out)
	}
	noPartials(t, capture)
	must(t, "convert", capture, "-o", again)
	replayed := func(path string) string {
		return strings.Split(must(t, "--quiet", "--gpu=qv100", "-o", t.TempDir(), path), "\n")[1]
	}
	if got, want := replayed(again), replayed(path); got != want {
		t.Errorf("replayed to\n%s\nwant\n%s", got, want)
	}
}
