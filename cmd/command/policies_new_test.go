package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A policy of one's own needs no fork: `policies new` writes a module beside the source. Its tests pass, and its
// program knows the policy, and the one of the tutorial, which names a single decision.
func TestPolicyOfOnesOwn(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a second program")
	}
	dir := filepath.Join(t.TempDir(), "mine")
	must(t, "policies", "new", "mine", "-o", dir)
	runs := func(name string, args ...string) string {
		c := exec.Command(name, args...)
		c.Dir = dir
		c.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	tutorial, err := os.ReadFile("../../docs/tutorials/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(tutorial), "```go\n")
	code, _, _ = strings.Cut(code, "```")
	if err := os.WriteFile(filepath.Join(dir, "emptiest.go"), []byte(code), 0o644); err != nil {
		t.Fatal(err)
	}
	sample, err := filepath.Abs("../../samples/vecadd.trace.zst")
	if err != nil {
		t.Fatal(err)
	}
	runs("go", "test", "./...")
	if head, err := os.ReadFile(filepath.Join(dir, "replay.pgo")); err != nil || len(head) < 1000 {
		t.Errorf("the compiler's profile is not in the module: %d bytes, %v", len(head), err)
	}
	runs("go", "build", "-o", "mine")
	if out := runs("./mine", "policies", "mine"); !strings.Contains(out, "mine-items") {
		t.Errorf("the program shows of its policy:\n%s", out)
	}
	if out := runs("./mine", "--audit", "--policy=serial,emptiest", sample); !strings.Contains(out, "emptiest") {
		t.Errorf("the program ran the tutorial's policy:\n%s", out)
	}
	fails(t, 2, []string{"there is a policy ppcs"}, "policies", "new", "ppcs", "-o", dir+"2")
	fails(t, 2, []string{"no name of a policy"}, "policies", "new", "My Policy", "-o", dir+"2")
	fails(t, 1, []string{"cannot make the folder"}, "policies", "new", "mine", "-o", dir)
}
