package command

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"gpureplay/replay/table"
	"gpureplay/trace/tracetest"
)

// command runs the command and returns its exit status, its output and its errors.
func command(t *testing.T, args ...string) (status int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	status = Run(args, strings.NewReader(""), &o, &e)
	return status, o.String(), e.String()
}

// must runs the command and fails the test if it fails.
func must(t *testing.T, args ...string) string {
	t.Helper()
	status, out, errs := command(t, args...)
	if status != 0 {
		t.Fatalf("replay %s: status %d: %s", strings.Join(args, " "), status, errs)
	}
	return out
}

// sample makes a small trace and returns its path.
func sample(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "vecadd.trace.zst")
	must(t, "sample", "vecadd", "--param=n=8192", "-o", path)
	return path
}

// fails checks that a command fails with one clear line that holds every word, and leaves a folder as it was.
func fails(t *testing.T, status int, words []string, args ...string) {
	t.Helper()
	got, out, errs := command(t, args...)
	if got != status {
		t.Errorf("replay %s: status %d, want %d (%s)", strings.Join(args, " "), got, status, errs)
	}
	line := strings.TrimRight(errs, "\n")
	for l := range strings.SplitSeq(line, "\n") {
		if !strings.HasPrefix(l, "machine ") {
			line = l
		}
	}
	if !strings.HasPrefix(line, "replay: ") || strings.Count(errs, "replay: ") != 1 {
		t.Errorf("replay %s: want one line, got %q", strings.Join(args, " "), errs)
	}
	for _, w := range words {
		if !strings.Contains(line, w) {
			t.Errorf("replay %s: %q does not say %q", strings.Join(args, " "), line, w)
		}
	}
	if strings.Contains(out, "panic") || strings.Contains(errs, "goroutine") {
		t.Errorf("replay %s: a panic: %s", strings.Join(args, " "), errs)
	}
}

func TestMainJob(t *testing.T) {
	path, dir := sample(t), t.TempDir()
	out := must(t, "--policy=serial,hyperq", "--gpu=gk110-ppcs", "--audit", "-o", dir, path)
	for _, want := range []string{"policy", "serial", "hyperq", "1.000"} {
		if !strings.Contains(out, want) {
			t.Errorf("the summary lacks %q:\n%s", want, out)
		}
	}
	for _, name := range []string{"runs", "stages", "kernels", "ctas", "timeline", "memory", "diagnostics",
		"performance", "audit"} {
		for _, policy := range []string{"serial", "hyperq"} {
			if _, err := os.Stat(filepath.Join(dir, name, "trace=vecadd", "gpu=gk110-ppcs", "set=preset", "policy="+policy,
				"part-0.parquet")); err != nil {
				t.Error(err)
			}
		}
	}
	noPartials(t, dir)
}

// noPartials checks that nothing half-written lies under a folder.
func noPartials(t *testing.T, dir string) {
	t.Helper()
	filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() && (strings.Contains(path, "partial") || strings.Contains(path, ".tmp")) {
			t.Errorf("%s was left behind", path)
		}
		return nil
	})
}

func TestJSONHasARowPerPolicy(t *testing.T) {
	out := must(t, "--json", "--quiet", "--policy=serial,crcs,ppcs", "--gpu=gk110-ppcs", "-o", t.TempDir(), sample(t))
	var rows []map[string]any
	if err := json.Unmarshal([]byte(out), &rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) != 3 || rows[0]["policy"] != "serial" || rows[0]["speedup"] != 1.0 || rows[2]["policy"] != "ppcs" {
		t.Errorf("rows %v", rows)
	}
	for _, key := range []string{"trace", "gpu", "fidelity", "cycles", "time_ns", "kernels", "ctas",
		"warp_instructions", "occupancy_pct", "l2_hit_pct", "wall_seconds", "peak_rss_bytes"} {
		if rows[0][key] == nil {
			t.Errorf("a row lacks %s", key)
		}
	}
}

