package house_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const module = "gpureplay/"

// allowed says which packages of the house those under a folder may import. The
// longest folder that fits counts. Imports go one way: trace <- model <-
// policies, replay/table <- replay <- cmd.
var allowed = map[string][]string{
	"internal/house":          {},
	"internal/mutate":         {"internal/mutate"},
	"internal/floors":         {},
	"internal/hostile":        {}, // its tests import the rooms whose files they damage
	"internal/nearest":        {},
	"internal/workers":        {},
	"internal/durable":        {},
	"internal/intervals":      {"model"},
	"replay/audit":            {"trace", "model", "replay/table"},
	"replay/approx":           {"trace", "model", "model/memory"},
	"replay/capture":          {"trace", "model", "replay/table", "internal/intervals"},
	"replay/analyse":          {"trace", "model", "policies", "replay", "internal/intervals", "internal/workers"},
	"trace/internal/words":    {},
	"trace":                   {"trace/internal/words"},
	"trace/text":              {"trace", "trace/internal/words"},
	"trace/container":         {"trace", "trace/text", "trace/internal/words"},
	"trace/tracetest":         {"trace", "trace/container", "trace/text"},
	"trace/choose":            {"trace"},
	"trace/outline":           {"trace"},
	"model/hardware":          {"internal/nearest", "trace", "model/hardware/gpgpusim"},
	"model/hardware/gpgpusim": {"internal/nearest"},
	"model/clock":             {},
	"model/memory":            {"trace", "model/hardware", "model/clock", "model/memory/coalesce"},
	"model/memory/hostmem":    {},
	"model/memory/timing":     {"model/hardware", "model/clock", "model/memory/hostmem"},
	"model/memory/coalesce":   {"trace", "model/hardware"},
	"model/memory/tags": {"model/hardware", "model/clock", "model/memory", "model/memory/coalesce",
		"model/memory/hostmem", "model/memory/timing"},
	"model/memory/unit": {"trace", "model/hardware", "model/clock", "model/memory",
		"model/memory/coalesce", "model/memory/hostmem", "model/memory/tags"},
	"model/memory/reserve": {"trace", "model/hardware", "model/clock", "model/memory", "model/memory/coalesce",
		"model/memory/hostmem", "model/memory/tags", "model/memory/timing", "model/memory/unit"},
	"model/memory/dram": {"model/hardware", "model/clock", "model/memory", "model/memory/hostmem",
		"model/memory/tags", "model/memory/timing"},
	"model/memory/cycle": {"trace", "model/hardware", "model/clock", "model/memory", "model/memory/coalesce",
		"model/memory/hostmem", "model/memory/tags", "model/memory/timing", "model/memory/unit"},
	"model/memory/engine":      {"model/hardware", "model/memory", "model/memory/reserve", "model/memory/cycle"},
	"model/program":            {"trace", "model/hardware", "model/clock"},
	"model/host":               {"trace", "model/hardware", "model/clock"},
	"model/exec":               {"trace", "model/hardware", "model/memory", "model/clock", "model/program", "model/exec"},
	"model/internal/reference": {"trace", "model/hardware", "model", "policies"}, // imported by tests alone
	"model/exec/gate":          {"model/clock", "model/program"},
	"model/exec/direct":        {"trace", "model/memory", "model/clock", "model/program", "model/exec/gate"},
	"model/exec/collector": {"trace", "model/hardware", "model/memory", "model/clock", "model/program",
		"model/exec/gate"},
	"model": {"trace", "model/hardware", "model/memory", "model/clock", "model/program", "model/exec",
		"model/host"},
	"policies":         {"internal/nearest", "trace", "model", "policies"},
	"replay/table":     {"internal/durable", "trace", "model", "replay/table"},
	"replay/timeline":  {"trace", "model", "replay/table"},
	"replay/reproduce": {"internal/durable", "internal/workers", "trace", "model", "policies", "replay", "samples"},
	"replay/measured":  {"internal/workers", "trace", "model", "policies", "replay", "samples"},
	"replay/sweep": {"internal/durable", "internal/workers", "internal/nearest", "trace", "model", "policies",
		"replay"},
	"replay/report": {"trace", "model", "replay"},
	"replay/serve":  {"replay/table", "replay/report"},
	"replay": {"trace", "model", "policies", "replay/table", "replay/audit", "replay/approx", "internal/intervals",
		"internal/workers"},
	"convert":         {"internal/durable", "internal/nearest", "trace", "convert"},
	"convert/neutral": {"trace", "replay/table"}, // the one reader of Parquet; see ARCHITECTURE.md
	"samples":         {"internal/nearest", "trace", "samples"},
	"cmd": {"internal/nearest", "internal/durable", "internal/workers", "trace", "model", "policies", "replay",
		"convert", "samples", "cmd"},
}

