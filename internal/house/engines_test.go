package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// constructors are the functions that may read which memory engine and which pipeline a machine has.
var constructors = []string{"New", "Init", "init", "newCode", "newCTAScheduler", "choosePipeline"}

// The memory engine and the pipeline are read when a machine is made: no function on the way of an instruction or an
// access tests them. The rules of imports keep engines and pipelines apart from each other.
func TestModesAreReadInConstructors(t *testing.T) {
	found := 0
	eachGoFile(t, func(path string, src []byte) {
		if !strings.HasPrefix(path, "model/") || strings.HasSuffix(path, "_test.go") ||
			strings.HasPrefix(path, "model/hardware/") || strings.HasPrefix(path, "model/internal/") {
			return
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, src, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				s, ok := n.(*ast.SelectorExpr)
				if !ok || !readsMode(s) {
					return true
				}
				if found++; !slices.Contains(constructors, fn.Name.Name) {
					t.Errorf("%s: %s reads the engine or the pipeline of the machine", fset.Position(s.Pos()), fn.Name.Name)
				}
				return true
			})
		}
	})
	if found < 5 {
		t.Errorf("%d places read them: the test looks for other names", found)
	}
}

// readsMode reports whether an expression reads the engine or the pipeline of a configuration.
func readsMode(s *ast.SelectorExpr) bool {
	if s.Sel.Name == "CycleMemory" || s.Sel.Name == "Collectors" {
		return true
	}
	of, ok := s.X.(*ast.SelectorExpr)
	return ok && (of.Sel.Name == "Memory" && s.Sel.Name == "Engine" || of.Sel.Name == "SM" && s.Sel.Name == "Pipeline")
}
