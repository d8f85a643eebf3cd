package command

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
)

// loops is a program of two kernels of one template, whose names the profiler left as
// the compiler made them, and a copy that fills the L2.
const loops = `
array a bytes=4096
h2d a
launch _Z5scaleIfEvPT_ grid=4 block=64
cta 0..3
warp 0..1
load R1 <- @a+4
fp R2 <- R1
exit
launch _Z5scaleIdEvPT_ grid=4 block=64
cta 0..3
warp 0..1
load R1 <- @a+4
exit
`

// The first run says once the values that all runs share, fits 80 columns, explains numbers that
// look wrong, and ends with the next command.
func TestRunTable(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "t.txt"), filepath.Join(dir, "out")
	write(t, in, loops)
	status, stdout, stderr := command(t, "--gpu=a100", "--policy=serial,hyperq", "-o", out, in)
	if status != 0 {
		t.Fatal(stderr)
	}
	for _, want := range []string{
		"t on a100: fidelity warp, 2 kernels, 8 CTAs, ",
		"hyperq takes as long as serial: all kernels are in one stream",
		"L2 hit 100 %: copies to the device leave their data in the L2",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("the table lacks %q:\n%s", want, stdout)
		}
	}
	if want := "next: replay report " + out; !strings.Contains(stderr, want) {
		t.Errorf("the notes lack %q:\n%s", want, stderr)
	}
	table, _, _ := strings.Cut(stdout, "L2 hit 100")
	for _, line := range strings.Split(table, "\n") {
		if n := text.StringWidthWithoutEscSequences(strings.TrimRight(line, " ")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	must(t, "report", out)
	if _, _, stderr = command(t, "--gpu=a100", "--policy=serial", "-o", out, in); strings.Contains(stderr, "next:") {
		t.Errorf("a folder with a report is offered one: %s", stderr)
	}
}

// A run that was cut off has no time, and in JSON no cycles, that read as if it had
// ended.
func TestCutRunHasNoCycles(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "t.txt")
	write(t, in, loops)
	args := []string{"--quiet", "--gpu=a100", "--max-cycles=100", "-o", filepath.Join(dir, "out"), in}
	if out := must(t, args...); !strings.Contains(out, "cut off at 100") || strings.Contains(out, " ns ") {
		t.Errorf("a run of 100 cycles: %s", out)
	}
	out := must(t, append(args, "--json")...)
	for _, want := range []string{`"cycles": null`, `"time_ns": null`, `"cut_off_at_cycles": 100`} {
		if !strings.Contains(out, want) {
			t.Errorf("the JSON lacks %s: %s", want, out)
		}
	}
}

// Tables show demangled names that differ; --full-names shows all of them, and the table
// kernels has both.
func TestFunctionNames(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "t.txt"), filepath.Join(dir, "out")
	write(t, in, loops)
	must(t, "--quiet", "--gpu=a100", "-o", out, in)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"top", out}, "scale<double>"},
		{[]string{"top", "--full-names", out}, "void scale<float>(float*)"},
		{[]string{"inspect", "--kernels", in}, "scale<float>"},
		{[]string{"inspect", "--kernels", "--json", in}, `"function_short": "scale<float>"`},
	} {
		if got := must(t, c.args...); !strings.Contains(got, c.want) {
			t.Errorf("replay %s lacks %q:\n%s", strings.Join(c.args, " "), c.want, got)
		}
	}
}

// inspect gives each reason once and no row that the trace does not have.
func TestInspectGroupsReasons(t *testing.T) {
	in := filepath.Join(t.TempDir(), "t.txt")
	write(t, in, loops)
	out := must(t, "inspect", in)
	if n := strings.Count(out, "it holds no child launches"); n != 1 {
		t.Errorf("one reason stands %d times:\n%s", n, out)
	}
	if strings.Contains(out, "child_launches") || strings.Contains(out, "[") {
		t.Errorf("a row of zero, or a list of Go:\n%s", out)
	}
}

