package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every command says in its own words that a file is missing: no call of the system, but the missing name and the
// nearest ones.
func TestMissing(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "rank0.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "rank1.json")
	out := filepath.Join(dir, "out.trace.zst")
	trace := sample(t)
	for _, args := range [][]string{
		{name}, {"convert", name, "-o", out}, {"inspect", name}, {"verify", name}, {"top", name}, {"explain", name},
		{"what-if", name}, {"correlate", name},
		{"export", name, "-o", dir}, {"timeline", name, "-o", out}, {"sweep", name},
		{"compare", "--max-slowdown=1", trace, name}, {"report", name},
	} {
		_, _, errs := command(t, args...)
		fails(t, 1, []string{"no such f", "rank1.json"}, args...)
		for _, word := range []string{"no such file or directory", "stat ", "open "} {
			if strings.Contains(errs, word) {
				t.Errorf("replay %s: %s", strings.Join(args, " "), errs)
			}
		}
	}
	fails(t, 1, []string{"near in " + dir + ": rank0.json"}, "inspect", name)
	fails(t, 1, []string{"no such folder: " + filepath.Join(dir, "none")}, "inspect", filepath.Join(dir, "none", "a.json"))
	fails(t, 1, []string{"no such folder: " + filepath.Join(dir, "none")}, "convert", trace, "--kernels=0", "-o",
		filepath.Join(dir, "none", "a.trace.zst"))
	fails(t, 1, []string{"cannot write", "no such folder"}, "sample", "vecadd", "-o", filepath.Join(dir, "none",
		"a.trace.zst"))
	fails(t, 1, []string{"no such file", "gpu.toml"}, "--gpu="+filepath.Join(dir, "gpu.toml"), trace)
}
