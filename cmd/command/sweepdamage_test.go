package command

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A cell of a sweep with a file that is empty, cut, changed or gone is run again, and the sweep's tables are the
// same as without damage.
func TestSweepRunsDamagedCellsAgain(t *testing.T) {
	file := sweepFolder(t, "traces = 'small.trace.zst'\ngpus = ['k20c']\npolicies = ['serial', 'hyperq']\ntables = "+
		"['runs', 'kernels']\n")
	dir := filepath.Join(t.TempDir(), "out")
	if ran, before := ranCells(t, 0, "-o", dir, file); ran != 2 || before != 0 {
		t.Fatalf("%d cells replayed, %d finished before", ran, before)
	}
	whole := sweepContents(t, dir)
	for what, damage := range map[string]func(path string, data []byte) error{
		"empty": func(path string, _ []byte) error { return os.WriteFile(path, nil, 0o644) },
		"cut":   func(path string, data []byte) error { return os.WriteFile(path, data[:len(data)/2], 0o644) },
		"changed": func(path string, data []byte) error {
			changed := bytes.Clone(data)
			changed[len(changed)/2] ^= 1
			return os.WriteFile(path, changed, 0o644)
		},
		"gone": func(path string, _ []byte) error { return os.Remove(path) },
	} {
		path := runsOfACell(t, dir)
		data, err := os.ReadFile(path)
		if err == nil {
			err = damage(path, data)
		}
		if err != nil {
			t.Fatal(err)
		}
		fails(t, 1, []string{"1 of 6 files"}, "verify", dir)
		if ran, before := ranCells(t, 0, "-o", dir, file); ran != 1 || before != 1 {
			t.Errorf("%s: %d cells replayed and %d finished before, want one of each", what, ran, before)
		}
		must(t, "verify", dir) // its cells and the merged tables
		sameFiles(t, what, sweepContents(t, dir), whole)
	}
}

// runsOfACell is the file of the table runs of some cell.
func runsOfACell(t *testing.T, dir string) (found string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(dir, "cells"), func(path string, e fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".parquet") &&
			strings.Contains(path, string(filepath.Separator)+"runs"+string(filepath.Separator)) {
			found = path
		}
		return err
	})
	if err != nil || found == "" {
		t.Fatalf("no cell has a table runs: %v", err)
	}
	return found
}