// Colours are for terminals that have them and users who want them.
func TestColours(t *testing.T) {
	for _, c := range []struct {
		width int
		env   map[string]string
		want  bool
	}{
		{80, nil, true}, {0, nil, false}, {80, map[string]string{"NO_COLOR": "1"}, false},
		{80, map[string]string{"NO_COLOR": ""}, true},
		{80, map[string]string{"TERM": "dumb"}, false},
	} {
		env := func(key string) (string, bool) { v, ok := c.env[key]; return v, ok }
		if got := coloured(c.width, env); got != c.want {
			t.Errorf("%d columns, %v: coloured %v", c.width, c.env, got)
		}
	}
}

// A capture is as good as its trace: each command that reads a trace converts it, once for
// all of them.
func TestCapturesAreAccepted(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	t.Setenv(cacheVariable, at("cache"))
	write(t, at("rank0.json"), kinetoCapture)
	for i, args := range [][]string{
		{"-o", at("out"), at("rank0.json")}, {"top", at("rank0.json")}, {"inspect", at("rank0.json")},
		{"inspect", "--kernels", at("rank0.json")},
		{"explain", at("rank0.json")}, {"export", at("rank0.json"), "-o", at("tables")}, {"what-if", at("rank0.json")},
		{"compare", at("rank0.json"), at("rank0.json")}, {"outline", at("rank0.json")},
	} {
		status, out, notes := command(t, args...)
		want := "rank0.json: converted before;"
		if i == 0 {
			want = "rank0.json: converted;"
		}
		if status != 0 || !strings.Contains(notes, want) {
			t.Errorf("replay %s: status %d, want the note %q:\n%s%s", strings.Join(args, " "), status, want, notes, out)
		}
	}
	if _, err := os.Stat(at("out/runs/trace=rank0")); err != nil {
		t.Error("the run of rank0.json is not called rank0")
	}
	write(t, at("beside.txt"), "a file that is none of the capture")
	if _, _, notes := command(t, "top", at("rank0.json")); !strings.Contains(notes, "converted before") {
		t.Errorf("another file in the folder: %s", notes)
	}
	write(t, at("rank0.json"), strings.ReplaceAll(kinetoCapture, "softmax", "another"))
	if out := must(t, "top", at("rank0.json")); !strings.Contains(out, "another") {
		t.Errorf("a capture that has changed shows the old one:\n%s", out)
	}
}

// Without a cache the trace is gone at the end, and files that are no captures are
// refused as before.
func TestCapturesWithoutCache(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "r.json"), kinetoCapture)
	write(t, filepath.Join(dir, "s.json"), kinetoCapture)
	write(t, filepath.Join(dir, "x"), "text")
	t.Setenv(cacheVariable, "off")
	_, _, notes := command(t, "top", filepath.Join(dir, "r.json"))
	if !strings.Contains(notes, "converted for this command") {
		t.Errorf("the note is %q", notes)
	}
	for path, want := range map[string]string{"x": "not a replay trace", "": "holds 2 captures", "none": "no such file"} {
		if status, _, errs := command(t, "inspect", filepath.Join(dir, path)); status != 1 || !strings.Contains(errs, want) {
			t.Errorf("%q: status %d, %s", path, status, errs)
		}
	}
}

