package house_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// fused are the instructions by which a processor rounds a product and a sum once.
var fused = regexp.MustCompile(`\(([^()]*\.go:\d+)\)\s+FN?M(ADD|SUB)[SD]\b`)

// The same bytes on every processor: a compiler may fuse a float product with the
// sum that it goes into where a processor can, and arm64 does. An explicit
// conversion of the product forbids it. This reads the code that the compiler makes
// for arm64 of everything between a trace and a table.
func TestNothingIsFused(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles for another processor")
	}
	c := exec.Command("go", "build", "-gcflags=-S", "./trace/...", "./model/...", "./policies/...", "./replay",
		"./replay/analyse", "./replay/audit", "./replay/capture", "./replay/table/...")
	c.Dir = moduleRoot(t)
	c.Env = append(os.Environ(), "GOARCH=arm64", "GOOS=linux", "CGO_ENABLED=0")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%.2000s", err, out)
	}
	if !strings.Contains(string(out), "FADDD") && !strings.Contains(string(out), "FDIVD") {
		t.Fatal("the compiler shows no arithmetic: the test reads nothing")
	}
	seen := map[string]bool{}
	for _, m := range fused.FindAllStringSubmatch(string(out), -1) {
		if !seen[m[1]] {
			seen[m[1]] = true
			t.Errorf("%s: a product is fused with a sum: write float64(a*b) + c", m[1])
		}
	}
}