func TestUsage(t *testing.T) {
	path := sample(t)
	for _, c := range []struct {
		status int
		words  []string
		args   []string
	}{
		{2, []string{"--polciy", "unknown flag"}, []string{"--polciy=serial", path}},
		{2, []string{"-o"}, []string{"convert", path}},
		{2, []string{"serail", "serial", "hyperq"}, []string{"--policy=serail", path}},
		{2, []string{"a1000", "a100"}, []string{"--gpu=a1000", path}},
		{2, []string{"sm.cuont", "sm.count"}, []string{"--gpu=a100", "--set", "sm.cuont=3", path}},
		{2, []string{"sm.count", "-3"}, []string{"--gpu=a100", "--set", "sm.count=-3", path}},
		{1, []string{"child launches"}, []string{"--gpu=a100", "--policy=spawn", path}},
		{2, []string{"warp", "gtoo", "gto"}, []string{"--gpu=a100", "--policy=serial,warp=gtoo", path}},
		{2, []string{"baseline", "serial"}, []string{"--gpu=a100", "--policy=serial", "--baseline=ppcs", path}},
		{1, []string{"nosuch.zst"}, []string{"nosuch.zst"}},
		{2, []string{"vecad", "vecadd"}, []string{"sample", "vecad", "-o", filepath.Join(t.TempDir(), "x")}},
		{2, []string{"tables", "runz"}, []string{"--gpu=a100", "--tables=runz", path}},
		{2, []string{"format"}, []string{"--gpu=a100", "--format=xml", path}},
		{2, []string{"hyperq is named twice"}, []string{"--gpu=a100", "--policy=hyperq,serial,hyperq", path}},
		{2, []string{"policy serial: warp= has no value"}, []string{"--gpu=a100", "--policy=serial,warp=", path}},
		{2, []string{"--threshold=64", "no policy of this run"}, []string{"--gpu=a100", "--threshold=64", path}},
		{2, []string{"--sample=-5"}, []string{"--gpu=a100", "--sample=-5", path}},
		{2, []string{"-o=-", "folder"}, []string{"--gpu=a100", "-o", "-", path}},
		{2, []string{"-o -"}, []string{"convert", path, "-o", "-"}},
		{2, []string{"-o -"}, []string{"sample", "vecadd", "-o", "-"}},
		{2, []string{"-o -"}, []string{"export", path, "-o", "-"}},
		{2, []string{"--events=-1"}, []string{"inspect", "--events=-1", path}},
		{1, []string{"child launches"}, []string{"explain", "--gpu=a100", "--policy=cdp", path}},
		{1, []string{"inspekt", "did you mean the command inspect"}, []string{"inspekt"}},
		{1, []string{"is a replay trace already"}, []string{"convert", path, "-o", filepath.Join(t.TempDir(), "x")}},
		{2, []string{"help", "nosuch"}, []string{"help", "nosuch"}},
		{2, []string{"completion", "bash", "foo"}, []string{"completion", "foo"}},
		{2, []string{"nosuch", "vecadd"}, []string{"sample", "nosuch"}},
		{2, []string{"n=-1"}, []string{"sample", "vecadd", "--param=n=-1", "-o", filepath.Join(t.TempDir(), "x")}},
		{2, []string{"zz", "accelsim"}, []string{"convert", "--from=zz", path, "-o", filepath.Join(t.TempDir(), "x")}},
		{2, []string{"xml", "csv"}, []string{"export", "--format=xml", path, "-o", t.TempDir()}},
		{2, []string{"at most one preset"}, []string{"presets", "a100", "h100"}},
		{2, []string{"at most one policy"}, []string{"policies", "ppcs", "crcs"}},
		{2, []string{"nosuch", "a100"}, []string{"presets", "nosuch"}},
		{2, []string{"nosuch", "serial"}, []string{"policies", "nosuch"}},
		{2, []string{"nosuch", "a100"}, []string{"policies", "ppcs", "--cost", "--gpu=nosuch"}},
		{2, []string{"zz", "speedup"}, []string{"reproduce", "spawn", "--only=zz"}},
		{2, []string{"--jobs"}, []string{"reproduce", "spawn", "--jobs=-3"}},
		{2, []string{"want a folder of tables"}, []string{"correlate"}},
		{2, []string{"nosuch", "a100"}, []string{"correlate", "--gpu=nosuch", t.TempDir()}},
		{2, []string{"dtbl-agt=7", "power of two"}, []string{"--gpu=a100", "--policy=serial,dtbl", "--dtbl-agt=7", path}},
		{2, []string{"dtbl-agt=7"}, []string{"explain", "--gpu=a100", "--policy=dtbl,agt=7", path}},
		{1, []string{"no/such.toml"}, []string{"--gpu=no/such.toml", path}},
		{1, []string{"no such folder"}, []string{"report", filepath.Join(t.TempDir(), "x")}},
	} {
		if strings.HasPrefix(c.args[0], "--") && !slices.Contains(c.args, "-o") {
			c.args = append([]string{"-o", t.TempDir()}, c.args...)
		}
		fails(t, c.status, c.words, c.args...)
	}
}

