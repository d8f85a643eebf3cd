package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// failure are the words by which a doc comment says when a function fails.
var failure = regexp.MustCompile(`(?i)\b(errors?|fails?|refuses?|nil|fs\.Err\w+|nothing is left)\b`)

// TestFailuresAreDocumented looks in the packages that a user's program imports for exported functions that return an
// error and do not say when.
func TestFailuresAreDocumented(t *testing.T) {
	t.Chdir(moduleRoot(t))
	seen := 0
	eachGoFile(t, func(path string, src []byte) {
		if strings.HasSuffix(path, "_test.go") || !slices.Contains(libraries, filepath.ToSlash(filepath.Dir(path))) {
			return
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, src, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() || !ofExported(fn) || !returnsError(fn) || fn.Name.Name == "Unwrap" {
				continue
			}
			if seen++; !failure.MatchString(fn.Doc.Text()) {
				t.Errorf("%s: %s returns an error and does not say when", path, fn.Name.Name)
			}
		}
	})
	if seen < 60 {
		t.Errorf("only %d functions: the packages are not read as they are written", seen)
	}
}

// ofExported reports whether a function has no receiver, or one of an exported type.
func ofExported(fn *ast.FuncDecl) bool {
	if fn.Recv == nil {
		return true
	}
	of := fn.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	if generic, ok := of.(*ast.IndexExpr); ok {
		of = generic.X
	}
	name, ok := of.(*ast.Ident)
	return !ok || name.IsExported()
}

// returnsError reports whether the last result of a function is an error.
func returnsError(fn *ast.FuncDecl) bool {
	results := fn.Type.Results
	if results == nil {
		return false
	}
	last, ok := results.List[len(results.List)-1].Type.(*ast.Ident)
	return ok && last.Name == "error"
}
