package command

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

// A shell completes values of flags, also behind a comma, and names.
func TestCompletionOfValues(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--policy", "pp"}, "ppcs\n"},
		{[]string{"--policy", "serial,cr"}, "serial,crcs\n"},
		{[]string{"--gpu", "k20"}, "k20c\nk20m-spawn\n"},
		{[]string{"--set", "kmu.h"}, "kmu.hwqs=\n"},
		{[]string{"--tables", "runs,me"}, "runs,metrics\nruns,memory\n"},
		{[]string{"--format", "pa"}, "parquet\n"},
		{[]string{"sample", "vec"}, "vecadd\n"},
		{[]string{"policies", "ppc"}, "ppcs\n"},
		{[]string{"presets", "gk1"}, "gk110-ppcs\n"},
		{[]string{"explain", "--policy", "hy"}, "hyperq\n"},
	} {
		out := must(t, append([]string{"__complete"}, c.args...)...)
		if names, _, ok := strings.Cut(out, ":"); !ok || names != c.want {
			t.Errorf("%v: %q, want %q", c.args, out, c.want)
		}
	}
}

// Flags that are mistyped have a hint. Flags of single policies are shown with them, and not in the help.
// --policy=all names the policies that it leaves out in few lines.
func TestHints(t *testing.T) {
	path := sample(t)
	fails(t, 2, []string{"--polcy", "did you mean --policy?"}, "--polcy=serial", path)
	if help := must(t, "--help"); strings.Contains(help, "--dtbl-agt") {
		t.Error("the help shows the flags of single policies")
	}
	if p := must(t, "policies", "dtbl"); !strings.Contains(p, "--dtbl-agt=") ||
		!strings.Contains(p, "Compared with flat and cdp") {
		t.Errorf("policies dtbl: %s", p)
	}
	if out := must(t, "sample", "--quiet", "vecadd", "--param=n=1024", "-o",
		filepath.Join(t.TempDir(), "x.zst")); out != "" {
		t.Errorf("--quiet says %q", out)
	}
}

// A user's machine is checked and shown whole.
func TestPresetsOfAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.toml")
	write(t, file, "base = \"k20c\"\n[sm]\ncount = 26\n")
	if out := must(t, "presets", file); !strings.Contains(out, "count = 26") {
		t.Error(out)
	}
	write(t, file, "base = \"k20c\"\n[sm]\ncuont = 26\n")
	fails(t, 1, []string{"mine.toml:3", "sm.count"}, "presets", file)
}

// There is a manual page for each command, and the same bytes each time.
func TestManualPages(t *testing.T) {
	dir := t.TempDir()
	must(t, "man", "-o", dir)
	for _, name := range []string{"replay.1", "replay-sweep.1", "replay-compare.1"} {
		page, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(page), ".SH SYNOPSIS") {
			t.Errorf("%s: %v", name, err)
		}
	}
	page, err := os.ReadFile(filepath.Join(dir, "replay.1"))
	for _, want := range []string{
		"\n.TP\n\\fB\\-o\\fR, \\fB\\-\\-output\\fR=\\fIDIR\\fR\nDIR of the tables (default replay\\-out)\n",
		"\\fB\\-\\-as\\-tasks\\fR[=\\fIORDER\\fR]\n", "\\fB\\-\\-audit\\fR\n", "\\fBreplay\\-sweep\\fR(1)",
	} {
		if err != nil || !strings.Contains(string(page), want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	if got, want := roff(".a\n'b \\ -"), "\\&.a\n\\&'b \\e \\-"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// The version has the commit, where the build knows it.
func TestVersionHasTheCommit(t *testing.T) {
	for want, settings := range map[string][]debug.BuildSetting{
		release: nil,
		release + "+0123456789ab": {{Key: "vcs.revision", Value: "0123456789abcdef"},
			{Key: "vcs.modified", Value: "false"}},
		release + "+0123456789ab.changed": {{Key: "vcs.revision", Value: "0123456789abcdef"},
			{Key: "vcs.modified", Value: "true"}},
	} {
		if got := versionOf(settings); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
