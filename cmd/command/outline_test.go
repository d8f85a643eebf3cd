package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// looping makes a trace of a loop that lane 0 runs once and lane 1 twice, and one whose
// loop has a barrier.
func looping(t *testing.T) (plain, barred string) {
	t.Helper()
	dir := t.TempDir()
	make := func(name, inst string) string {
		text, path := filepath.Join(dir, name+".txt"), filepath.Join(dir, name+".trace.zst")
		const code = "launch k grid=1 block=32\ncta 0\nwarp 0\nint R1 mask=3\nINST mask=3\nBRA control mask=3\nint R1 " +
			"mask=2\nINST mask=2\nBRA control mask=2\nexit\n"
		if err := os.WriteFile(text, []byte(strings.ReplaceAll(code, "INST", inst)), 0o644); err != nil {
			t.Fatal(err)
		}
		must(t, "convert", text, "-o", path)
		return path
	}
	return make("plain", "int R2"), make("barred", "BAR.SYNC barrier")
}

func TestOutline(t *testing.T) {
	plain, barred := looping(t)
	list := must(t, "outline", plain)
	for _, want := range []string{"iterations a lane", "1.5", "75.0 %", "yes"} {
		if !strings.Contains(list, want) {
			t.Errorf("the list has no %q:\n%s", want, list)
		}
	}
	if list := must(t, "outline", "--json", barred); !strings.Contains(list, `"cannot": "barrier"`) {
		t.Errorf("a loop with a barrier is listed as\n%s", list)
	}
	out := filepath.Join(t.TempDir(), "dp.trace.zst")
	must(t, "outline", "--threshold=2", plain, "-o", out)
	must(t, "verify", out)
	if shown := must(t, "inspect", out); !strings.Contains(shown, "k@0x0") {
		t.Errorf("what it is made of does not say of which loop:\n%s", shown)
	}
	runs := must(t, "--policy=dtbl", "--audit", "--gpu=k20c", "-o", filepath.Join(t.TempDir(), "o"), out)
	if !strings.Contains(runs, "launched") {
		t.Errorf("dtbl shows no launches:\n%s", runs)
	}
	fails(t, 1, []string{"no loop that lanes run"}, "outline", barred, "-o", out+"2")
	fails(t, 1, []string{"loop 1", "barrier"}, "outline", "--loops=1", barred, "-o", out+"2")
	fails(t, 1, []string{"no loop 7"}, "outline", "--loops=7", plain, "-o", out+"2")
	fails(t, 2, []string{"--child-block"}, "outline", "--child-block=48", plain, "-o", out+"2")
	fails(t, 2, []string{"--threshold"}, "outline", "--threshold=0", plain, "-o", out+"2")
	if _, err := os.Stat(out + "2"); err == nil {
		t.Error("a refused trace is there")
	}
}
