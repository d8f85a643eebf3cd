package command

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"gpureplay/trace/tracetest"
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
	for _, args := range [][]string{{"top", at("out")}, {"correlate", at("out")}} {
		if out := must(t, args...); strings.Contains(out, "file.") {
			t.Errorf("replay %s shows the hash of a machine:\n%s", args[0], out)
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

// TestTenQuestions runs the commands of the document's table, in order and in one folder, as a new user would. Each
// prints the answer that the table gives.
func TestTenQuestions(t *testing.T) {
	page, err := os.ReadFile("../../docs/explain-results.md")
	if err != nil {
		t.Fatal(err)
	}
	besideSamples(t)
	t.Setenv(cacheVariable, "cache")
	_, table, _ := strings.Cut(string(page), "| question | command | its answer |")
	row := regexp.MustCompile("(?m)^\\| (.+\\?) \\| `replay (.+?)` \\| `(.+)` \\|$")
	rows := row.FindAllStringSubmatch(table, -1)
	if len(rows) != 10 {
		t.Fatalf("%d questions", len(rows))
	}
	for _, q := range rows {
		answers(t, q[1], q[3], strings.Fields(q[2])...)
	}
	for _, q := range []struct{ question, args, want string }{
		{"What limits a traced program?", "explain --gpu=gk110-ppcs samples/vecadd.trace.zst",
			"file reads and writes 171,120 -96.3 %"},
		{"What do its boundaries cost?", "--policy=hyperq,boundary-free --gpu=a100 -o b samples/two-streams.trace.txt",
			"the largest part is gaps between kernels"},
		{"Did a version get slower?", "compare replay-out replay-out", "3 of 3 runs take the same cycles on both sides"},
		{"Did a capture get slower?", "compare samples/ranks/rank0.json samples/ranks/rank1.json",
			"matmul 1 50.000 µs 110.000 µs +120.0 %"},
	} {
		answers(t, q.question, q.want, strings.Fields(q.args)...)
	}
	fails(t, 1, []string{"are more than 0.1 % slower"}, "compare", "--max-slowdown=0.1", "replay-out", "ppcs", "serial")
}

// answers checks that a command's output has the words of an answer, however its columns are spaced.
func answers(t *testing.T, question, want string, args ...string) {
	t.Helper()
	out := strings.Join(strings.Fields(must(t, args...)), " ")
	if !strings.Contains(out, want) {
		t.Errorf("%s replay %s lacks %q:\n%s", question, strings.Join(args, " "), want, out)
	}
}

// TestTenQuestionsOfCaptures asks the same of real captures.
func TestTenQuestionsOfCaptures(t *testing.T) {
	bfs, alexnet := tracetest.Data(t, "accelsim-rodinia-bfs-a100"), tracetest.Data(t, "kineto-hta")
	ranks := t.TempDir()
	for _, name := range []string{"trace_filter__sampled_rank-0.json.gz", "trace_filter__sampled_rank-1.json.gz"} {
		text, err := os.ReadFile(filepath.Join(alexnet, name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(ranks, name), string(text))
	}
	alexnet = filepath.Join(alexnet, "critical_path__alexnet__benchmark_result_2869224_1695835535_trace.json.gz")
	t.Chdir(t.TempDir())
	t.Setenv(cacheVariable, "cache")
	for _, q := range []struct {
		question, want string
		args           []string
	}{
		{"Which policy?", "crcs takes ", []string{"--policy=all", "-o", "out", bfs}},
		{"Why?", "the largest part is waiting for copies, -", []string{"explain", "--policy=crcs", "--against=serial", bfs}},
		{"Which kernel?", "Kernel 8 ", []string{"top", "--policy=ppcs", "out"}},
		{"What limits it?", "launch and dispatch latency", []string{"explain", bfs}},
		{"What would twice the L2 give?", "l2.bytes changes nothing", []string{"--sensitivity=l2.bytes", "-o", "l2", bfs}},
		{"Where is the idle time?", "nothing, by its causes: waits for the host ", []string{"top", "--policy=ppcs", "out"}},
		{"Did it get slower?", "134.148 µs 146.389 µs +9.12 %", []string{"compare", "out", "ppcs", "serial"}},
		{"What does a boundary cost?", "boundary-free takes 116,",
			[]string{"--policy=hyperq,boundary-free", "-o", "free", bfs}},
		{"Which kernel?", "ampere_sgemm_32x32_sliced1x4_tn 6 ", []string{"top", alexnet}},
		{"What limits it?", "host 99 %", []string{"what-if", alexnet}},
		{"Where is the idle time?", "waits for the host 75.8 %, gaps after a launch 23.7 %", []string{"top", alexnet}},
		{"Can it be believed?", "can the capture be believed? ", []string{"inspect", alexnet}},
		{"Which rank is slow?", "the others wait for trace_filter__sampled_rank-1", []string{"top", ranks}},
	} {
		answers(t, q.question, q.want, q.args...)
	}
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