// The cache removes first the traces that were not used for the longest time.
func TestCacheIsBounded(t *testing.T) {
	dir := t.TempDir()
	for i, name := range []string{"a.trace.zst", "b.trace.zst", "c.trace.zst"} {
		path := filepath.Join(dir, name)
		write(t, path, "")
		if err := os.Truncate(path, cacheBytes/2); err != nil {
			t.Skip("no sparse files here")
		}
		at := time.Now().Add(time.Duration(i-10) * time.Hour)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	touch(filepath.Join(dir, "a.trace.zst"))
	prune(dir, filepath.Join(dir, "c.trace.zst"))
	left, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(left) != 2 || filepath.Base(left[0]) != "a.trace.zst" || filepath.Base(left[1]) != "c.trace.zst" {
		t.Errorf("left are %v", left)
	}
}

// Two policies over a range of settings: a line for each setting in the order of its
// numbers, settings once, kernels summed over all.
func TestComparePolicies(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "t.txt"), filepath.Join(dir, "out")
	write(t, in, loops)
	must(t, "--quiet", "--gpu=a100", "--sensitivity=launch", "--policy=serial,ppcs", "-o", out, in)
	got := must(t, "compare", out, "serial", "ppcs")
	if n := strings.Count(got, "\n"); n > 30 {
		t.Errorf("%d lines:\n%s", n, got)
	}
	last := -1
	for _, want := range []string{"policy: serial → ppcs", "launch=0 ", "launch=2000 ", "launch=10000 ",
		"geometric mean of 11",
		"dependency: barrier → crcs", "settings that mostly only one side's policy has; -v lists them"} {
		at := strings.Index(got, want)
		if at <= last {
			t.Errorf("%q is missing or stands before its place:\n%s", want, got)
		}
		last = at
	}
	if n := strings.Count(got, "barrier → crcs"); n != 1 {
		t.Errorf("the setting stands %d times", n)
	}
	long := must(t, "compare", "-v", out, "serial", "ppcs")
	if !strings.Contains(long, "none → ") || len(long) < 2*len(got) {
		t.Errorf("-v shows no more:\n%s", long)
	}
}

// A key is described with its unit, its values and the presets'; a table with all of its keys. A size takes units
// and factors, and any key a range.
func TestSettingsAreDescribed(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "t.txt"), filepath.Join(dir, "out")
	write(t, in, loops)
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"presets", "--explain", "l2.bytes"}, []string{"bytes of all slices", "from 128 to", "41943040 (a100)",
			"--sensitivity=l2.bytes"}},
		{[]string{"presets", "--explain", "tlb"}, []string{"tlb.entries", "tlb.page_bytes", "tlb.miss_latency"}},
		{[]string{"presets", "--explain", "tlb", "--json"}, []string{`"table": "settings_reference"`,
			`"key": "tlb.entries"`}},
		{[]string{"--gpu=a100", "--set=l2.bytes=x2", "-o", out, in}, []string{"l2.bytes=83886080"}},
		{[]string{"--gpu=a100", "--set=l2.bytes=80MiB", "-o", out, in}, []string{"l2.bytes=83886080"}},
		{[]string{"--gpu=a100", "--sensitivity=l2.bytes", "-o", out, in}, []string{"l2.bytes=20971520 ",
			"l2.bytes=167772160 ",
			"l2.bytes changes nothing"}},
	} {
		got := must(t, c.args...)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("replay %s lacks %q:\n%s", strings.Join(c.args, " "), want, got)
			}
		}
	}
	fails(t, 2, []string{"unknown key l2.size", "l2 has bytes, slices"}, "--set=l2.size=1", "--gpu=a100", in)
	fails(t, 2, []string{"unknown key l2.byts", "l2.bytes"}, "presets", "--explain=l2.byts")
	fails(t, 2, []string{"at once"}, "presets", "--explain=l2.bytes", "a100")
	fails(t, 2, []string{"give values"}, "--gpu=gk110-ppcs", "--sensitivity=host.copy_latency_ns", in)
}

// ranks are two captures of a job: rank 1 computes longer, and rank 0 waits for it in the
// collective.
func ranks(t *testing.T, dir string) {
	t.Helper()
	for name, times := range map[string][3]int{"rank0.json": {50, 150, 90}, "rank1.json": {110, 210, 30}} {
		kernel := `{"ph":"X","cat":"kernel","name":"%s","pid":0,"tid":7,"ts":%d,"dur":%d,"args":{"device":0,"stream":7,` +
			`"correlation":%d,"grid":[108,1,1],"block":[256,1,1],"registers per thread":64,"shared memory":0}}`
		head := kinetoCapture[:strings.Index(kinetoCapture, "[\n")+1]
		write(t, filepath.Join(dir, name), head+fmt.Sprintf(kernel, "matmul", 100, times[0], 1)+","+
			fmt.Sprintf(kernel, "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", times[1], times[2], 2)+"]}")
	}
}

