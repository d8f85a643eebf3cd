package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A policy of one's own needs no fork: `policies new` writes a module beside the source. Its tests pass, and its
// program knows the policy.
func TestPolicyOfOnesOwn(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a second program")
	}
	dir := filepath.Join(t.TempDir(), "mine")
	must(t, "policies", "new", "mine", "-o", dir)
	goes := func(args ...string) string {
		c := exec.Command("go", args...)
		c.Dir = dir
		c.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	goes("test", "./...")
	if head, err := os.ReadFile(filepath.Join(dir, "replay.pgo")); err != nil || len(head) < 1000 {
		t.Errorf("the compiler's profile is not in the module: %d bytes, %v", len(head), err)
	}
	if out := goes("run", ".", "policies", "mine"); !strings.Contains(out, "mine-items") {
		t.Errorf("the program shows of its policy:\n%s", out)
	}
	fails(t, 2, []string{"there is a policy ppcs"}, "policies", "new", "ppcs", "-o", dir+"2")
	fails(t, 2, []string{"no name of a policy"}, "policies", "new", "My Policy", "-o", dir+"2")
	fails(t, 1, []string{"cannot make the folder"}, "policies", "new", "mine", "-o", dir)
}
