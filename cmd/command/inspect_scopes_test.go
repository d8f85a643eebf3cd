package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Two steps, the second met before a range of the first: the outline has each range in
// its step, with the kernels of those within.
func TestInspectScopes(t *testing.T) {
	dir := t.TempDir()
	text, path := filepath.Join(dir, "t.txt"), filepath.Join(dir, "t.trace.zst")
	err := os.WriteFile(text, []byte(`
scope ProfilerStep#1
scope ProfilerStep#2
scope forward in=0
scope attention in=2
scope nothing in=1
launch f grid=1 block=32 start=10 duration=10 scope=0
launch f grid=1 block=32 start=30 duration=20 scope=3
launch f grid=1 block=32 start=60 duration=5 scope=1
`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	must(t, "convert", text, "-o", path)
	out := must(t, "inspect", path)
	var got []string
	for line := range strings.Lines(out) {
		if f := strings.Fields(line); len(f) == 4 && f[3] == "ns" {
			got = append(got, line[:len(line)-len(strings.TrimLeft(line, " "))]+strings.Join(f, " "))
		}
	}
	want := []string{" ProfilerStep#1 2 30 ns", "   forward 1 20 ns", "     attention 1 20 ns", " ProfilerStep#2 1 5 ns"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") || !strings.Contains(out, "and 1 more, or without a kernel") {
		t.Errorf("got\n%s\nof\n%s", strings.Join(got, "\n"), out)
	}
	scopes := printedRows(t, "inspect", path)[0]["scopes"].([]any)
	if len(scopes) != 5 || scopes[3].(map[string]any)["kernel_ns"].(float64) != 20 ||
		len(scopes[3].(map[string]any)["scope"].([]any)) != 3 {
		t.Errorf("%v", scopes)
	}
}
