package house_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// fused are the instructions by which a processor rounds a product and a sum once.
var fused = regexp.MustCompile(`\(([^()]*\.go:\d+)\)\s+FN?M(ADD|SUB)[SD]\b`)

// calculating are the packages between a trace and a table.
var calculating = []string{"./trace/...", "./model/...", "./policies/...", "./replay", "./replay/analyse",
	"./replay/audit", "./replay/capture", "./replay/table/..."}

// The same bytes on every processor: a compiler may fuse a float product with the
// sum that it goes into where a processor can, and arm64 does. An explicit
// conversion of the product forbids it. This reads the code that the compiler makes
// for arm64 of everything between a trace and a table.
func TestNothingIsFused(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles for another processor")
	}
	if strconv.IntSize != 64 {
		t.Skip("the packages' declarations have another processor's sizes")
	}
	arm := &crossCompiler{t: t, root: moduleRoot(t), dir: t.TempDir()}
	out := arm.product("replay/never", "package never\n\nfunc F(a, b, c float64) float64 { return a*b + c }\n")
	if !fused.Match(out) {
		t.Fatalf("a product and a sum are not fused: the test reads nothing:\n%s", out)
	}
	arm.borrow()
	seen := map[string]bool{}
	for _, p := range arm.list("arm64", calculating...) {
		for _, m := range fused.FindAllSubmatch(arm.compile(p), -1) {
			if at := string(m[1]); !seen[at] {
				seen[at] = true
				t.Errorf("%s: a product is fused with a sum: write float64(a*b) + c", at)
			}
		}
	}
}

// crossCompiler compiles single packages for arm64. The declarations of the packages that they import are those
// compiled for this processor, which are there already: to compile all dependencies anew takes 20 times as long.
type crossCompiler struct {
	t         *testing.T
	root, dir string
	header    []byte // the first line of an object file for arm64
}

// listed is a package as go list describes it.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	EmbedPatterns           []string
	EmbedFiles              []string // that the patterns match
}

func (c *crossCompiler) run(processor, name string, args ...string) []byte {
	c.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = c.root
	if processor != "" {
		cmd.Env = append(os.Environ(), "GOARCH="+processor, "CGO_ENABLED=0")
	}
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s%s", err, exit.Stderr, out[max(0, len(out)-2000):])
		}
		c.t.Fatalf("%s %.200s: %v", name, strings.Join(args, " "), err)
	}
	return out
}

func (c *crossCompiler) list(processor string, args ...string) (packages []*listed) {
	c.t.Helper()
	args = append([]string{"list", "-json=ImportPath,Dir,Export,GoFiles,EmbedPatterns,EmbedFiles"}, args...)
	for d := json.NewDecoder(bytes.NewReader(c.run(processor, "go", args...))); ; {
		p := &listed{}
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			c.t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

// product compiles a text of one file without imports, and keeps the header of its object.
func (c *crossCompiler) product(pkg, text string) []byte {
	c.t.Helper()
	file, object := filepath.Join(c.dir, "x.go"), filepath.Join(c.dir, "x.a")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		c.t.Fatal(err)
	}
	out := c.run("arm64", "go", "tool", "compile", "-S", "-p", pkg, "-o", object, file)
	c.header, _ = c.declarations(object)
	return out
}

// declarations returns the first line and the rest of an archive's first member, which declares the package's names.
func (c *crossCompiler) declarations(object string) (header, rest []byte) {
	c.t.Helper()
	const magic, memberHeader, sizeAt, sizeEnd = 8, 60, 48, 58 // bytes, as ar has them
	file, err := os.ReadFile(object)
	if err != nil {
		c.t.Fatal(err)
	}
	size, err := strconv.Atoi(strings.TrimSpace(string(file[magic+sizeAt : magic+sizeEnd])))
	if err != nil {
		c.t.Fatalf("%s: %v", object, err)
	}
	header, rest, _ = bytes.Cut(file[magic+memberHeader:][:size], []byte("\n"))
	return header, rest
}

// borrow writes the declarations of all packages with the header that the compiler for arm64 expects.
func (c *crossCompiler) borrow() {
	c.t.Helper()
	var cfg strings.Builder
	for i, p := range c.list("", append([]string{"-export", "-deps"}, calculating...)...) {
		if p.Export == "" {
			continue // unsafe
		}
		_, rest := c.declarations(p.Export)
		body := append(append(bytes.Clone(c.header), '\n'), rest...)
		head := fmt.Sprintf("!<arch>\n%-16s%-12d%-6d%-6d%-8o%-10d`\n", "__.PKGDEF", 0, 0, 0, 0o644, len(body))
		file := filepath.Join(c.dir, fmt.Sprint(i, ".a"))
		if err := os.WriteFile(file, append([]byte(head), body...), 0o666); err != nil {
			c.t.Fatal(err)
		}
		fmt.Fprintf(&cfg, "packagefile %s=%s\n", p.ImportPath, file)
	}
	if err := os.WriteFile(filepath.Join(c.dir, "importcfg"), []byte(cfg.String()), 0o666); err != nil {
		c.t.Fatal(err)
	}
}

// compile returns the code of a package.
func (c *crossCompiler) compile(p *listed) []byte {
	c.t.Helper()
	args := []string{"tool", "compile", "-S", "-p", p.ImportPath, "-importcfg", filepath.Join(c.dir, "importcfg"),
		"-o", os.DevNull}
	if len(p.EmbedFiles) > 0 {
		args = append(args, "-embedcfg", c.embedded(p))
	}
	for _, f := range p.GoFiles {
		args = append(args, filepath.Join(p.Dir, f))
	}
	return c.run("arm64", "go", args...)
}

// embedded writes the compiler's file of a package's embedded files, and returns its path.
func (c *crossCompiler) embedded(p *listed) string {
	c.t.Helper()
	cfg := struct {
		Patterns map[string][]string
		Files    map[string]string
	}{map[string][]string{}, map[string]string{}}
	for _, f := range p.EmbedFiles {
		cfg.Files[f] = filepath.Join(p.Dir, f)
		for _, pattern := range p.EmbedPatterns {
			if ok, _ := path.Match(pattern, f); ok || strings.HasPrefix(f, pattern+"/") {
				cfg.Patterns[pattern] = append(cfg.Patterns[pattern], f)
			}
		}
	}
	text, err := json.Marshal(cfg)
	if err != nil {
		c.t.Fatal(err)
	}
	file := filepath.Join(c.dir, "embedcfg")
	if err := os.WriteFile(file, text, 0o666); err != nil {
		c.t.Fatal(err)
	}
	return file
}
