package command

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"gpureplay/trace/tracetest"
)

// The sample's two kernels overlap under ppcs; on the captured BFS it and crcs wait less
// for copies, and the order of CTAs brings nothing. The footer of the run table names the
// same part, and the note the command that says more.
func TestExplainAgainst(t *testing.T) {
	bfs := tracetest.Data(t, "accelsim-rodinia-bfs-a100")
	vecadd := filepath.Join("..", "..", "samples", "vecadd.trace.zst")
	for _, c := range []struct {
		policy, trace string
		want          []string
	}{
		{"ppcs", vecadd, []string{"the largest part is overlap of kernels, -2,924,845."}},
		{"ppcs", bfs, []string{"the largest part is waiting for copies, -",
			"dependency: barrier → crcs brings most, -", "nothing comes of host: serial → streams, cta: fifo → ppcs"}},
		{"crcs", bfs, []string{"the largest part is waiting for copies, -", "dependency: barrier → crcs brings most, -"}},
	} {
		out := must(t, "explain", "--policy="+c.policy, "--against=serial", c.trace)
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s on %s lacks %q:\n%s", c.policy, c.trace, want, out)
			}
		}
		addsUp(t, c.policy, c.trace)
	}
	_, out, notes := command(t, "--policy=ppcs", "-o", filepath.Join(t.TempDir(), "out"), bfs)
	if want := "less than serial; the largest part is waiting for copies, -"; !strings.Contains(out, want) {
		t.Errorf("the footer lacks %q:\n%s", want, out)
	}
	if want := "replay explain --policy=ppcs --against=serial " + bfs; !strings.Contains(notes, want) {
		t.Errorf("the notes lack %q:\n%s", want, notes)
	}
}

// addsUp checks that the parts of each time and the changes of the steps add up, to the cycle.
func addsUp(t *testing.T, policy, trace string) {
	t.Helper()
	var steps []map[string]any
	out := must(t, "explain", "--json", "--policy="+policy, "--against=serial", trace)
	if err := json.Unmarshal([]byte(out), &steps); err != nil {
		t.Fatal(err)
	}
	change := 0.0
	for _, step := range steps {
		parts := 0.0
		for key, value := range step {
			if n, ok := value.(float64); ok && strings.HasSuffix(key, "_cycles") && key != "change_cycles" {
				parts += n
			}
		}
		if parts != step["cycles"] {
			t.Errorf("%s on %s, %s: the parts add up to %v of %v cycles", policy, trace, step["switched"], parts, step["cycles"])
		}
		change += step["change_cycles"].(float64)
	}
	last := len(steps) - 1
	if want := steps[last]["cycles"].(float64) - steps[0]["cycles"].(float64); change != want || want == 0 {
		t.Errorf("%s on %s: the steps add up to %v of %v cycles", policy, trace, change, want)
	}
}

// The footer is about a policy that could be built: no bound is the fastest.
func TestFooterLeavesBoundsOut(t *testing.T) {
	in := filepath.Join(t.TempDir(), "t.txt")
	write(t, in, loops)
	out := must(t, "--quiet", "--gpu=a100", "--policy=serial,boundary-free,nocopy,oracle,ppcs", "-o",
		filepath.Join(t.TempDir(), "out"), in)
	if !strings.Contains(out, "\nppcs takes ") {
		t.Errorf("the footer is about another policy:\n%s", out)
	}
}

// Policies that cannot be compared are refused in a line.
func TestExplainAgainstRefuses(t *testing.T) {
	in := filepath.Join(t.TempDir(), "t.txt")
	write(t, in, loops)
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"--policy=serial", "--against=serial"}, 2, "are both serial"},
		{[]string{"--policy=serial", "--against=seriel"}, 2, "serial"},
		{[]string{"--policy=serial,hyperq", "--against=serial"}, 2, "want one policy"},
		{[]string{"--policy=serial", "--against=cdp"}, 1, "it holds no child launches"},
	} {
		status, _, errs := command(t, append([]string{"explain", "--quiet", "--gpu=a100", in}, c.args...)...)
		if status != c.status || !strings.Contains(errs, c.want) {
			t.Errorf("%v: status %d, %s", c.args, status, errs)
		}
	}
}

// explain takes the times of the host as a replay does.
func TestExplainTakesTheHost(t *testing.T) {
	in := filepath.Join(t.TempDir(), "t.txt")
	write(t, in, "meta gpu=k20c fidelity=kernel\nlaunch a grid=1 block=32 fidelity=kernel ns=400 host=0 start=1000 "+
		"duration=1000\nsync\n"+
		"work 500000\nlaunch b grid=1 block=32 fidelity=kernel ns=400 host=502500 start=503500 duration=1000\n")
	cycles := func(args ...string) string {
		out := must(t, append([]string{"explain", "--quiet", "--policy=hyperq", in}, args...)...)
		line, _, _ := strings.Cut(out, "\n")
		return line
	}
	if recorded, none := cycles(), cycles("--host=none"); recorded == none {
		t.Errorf("with the recorded host and with none: %s", recorded)
	}
	of := func(args ...string) string {
		return must(t, append([]string{"explain", "--json", "--policy=hyperq", "--against=serial", in}, args...)...)
	}
	if of() == of("--host=none") {
		t.Error("--against does not depend on the host")
	}
}
