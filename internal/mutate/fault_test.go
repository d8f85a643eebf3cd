package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The faults of a function, found by hand.
func TestFaults(t *testing.T) {
	const src = `package p
func f(a, b int, c []int) (n int) {
	if a < 3 && len(c) > b {
		n = max(a, b-1)
	}
	n += a << 2
	g(n)
	x := [2]int{}
	return n + x[0] + 1 << b
}
func g(int) int { panic("no" + "where") }
`
	h := &house{set: token.NewFileSet()}
	f, err := parser.ParseFile(h.set, "p.go", src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	c := &checked{files: []*ast.File{f}, src: map[*ast.File][]byte{f: []byte(src)}, paths: map[*ast.File]string{f: "p.go"},
		info: types.Info{Types: map[ast.Expr]types.TypeAndValue{}}}
	if c.pkg, err = new(types.Config).Check("p", h.set, c.files, &c.info); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range faultsOf(h.set, c, f) {
		got = append(got, f.Kind+": "+f.Wrong)
	}
	slices.Sort(got)
	want := []string{
		"arithmetic: a >> 2", "arithmetic: b + 1", "arithmetic: n - x[0]", "arithmetic: n -= a << 2",
		"branch: !(a < 3 && len(c) > b)", "comparison: a <= 3", "comparison: len(c) >= b", "constant: a < 4",
		"constant: a << 3", "constant: b - 2",
		"limit: min(a, b-1)", "logic: a < 3 || len(c) > b", "removed: ", "removed: ", "removed: ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
	h.packages = []*checked{c}
	for only, want := range map[string]int{`p\.go:4: limit`: 1, `p\.go:4: arithmetic`: 1, `: removed: g\(n\) -> $`: 1,
		"none": 0} {
		if got := h.sample(10, 1, regexp.MustCompile(only)); len(got) != want {
			t.Errorf("%q picks %v", only, got)
		}
	}
}

// Whatever is planted compiles: as many faults as fit beside one another, in the
// packages that they are meant for, by three draws.
func TestPlantedFaultsCompile(t *testing.T) {
	if testing.Short() {
		t.Skip("checks the types of whole packages")
	}
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	folders, _, err := foldersOf(root, []string{"model/...", "policies/...", "trace/...", "convert/...", "replay/..."})
	if err != nil {
		t.Fatal(err)
	}
	h, from, err := loadHouse(root, folders, "internal/mutate/switched")
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(3) {
		faults := h.sample(1<<20, seed, nil)
		if len(faults) < 15000 {
			t.Fatalf("only %d faults", len(faults))
		}
		for _, c := range h.packages {
			checkPlanted(t, h, c, faults, from)
		}
	}
}

func checkPlanted(t *testing.T, h *house, c *checked, faults []fault, from types.Importer) {
	t.Helper()
	set := token.NewFileSet()
	var files []*ast.File
	for _, f := range c.files {
		src, ok := planted(c.src[f], c.paths[f], faults)
		if ok {
			src = withImport(src, h.set.Position(f.Name.End()).Offset)
		}
		g, err := parser.ParseFile(set, c.paths[f], src, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, g)
	}
	conf := types.Config{Importer: from, Error: func(err error) { t.Error(err) }}
	conf.Check(c.pkg.Path(), set, files, nil)
}

// A file of tests tells their names, and stays a file.
func TestTold(t *testing.T) {
	src, err := told("fault_test.go")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.ParseFile(token.NewFileSet(), "x.go", src, 0); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{importSwitched,
		`func TestTold(t *testing.T) { defer plantedFaults.Test("TestTold")();`} {
		if !strings.Contains(string(src), want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(string(src), "plantedFaults.Test("+`"checkPlanted"`) {
		t.Error("a helper tells its name as if it were a test")
	}
}

// A fault has the tests of its folder and below it, of the nearest above with some, or of all of its pattern.
func TestOwnTests(t *testing.T) {
	o := owner{patterns: []string{"convert/...", "model/memory/...", "replay"},
		tested: []string{"convert", "convert/sass", "model/memory/cycle", "model/memory/tags", "replay"}}
	for folder, want := range map[string][]string{
		"convert/sass": {"convert/sass"}, "convert/nsys": {"convert"}, "convert": {"convert", "convert/sass"},
		"replay":            {"replay"},
		"model/memory/unit": {"model/memory/cycle", "model/memory/tags"}, "model": nil, "replay/audit": nil,
	} {
		if got := o.of(folder); !slices.Equal(got, want) {
			t.Errorf("%s: tests of %q, want %q", folder, got, want)
		}
	}
	o.fixed = []string{"model"}
	if got := o.of("convert/sass"); !slices.Equal(got, o.fixed) {
		t.Errorf("tests of %q, want those that are given", got)
	}
}
