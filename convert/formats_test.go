package convert

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gpureplay/convert/accelsim"
	"gpureplay/convert/timeline"
	"gpureplay/trace"
)

// FORMATS.md has every format, and its table has every counter that the code
// can write, with its help.
func TestFormats(t *testing.T) {
	doc, err := os.ReadFile("FORMATS.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(doc)
	for _, name := range Names() {
		if !strings.Contains(text, "| `"+name+"` |") {
			t.Errorf("FORMATS.md has no line for %s", name)
		}
	}
	var rows []string
	for _, d := range timeline.Oddities() {
		rows = append(rows, row("profilers", d.Name, d.Severity.String(), d.Help))
	}
	for _, d := range accelsim.Counters() {
		rows = append(rows, row("accelsim", d.Name, d.Severity.String(), d.Help))
	}
	paths, _ := filepath.Glob("*.go")
	for _, path := range paths {
		if !strings.HasSuffix(path, "_test.go") {
			rows = append(rows, diagnosed(t, path)...)
		}
	}
	slices.Sort(rows)
	table := "| of | counter | grade | means |\n| --- | --- | --- | --- |\n" + strings.Join(rows, "")
	const begin, end = "<!-- counters -->\n", "<!-- end -->"
	before, rest, _ := strings.Cut(text, begin)
	_, after, ok := strings.Cut(rest, end)
	if want := before + begin + table + end + after; !ok || want != text {
		if *update && ok {
			if err := os.WriteFile("FORMATS.md", []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
			return
		}
		t.Error("the table of FORMATS.md is not that of the code; go test -run Formats -update ./convert writes it")
	}
}

func row(of, name, grade, help string) string {
	return fmt.Sprintf("| %s | `%s` | %s | %s |\n", of, name, grade, help)
}

// diagnosed finds the calls of diagnose in a file.
func diagnosed(t *testing.T, path string) (rows []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 5 {
			return true
		}
		if f, ok := call.Fun.(*ast.Ident); !ok || f.Name != "diagnose" {
			return true
		}
		name, named := literal(call.Args[1])
		help, helped := literal(call.Args[4])
		grade, graded := call.Args[2].(*ast.SelectorExpr)
		if !named || !helped || !graded || help == "" {
			t.Errorf("%s: a counter without a name, a grade or a help text of its own", path)
			return true
		}
		severity := map[string]trace.Severity{"Info": trace.Info, "DataLoss": trace.DataLoss, "Error": trace.Error}[grade.Sel.Name]
		rows = append(rows, row(strings.TrimSuffix(path, ".go"), name, severity.String(), help))
		return true
	})
	return rows
}

func literal(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok {
		return "", false
	}
	s, err := strconv.Unquote(lit.Value)
	return s, err == nil
}
