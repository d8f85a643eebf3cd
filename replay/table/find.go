package table

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Part is one file of a table with the run that its path names.
type Part struct {
	Table string
	Key
	Path string
}

// home returns the folder of a table in a format under OUT, with slashes. Each
// format has a tree of its own: engines open all files of a folder alike.
func home(table, format string) string {
	if format == Parquet {
		return table
	}
	return format + "/" + table
}

// homes are the folders under OUT that [home] can be one of. There are few; to ask for
// each table in each format would be a look for some fifty files.
func homes(out string) (map[string]bool, error) {
	there := map[string]bool{}
	for _, format := range Formats() {
		above := home("", format)
		found, err := os.ReadDir(filepath.Join(out, filepath.FromSlash(above)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("tables: %w", err)
		}
		for _, e := range found {
			there[above+e.Name()] = true
		}
	}
	return there, nil
}

// place returns where a run's file of a table lies under OUT, with slashes.
func place(table, format, run string) string {
	return path.Join(home(table, format), run, "part-0."+format)
}

// Find returns the files of a table under OUT in the order of their keys: of a run
// that has several formats the Parquet one, else CSV. A run whose end was
// interrupted is completed first. None is no error, unless dir is no folder. A
// file with another size than its run's manifest says is an error: a CSV file
// that was cut between two lines, or before the first ends, reads as a shorter one.
func Find(dir, table string) ([]Part, error) {
	if info, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("tables: %s is no folder of tables", dir)
	}
	for _, at := range []string{dir, filepath.Join(dir, table)} { // a pattern skips unreadable folders
		if _, err := os.ReadDir(at); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("tables: %w", err)
		}
	}
	if err := Recover(dir); err != nil {
		return nil, err
	}
	var parts []Part
	found := map[Key]bool{}
	for _, format := range []string{Parquet, CSV, Arrow} { // the last cannot be read here
		root := home(table, format)
		paths, err := fs.Glob(os.DirFS(dir), place(table, format, strings.Join(hiveKeys, "=*/")+"=*"))
		if err != nil {
			return nil, fmt.Errorf("tables: %w", err)
		}
		for _, p := range paths {
			run, ok := keyOf(strings.TrimPrefix(path.Dir(p), root+"/"))
			if ok && !found[run] {
				if err := checkSize(dir, run.id(), p); err != nil {
					return nil, err
				}
				found[run] = true
				parts = append(parts, Part{table, run, filepath.Join(dir, filepath.FromSlash(p))})
			}
		}
	}
	slices.SortFunc(parts, func(a, b Part) int { return a.Key.Compare(b.Key) })
	return parts, nil
}

// checkSize compares the size of a file, whose path from dir has slashes, with a manifest under .runs that names
// it, if there is one. While another process moves a run's files to their places, the manifest is still the former
// one.
func checkSize(dir, id, path string) error {
	if _, err := os.Lstat(filepath.Join(dir, runsFolder, id, committed)); err == nil {
		return nil
	}
	m, err := readManifest(filepath.Join(dir, runsFolder, id, manifestName))
	if err != nil || m == nil {
		return err
	}
	i := slices.IndexFunc(m.Files, func(e ManifestEntry) bool { return e.Path == path })
	if i < 0 {
		return nil
	}
	at := filepath.Join(dir, filepath.FromSlash(path))
	info, err := os.Stat(at)
	if err != nil {
		return fmt.Errorf("tables: %w", err)
	}
	if n := m.Files[i].Bytes; info.Size() != n {
		return fmt.Errorf("tables: %s has %d bytes, was written with %d: replay or sweep again", at, info.Size(), n)
	}
	return nil
}

// Compare orders runs by trace, machine, settings and policy.
func (k Key) Compare(b Key) int {
	return cmp.Or(strings.Compare(k.Trace, b.Trace), strings.Compare(k.GPU, b.GPU), strings.Compare(k.Set, b.Set),
		strings.Compare(k.Policy, b.Policy))
}
