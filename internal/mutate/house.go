package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// house is the source that faults are planted in.
type house struct {
	set      *token.FileSet
	packages []*checked
}

// checked is a package with its types.
type checked struct {
	files []*ast.File
	src   map[*ast.File][]byte
	paths map[*ast.File]string
	info  types.Info
	pkg   *types.Package
}

// listed is the output of `go list -export` for a package.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

func moduleRoot() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("go list -m: %w", said(err))
	}
	return strings.TrimSpace(string(out)), nil
}

// said adds a command's output to its error.
func said(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(exit.Stderr))
	}
	return err
}

// loadHouse parses and checks the packages of some folders. The importer beside them knows their imports, and some
// more.
func loadHouse(root string, folders []string, more ...string) (*house, types.Importer, error) {
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles"}
	for _, f := range slices.Concat(folders, more) {
		args = append(args, "./"+f)
	}
	c := exec.Command("go", args...)
	c.Dir = root
	out, err := c.Output()
	if err != nil {
		return nil, nil, fmt.Errorf("go list: %w", said(err))
	}
	exports := map[string]string{}
	var ours []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, nil, err
		}
		exports[p.ImportPath] = p.Export
		if dir, err := filepath.Rel(root, p.Dir); err == nil && slices.Contains(folders, filepath.ToSlash(dir)) {
			ours = append(ours, p)
		}
	}
	h := &house{set: token.NewFileSet()}
	from := importer.ForCompiler(h.set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, p := range ours {
		c, err := h.check(&p, from)
		if err != nil {
			return nil, nil, err
		}
		h.packages = append(h.packages, c)
	}
	return h, from, nil
}

func (h *house) check(p *listed, from types.Importer) (*checked, error) {
	c := &checked{
		src: map[*ast.File][]byte{}, paths: map[*ast.File]string{},
		info: types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}},
	}
	for _, name := range p.GoFiles {
		path := filepath.Join(p.Dir, name)
		src, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(h.set, path, src, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		c.files, c.src[f], c.paths[f] = append(c.files, f), src, path
	}
	conf := types.Config{Importer: from}
	var err error
	c.pkg, err = conf.Check(p.ImportPath, h.set, c.files, &c.info)
	return c, err
}
