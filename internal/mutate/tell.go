package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
)

// told returns a file of tests in which each test says its name when it begins and
// when it has ended.
func told(path string) ([]byte, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, path, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var out []byte
	last, end := 0, set.Position(f.Name.End()).Offset
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv != nil || fn.Body == nil || !isTest(fn.Name.Name) || len(fn.Type.Params.List) != 1 {
			continue
		}
		if last == 0 {
			out, last = append(append(out, src[:end]...), importSwitched...), end
		}
		at := set.Position(fn.Body.Lbrace).Offset + 1
		out = fmt.Appendf(append(out, src[last:at]...), " defer plantedFaults.Test(%q)(); ", fn.Name.Name)
		last = at
	}
	return slices.Concat(out, src[last:]), nil
}

func isTest(name string) bool {
	return name != "TestMain" && (strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Fuzz"))
}