// Damaged and impossible traces: one clear line and status 1, whatever byte is
// hit.
func TestDamagedTraces(t *testing.T) {
	path := sample(t)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.trace.zst")
	try := func(what string, data []byte) {
		t.Helper()
		if err := os.WriteFile(bad, data, 0o644); err != nil {
			t.Fatal(err)
		}
		status, _, errs := command(t, "verify", bad)
		if status != 1 || strings.Contains(errs, "goroutine") || !strings.Contains(errs, "bad.trace.zst") {
			t.Errorf("%s: status %d, %q", what, status, errs)
		}
	}
	try("empty", nil)
	try("wrong magic", append([]byte("PK\x03\x04"), whole[4:]...))
	for n := 1; n < len(whole); n += max(1, len(whole)/40) {
		try("truncated", whole[:n])
	}
	for i := range whole {
		flipped := bytes.Clone(whole)
		flipped[i] ^= 1 << (i % 8)
		try("flipped bit", flipped)
	}
	fails(t, 1, []string{dir}, "verify", dir)
	fails(t, 1, []string{dir}, "-o", t.TempDir(), dir)
	pipe := filepath.Join(dir, "pipe")
	if err := exec.Command("mkfifo", pipe).Run(); err != nil {
		t.Skip(err)
	}
	fails(t, 1, []string{pipe, "no regular file"}, "verify", pipe) // and does not wait for a writer
}

