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
		files, _ := filepath.Glob(filepath.Join(dir, "[a-z]*"))
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

// A folder with tables that no export wrote stays as it is; a smaller capture removes the kernels of a larger one.
func TestExportKeepsFilesOfOthers(t *testing.T) {
	dir := t.TempDir()
	path, small, large := sample(t), filepath.Join(dir, "1.trace.zst"), filepath.Join(dir, "4.trace.zst")
	for _, name := range []string{"kernels.csv", "kernels.parquet", "kernel-9.traceg"} {
		mine := filepath.Join(dir, name+".d")
		if err := os.Mkdir(mine, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(mine, name), []byte("by hand"), 0o644); err != nil {
			t.Fatal(err)
		}
		args := []string{"export"}
		if strings.HasSuffix(name, ".traceg") {
			args = append(args, "--format=traceg", "--sm=70")
		}
		fails(t, 1, []string{"export: ", name, "no export wrote", "another folder"}, append(args, path, "-o", mine)...)
		if text, err := os.ReadFile(filepath.Join(mine, name)); err != nil || string(text) != "by hand" {
			t.Errorf("%s is %q, %v", name, text, err)
		}
	}
	for file, launches := range map[string]int{small: 1, large: 4} {
		text := "trace 1\n" + strings.Repeat("launch k grid=1 block=32\ncta 0\nwarp 0\nint\nexit\n", launches)
		if err := os.WriteFile(file+".txt", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		must(t, "convert", file+".txt", "-o", file)
	}
	capture := filepath.Join(dir, "capture")
	for _, file := range []string{large, small} {
		must(t, "export", "--format=traceg", "--sm=70", file, "-o", capture)
	}
	if files, _ := filepath.Glob(filepath.Join(capture, "*.traceg")); len(files) != 1 {
		t.Errorf("the capture of one kernel has %v", files)
	}
}

// A trace goes out as a capture for Accel-Sim and comes back as a trace that
// replays to the same cycles.
func TestExportCapture(t *testing.T) {
	dir := t.TempDir()
	path, capture, again := filepath.Join(dir, "t.trace.zst"), filepath.Join(dir, "capture"),
		filepath.Join(dir, "again.trace.zst")
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
