package table

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Part is one file of a table with the trace and policy that its path names.
type Part struct{ Table, Trace, Policy, Path string }

// Find returns the files of a table under OUT in the order of their traces,
// then policies. None is no error, unless dir is no folder.
func Find(dir, table string) ([]Part, error) {
	if info, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("tables: %s is no folder of tables", dir)
	}
	for _, at := range []string{dir, filepath.Join(dir, table)} { // a pattern passes over what may not be read
		if _, err := os.ReadDir(at); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("tables: %w", err)
		}
	}
	var parts []Part
	for _, format := range Formats() {
		paths, err := fs.Glob(os.DirFS(dir), table+"/trace=*/policy=*/"+part(format))
		if err != nil {
			return nil, fmt.Errorf("tables: %w", err)
		}
		for _, p := range paths {
			names := strings.Split(p, "/")
			_, trace, ok1 := unsegment(names[1])
			_, policy, ok2 := unsegment(names[2])
			if ok1 && ok2 {
				parts = append(parts, Part{table, trace, policy, filepath.Join(dir, filepath.FromSlash(p))})
			}
		}
	}
	slices.SortFunc(parts, func(a, b Part) int {
		if c := strings.Compare(a.Trace, b.Trace); c != 0 {
			return c
		}
		if c := strings.Compare(a.Policy, b.Policy); c != 0 {
			return c
		}
		return strings.Compare(a.Path, b.Path)
	})
	return parts, nil
}