func TestUnwritable(t *testing.T) {
	path := sample(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	fails(t, 1, []string{"file"}, "--gpu=a100", "-o", filepath.Join(file, "out"), path)
	fails(t, 1, []string{"cannot write", "none"}, "sample", "vecadd", "-o", filepath.Join(t.TempDir(), "none", "x.zst"))
	if os.Getuid() != 0 {
		locked := t.TempDir()
		if err := os.Chmod(locked, 0o555); err != nil {
			t.Fatal(err)
		}
		fails(t, 1, []string{"cannot write"}, "sample", "vecadd", "-o", filepath.Join(locked, "x.zst"))
		hidden := t.TempDir()
		if err := os.Chmod(hidden, 0); err != nil {
			t.Fatal(err)
		}
		fails(t, 1, []string{"permission denied"}, "convert", hidden, "-o", filepath.Join(t.TempDir(), "x.zst"))
		fails(t, 1, []string{"permission denied"}, "timeline", hidden, "-o", filepath.Join(t.TempDir(), "x"))
		fails(t, 1, []string{"permission denied"}, "correlate", hidden)
	}
}

// fullDisk is a standard output that takes nothing.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// Results that cannot be written are an error, of every command alike.
func TestUnwritableResults(t *testing.T) {
	path := sample(t)
	for _, args := range [][]string{{"--help"}, {"policies"}, {"presets", "k20c"}, {"inspect", path},
		{"inspect", "--kernels", path},
		{"inspect", "--text", path}, {"verify", path},
		{"--gpu=k20c", "--quiet", "-o", t.TempDir(), path}, {"--json", "verify", path}} {
		var errs bytes.Buffer
		if status := Run(args, strings.NewReader(""), fullDisk{}, &errs); status != 1 ||
			!strings.Contains(errs.String(), "no space left") {
			t.Errorf("replay %s: status %d, %q", strings.Join(args, " "), status, errs.String())
		}
	}
}

// A trace becomes text and a container again, which holds the same; a text may
// also come from standard input.
func TestTextForm(t *testing.T) {
	path, dir := sample(t), t.TempDir()
	text, again, piped := filepath.Join(dir, "t.txt"), filepath.Join(dir, "again.zst"), filepath.Join(dir, "piped.zst")
	form := must(t, "inspect", "--text", path)
	if err := os.WriteFile(text, []byte(form), 0o644); err != nil {
		t.Fatal(err)
	}
	must(t, "convert", text, "-o", again)
	if must(t, "inspect", "--text", again) != form {
		t.Error("the text of the container of the text differs")
	}
	if status := Run([]string{"convert", "-", "-o", piped}, strings.NewReader(form), io.Discard, io.Discard); status != 0 {
		t.Fatalf("status %d", status)
	}
	if a, b := contents(t, dir)["again.zst"], contents(t, dir)["piped.zst"]; a != b {
		t.Error("from a pipe it is another container")
	}
	bad := filepath.Join(dir, "bad.txt")
	if err := os.WriteFile(bad, []byte("launch k grid=2 blok=64\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	fails(t, 1, []string{"bad.txt:1", "blok"}, "convert", bad, "-o", filepath.Join(dir, "none"))
	noPartials(t, dir)
}

// The same trace, policy and configuration give the same bytes, whatever
// GOMAXPROCS is.
func TestRunsAreIdentical(t *testing.T) {
	path := sample(t)
	var first map[string]string
	for _, procs := range []int{1, 2, 1} {
		old := runtime.GOMAXPROCS(procs)
		dir := t.TempDir()
		must(t, "--gpu=gk110-ppcs", "--policy=serial,hyperq,ppcs", "--sample=1000", "-o", dir, path)
		runtime.GOMAXPROCS(old)
		files := contents(t, dir)
		if first == nil {
			first = files
			continue
		}
		if len(files) != len(first) {
			t.Fatalf("%d files, then %d", len(first), len(files))
		}
		for name, data := range first {
			if files[name] != data {
				t.Errorf("GOMAXPROCS %d: %s differs", procs, name)
			}
		}
	}
}

// contents reads every file under a folder but the table performance.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		// a manifest has the checksum of that table
		if strings.HasPrefix(name, "performance") || strings.HasPrefix(name, ".runs") {
			return nil
		}
		data, err := os.ReadFile(path)
		files[name] = string(data)
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	return files
}

// Real captures, end to end: the counts that their notices state.
func TestCaptures(t *testing.T) {
	for _, c := range []struct {
		path                   []string
		gpu                    string
		kernels, insts, memory float64
	}{
		{[]string{"accelsim-rodinia-bfs-a100", "kernelslist.g"}, "a100", 16, 159509, 38584},
		{[]string{"accelsim-backprop-h100", "kernelslist.g"}, "h100", 33, -1, -1},
		{[]string{"accelsim-vectoradd-a100", "kernelslist.g"}, "a100", 1, 26601, 4689},
		{[]string{"accelsim-atax-v5v6", "atax-v5", "kernel-1.traceg"}, "h100", 1, 60, 2},
		{[]string{"accelsim-atax-v5v6", "atax-v6", "kernel-1.traceg"}, "h100", 1, 60, 2},
		{[]string{"accelsim-ffmakernel-h100", "simtune-ffmakernel-4096-16", "kernelslist.g"}, "h100", 1, -1, 0},
	} {
		trace := filepath.Join(t.TempDir(), "c.trace.zst")
		must(t, "convert", tracetest.Data(t, c.path...), "-o", trace)
		var rows []map[string]any
		if err := json.Unmarshal([]byte(must(t, "--json", "inspect", trace)), &rows); err != nil {
			t.Fatal(err)
		}
		r := rows[0]
		if r["kernels"] != c.kernels || c.insts >= 0 && r["warp_instructions"] != c.insts || c.memory >= 0 &&
			r["memory_instructions"] != c.memory {
			t.Errorf("%v: %v kernels, %v warp instructions, %v memory; want %v, %v, %v", c.path, r["kernels"],
				r["warp_instructions"], r["memory_instructions"], c.kernels, c.insts, c.memory)
		}
		must(t, "verify", trace)
		var runs []map[string]any
		out := must(t, "--json", "--quiet", "--audit", "--gpu="+c.gpu, "-o", t.TempDir(), trace)
		if err := json.Unmarshal([]byte(out), &runs); err != nil {
			t.Fatal(err)
		}
		if runs[0]["warp_instructions"] != r["warp_instructions"] || runs[0]["kernels"] != c.kernels {
			t.Errorf("%v: the replay has %v warp instructions in %v kernels", c.path, runs[0]["warp_instructions"],
				runs[0]["kernels"])
		}
	}
}

// A capture that is damaged: the file and the line, and nothing under the final
// name.
func TestDamagedCaptures(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out.trace.zst")
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const header = "-kernel name = k\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n-nregs " +
		"= 8\n-binary version = 80\n-cuda stream id = 0\n-accelsim tracer version = 5\n-enable lineinfo = 0\n\n#traces " +
		"format\n\n"
	cut := write("kernel-1.traceg", header+"#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = 2\n0000 ffffffff "+
		"1 R1 MOV 0 0 \n0010 ffffffff 1 R")
	fails(t, 1, []string{"kernel-1.traceg", ":21"}, "convert", cut, "-o", out)
	list := write("kernelslist.g", "kernel-1.traceg\nkernel-2.traceg\n")
	os.WriteFile(cut, []byte(header+"#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = 1\n0000 ffffffff 0 EXIT "+
		"0 0 \n\n#END_TB\n"), 0o644)
	fails(t, 1, []string{"kernel-2.traceg"}, "convert", list, "-o", out)
	fails(t, 1, []string{"not recognised"}, "convert", write("noise.bin", "nothing that anybody writes"), "-o", out)
	fails(t, 1, []string{"nosuch"}, "convert", filepath.Join(dir, "nosuch"), "-o", out)
	if _, err := os.Stat(out); !os.IsNotExist(err) {
		t.Errorf("%s exists: %v", out, err)
	}
	noPartials(t, dir)
}

// --tables takes the tables that exist.
func TestHelpListsTables(t *testing.T) {
	if help, all := must(t, "--help"), strings.Join(table.Names(), ", "); !strings.Contains(help, all) {
		t.Errorf("the help of --tables does not list %s", all)
	}
}
