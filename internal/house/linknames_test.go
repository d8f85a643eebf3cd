package house_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// linknames are the packages of the command that reach private names of other packages by go:linkname, and the reason
// why each is there. Each release of Go, and of the named package, may take such a name away.
var linknames = map[string]string{
	"github.com/remyoudompheng/bigfft": "math/big's loops over words, for modernc.org/sqlite by mathutil; Go keeps them " +
		"for this package (go.dev/issue/67401)",
	"golang.org/x/sys/cpu":   "runtime.getAuxv, kept by Go for x/sys",
	"golang.org/x/sys/unix":  "runtime.getAuxv and vgetrandom, syscall.prlimit, kept by Go for x/sys",
	"gpureplay/replay/table": "the codecs of Arrow's parquet/compress, to pack pages with encoders that are used again",
}

// pull is a go:linkname with the name of another package.
var pull = regexp.MustCompile(`(?m)^//go:linkname \w+ (\S+)\.\w+\r?$`)

// The packages of the command that use go:linkname are known, each with its reason.
func TestLinknamesAreKnown(t *testing.T) {
	c := exec.Command("go", "list", "-deps", "-f",
		`{{if not .Standard}}{{$p := .}}{{range .GoFiles}}{{$p.ImportPath}} {{$p.Dir}}/{{.}}{{"\n"}}{{end}}{{end}}`,
		"./cmd/replay")
	c.Dir = moduleRoot(t)
	c.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	out, err := c.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	found := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		pkg, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		if pkg == "" {
			continue
		}
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range pull.FindAllSubmatch(src, -1) {
			found[pkg] = true
			if linknames[pkg] == "" {
				t.Errorf("%s reaches into %s by go:linkname: a new Go may forbid it; give the reason in linknames", pkg, m[1])
			}
		}
	}
	for pkg := range linknames {
		if !found[pkg] {
			t.Errorf("%s uses no go:linkname any more: take it out of linknames", pkg)
		}
	}
}

// The command links with this Go. Where a new Go took a private name away, the failure names the package at fault.
func TestCommandLinks(t *testing.T) {
	if testing.Short() {
		t.Skip("links the command")
	}
	if out, err := buildOnce(t, moduleRoot(t), "./cmd/replay"); err != nil {
		t.Errorf("%s", whyNotLinked(out))
	}
}

// Both ways in which a Go breaks a go:linkname are told from other failures.
func TestBrokenLinknameIsNamed(t *testing.T) {
	if testing.Short() {
		t.Skip("links two programs")
	}
	for name, symbol := range map[string]string{"absent": "math/big.noLongerThere", "forbidden": "runtime.gcStart"} {
		dir := t.TempDir()
		for file, text := range map[string]string{
			"go.mod": "module broken\n\ngo 1.26\n",
			"a.s":    "// functions without a body\n",
			"main.go": "package main\n\nimport (\n\t_ \"math/big\"\n\t_ \"unsafe\"\n)\n\n//go:linkname f " + symbol +
				"\nfunc f()\n\nfunc main() { f() }\n",
		} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		out, err := buildOnce(t, dir, ".")
		if err == nil {
			t.Errorf("%s: %s links", name, symbol)
		} else if why := whyNotLinked(out); !strings.Contains(why, "takes away "+symbol) {
			t.Errorf("%s: %s", name, why)
		}
	}
	if why := whyNotLinked("main.go:3:1: syntax error"); strings.Contains(why, "takes away") {
		t.Errorf("a syntax error: %s", why)
	}
}

// buildOnce builds a program to nowhere and returns the build's output.
func buildOnce(t *testing.T, dir, program string) (string, error) {
	c := exec.Command("go", "build", "-o", filepath.Join(t.TempDir(), "program"), program)
	c.Dir = dir
	out, err := c.CombinedOutput()
	return string(out), err
}

// lost is the linker's complaint about a name that is absent, or that a package may not reach.
var lost = regexp.MustCompile(`relocation target (\S+) not defined|invalid reference to (\S+)`)

// whyNotLinked puts a failed build into one line, with the remedy where a go:linkname is at fault.
func whyNotLinked(out string) string {
	m := lost.FindStringSubmatch(out)
	if m == nil {
		return "the command does not build with " + runtime.Version() + ": " + out
	}
	packages := make([]string, 0, len(linknames))
	for pkg := range linknames {
		packages = append(packages, pkg)
	}
	slices.Sort(packages)
	return runtime.Version() + " takes away " + m[1] + m[2] + ", which a go:linkname names (of " +
		strings.Join(packages, ", ") + "): update that package, or build with the Go before: " + out
}
