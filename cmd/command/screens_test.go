package command

import (
	"path/filepath"
	"strings"
	"testing"

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