// The screens alone answer ten questions of new users.
func TestTenQuestions(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	t.Setenv(cacheVariable, at("cache"))
	t.Chdir(dir)
	write(t, at("t.txt"), loops)
	write(t, at("rank0.json"), kinetoCapture)
	if err := os.Mkdir(at("job"), 0o777); err != nil {
		t.Fatal(err)
	}
	ranks(t, at("job"))
	must(t, "--quiet", "--gpu=a100", "--policy=serial,crcs,ppcs", "-o", at("out"), at("t.txt"))
	for _, q := range []struct {
		question string
		args     []string
		want     []string
	}{
		{"which policy", []string{"--gpu=a100", "--policy=serial,crcs,ppcs", "-o", at("out"), at("t.txt")},
			[]string{"speedup", " less than serial; the largest part is "}},
		{"why", []string{"explain", "--gpu=a100", "--policy=ppcs", "--against=serial", at("t.txt")},
			[]string{"the largest part is ", "brings most"}},
		{"which kernel", []string{"top", at("out"), "--policy=ppcs"}, []string{"scale<float>", "of all"}},
		{"what limits", []string{"what-if", at("rank0.json")}, []string{"limited by", "GPU "}},
		{"what would twice the L2 give", []string{"--gpu=a100", "--set=l2.bytes=x2", "-o", at("l2"), at("t.txt")},
			[]string{"l2.bytes=83886080"}},
		{"and over a range", []string{"--gpu=a100", "--sensitivity=l2.bytes", "-o", at("l2"), at("t.txt")},
			[]string{"l2.bytes changes nothing"}},
		{"which rank is slow", []string{"top", at("job")}, []string{"the others wait for rank1: it computes 110.000 µs"}},
		{"where is the idle time", []string{"top", at("rank0.json")}, []string{"longest gap", "longest pauses", "nothing "}},
		{"did it get slower", []string{"compare", at("out"), "ppcs", "serial"}, []string{"+", "%"}},
		{"can the capture be believed", []string{"inspect", at("rank0.json")}, []string{"inferred"}},
		{"what does a boundary cost", []string{"what-if", at("rank0.json")}, []string{"boundaries between kernels take "}},
	} {
		out := must(t, q.args...)
		for _, want := range q.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s? replay %s lacks %q:\n%s", q.question, strings.Join(q.args, " "), want, out)
			}
		}
	}
	fails(t, 1, []string{"are more than 0.1 % slower"}, "compare", "--max-slowdown=0.1", at("out"), "ppcs", "serial")
}

// The tables of the first commands fit a terminal of 80 columns.
func TestTablesFitATerminal(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("rank0.json"), strings.ReplaceAll(kinetoCapture, "softmax", strings.Repeat("softmax", 20)))
	write(t, at("t.txt"), loops)
	for _, args := range [][]string{
		{"--gpu=a100", "--policy=serial,ppcs", "-o", at("out"), at("t.txt")}, {"top", at("out")}, {"top", at("rank0.json")},
		{"what-if", at("rank0.json")}, {"compare", at("out"), "serial", "ppcs"},
		{"explain", "--gpu=a100", "--policy=ppcs", "--against=serial", at("t.txt")}, {"explain", "--gpu=a100", at("t.txt")},
	} {
		s := &screen{width: 80}
		a := &app{out: s, err: io.Discard}
		root := a.root()
		root.SetArgs(append(args, "--quiet"))
		root.SetOut(s)
		if err := root.Execute(); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(s.String(), "\n") {
			isRow := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\x1b")
			if n := text.StringWidthWithoutEscSequences(strings.TrimRight(line, " ")); isRow && n > 80 &&
				!strings.HasPrefix(line, "  ") {
				t.Errorf("replay %s: a row of %d columns: %s", args[0], n, line)
			}
		}
	}
}
