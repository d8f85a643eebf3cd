package convert_test

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

	"gpureplay/convert"
	"gpureplay/convert/accelsim"
	"gpureplay/convert/timeline"
	"gpureplay/trace"
)

// docs/formats.md has every format with its inputs, and every counter that the code can write, with its help.
func TestFormats(t *testing.T) {
	var formats strings.Builder
	formats.WriteString("| `--from=` | give it | fidelity | host order and times | dependences | placement |\n| --- " +
		"| --- | --- | --- | --- | --- |\n")
	for _, f := range convert.Formats() {
		for _, c := range f.Reads {
			fmt.Fprintf(&formats, "| `%s` | %s | %s | %s | %s | %s |\n", f.Name, c.Give, c.Fidelity, c.Order, c.Dependences,
				c.Placement)
		}
	}
	inDoc(t, "formats", formats.String())
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
	inDoc(t, "counters", "| of | counter | grade | means |\n| --- | --- | --- | --- |\n"+strings.Join(rows, ""))
}

// inDoc checks that a table stands in its place of docs/formats.md.
func inDoc(t *testing.T, name, table string) {
	t.Helper()
	text, err := os.ReadFile("../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->"
	before, rest, found := strings.Cut(string(text), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("docs/formats.md has no place for the table %s", name)
	}
	want := before + begin + table + end + after
	if want == string(text) {
		return
	}
	if !*update {
		t.Errorf("the table %s of docs/formats.md is not that of the code; go test ./convert -run Formats "+
			"-update writes it", name)
	} else if err := os.WriteFile("../docs/formats.md", []byte(want), 0o644); err != nil {
		t.Fatal(err)
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
		severity := map[string]trace.Severity{"Info": trace.Info, "DataLoss": trace.DataLoss,
			"Error": trace.Error}[grade.Sel.Name]
		rows = append(rows, row(strings.TrimSuffix(path, ".go"), name, severity.String(), help))
		return true
	})
	return rows
}

// literal returns the text of a literal, or of several that are added up.
func literal(e ast.Expr) (string, bool) {
	if sum, ok := e.(*ast.BinaryExpr); ok && sum.Op == token.ADD {
		left, is := literal(sum.X)
		right, too := literal(sum.Y)
		return left + right, is && too
	}
	lit, ok := e.(*ast.BasicLit)
	if !ok {
		return "", false
	}
	s, err := strconv.Unquote(lit.Value)
	return s, err == nil
}