// onlyIn says where alone a dependency may be imported.
var onlyIn = map[string]string{
	"github.com/apache/arrow": "replay/table",
	"github.com/spf13/cobra":  "cmd",
	"modernc.org/sqlite":      "convert",
	"codeberg.org/go-pdf":     "replay/report",
}

// testsMayImport are packages that any test may import beside its own package's.
var testsMayImport = []string{"trace", "model", "policies", "samples", "convert", "replay"}

func TestImportsGoOneWay(t *testing.T) {
	eachGoFile(t, func(path string, src []byte) {
		f, err := parser.ParseFile(token.NewFileSet(), path, src, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range f.Imports {
			checkImport(t, path, strings.Trim(spec.Path.Value, `"`))
		}
	})
}

func checkImport(t *testing.T, path, imported string) {
	t.Helper()
	dir := filepath.ToSlash(filepath.Dir(path))
	for prefix, home := range onlyIn {
		if strings.HasPrefix(imported, prefix) && !within(dir, home) && !strings.HasSuffix(path, "_test.go") {
			t.Errorf("%s imports %s, which belongs to %s alone", path, imported, home)
		}
	}
	to, ours := strings.CutPrefix(imported, module)
	if !ours {
		return
	}
	room, ok := roomOf(dir)
	if !ok {
		return // the root's doc.go
	}
	list := allowed[room]
	if strings.HasSuffix(path, "_test.go") {
		list = append(append([]string{}, list...), testsMayImport...)
	}
	for _, a := range list {
		if within(to, a) {
			return
		}
	}
	t.Errorf("%s imports %s, which packages under %s may not (they may import %v)", path, imported, room, allowed[room])
}

// roomOf returns the longest folder of the table that holds dir.
func roomOf(dir string) (string, bool) {
	for d := dir; d != "."; d = filepath.ToSlash(filepath.Dir(d)) {
		if _, ok := allowed[d]; ok {
			return d, true
		}
	}
	return "", false
}

func within(dir, home string) bool { return dir == home || strings.HasPrefix(dir, home+"/") }

// How many lines a file and a function may have. Tests and the reference model of the tests
// may have more: a list of cases or a stage is read in one piece.
const (
	maxFileLines     = 400
	maxFuncLines     = 60
	maxTestFileLines = 500
	maxTestFuncLines = 110
)

func TestFilesAndFunctionsAreShort(t *testing.T) {
	eachGoFile(t, func(path string, src []byte) {
		file, function := maxFileLines, maxFuncLines
		if strings.HasSuffix(path, "_test.go") || within(path, "model/internal/reference") {
			file, function = maxTestFileLines, maxTestFuncLines
		}
		if n := bytes.Count(src, []byte("\n")); n > file {
			t.Errorf("%s has %d lines, more than %d", path, n, file)
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, src, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			if n := set.Position(fn.End()).Line - set.Position(fn.Pos()).Line + 1; n > function {
				t.Errorf("%s: %s has %d lines, more than %d", path, fn.Name.Name, n, function)
			}
		}
	})
}

// unfinished matches words that mark something left for later, and words of a
// particular machine.
var unfinished = regexp.MustCompile(`(?i)\b(todo|fixme|xxx|not yet implemented)\b|//.*\bfor now\b|/tmp/w/|/work/`)

func TestNothingIsLeftForLater(t *testing.T) {
	eachGoFile(t, func(path string, src []byte) {
		if path == "internal/house/rooms_test.go" {
			return
		}
		if m := unfinished.Find(src); m != nil {
			t.Errorf("%s says %q", path, m)
		}
	})
}

func TestEveryPackageIsDocumented(t *testing.T) {
	documented := map[string]bool{}
	eachGoFile(t, func(path string, src []byte) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, src, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Dir(path)
		documented[dir] = documented[dir] || f.Doc != nil
	})
	for dir, ok := range documented {
		if !ok {
			t.Errorf("package %s has no doc comment", dir)
		}
	}
}

// eachGoFile calls f for every Go file of the module, with its path from the
// root.
func eachGoFile(t *testing.T, f func(path string, src []byte)) {
	t.Helper()
	n, root := 0, moduleRoot(t)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != root && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		n++
		path, err = filepath.Rel(root, path)
		f(filepath.ToSlash(path), src)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if n < 50 {
		t.Fatalf("only %d Go files found: the walk is broken", n)
	}
}

// A pattern is compiled when it is first used: those that a package has would be
// compiled at each start of the command, which takes longer than most commands.
func TestPatternsAreLazy(t *testing.T) {
	early := regexp.MustCompile(`(?m)^(var |\t)\w+\s*= regexp\.MustCompile\(`)
	eachGoFile(t, func(path string, src []byte) {
		if m := early.Find(src); m != nil && !strings.HasSuffix(path, "_test.go") {
			t.Errorf("%s: %s...: write sync.OnceValue(func() *regexp.Regexp { return ... })", path, strings.TrimSpace(string(m)))
		}
	})
}
