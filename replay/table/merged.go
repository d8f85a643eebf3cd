package table

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	folders "gpureplay/internal/durable"
)

// mergedRun is the folder under .runs that has the manifest of merged tables.
const mergedRun = "merged"

// CommitMerged gives closed files, the table runs first, their final names in a folder of the same file system, in
// place of merged tables of any format that are there. The table runs comes last, and then the manifest of all, by
// which [FindMerged] and [Verify] know them. It returns an error if a file cannot be moved.
func CommitMerged(dir string, all []*Merged) error {
	listed := filepath.Join(dir, runsFolder, mergedRun, manifestName)
	if err := remove(listed); err != nil {
		return err
	}
	m := &Manifest{}
	for _, f := range all {
		name := filepath.Base(f.file.final)
		m.Files = append(m.Files, ManifestEntry{Table: f.table, Format: f.format, Path: name, Bytes: f.file.out.bytes,
			SHA256: hex.EncodeToString(f.file.out.hash.Sum(nil))})
	}
	for _, table := range Names() {
		for _, format := range Formats() {
			name := table + "." + format
			if table == m.Files[0].Table || !slices.ContainsFunc(m.Files, func(e ManifestEntry) bool { return e.Path == name }) {
				if err := remove(filepath.Join(dir, name)); err != nil {
					return err
				}
			}
		}
	}
	for _, f := range slices.Backward(all) {
		if err := os.Rename(f.file.temp, filepath.Join(dir, filepath.Base(f.file.final))); err != nil {
			return fmt.Errorf("tables: cannot give a file its final name: %w", err)
		}
	}
	syncFolder(dir)
	if err := os.MkdirAll(filepath.Dir(listed), 0o777); err != nil {
		return fmt.Errorf("tables: cannot make the folder: %w", err)
	}
	folders.Clean(filepath.Dir(listed))
	temp := filepath.Join(filepath.Dir(listed), folders.Partial(manifestName))
	if err := writeManifest(temp, m); err != nil {
		return err
	}
	if err := os.Rename(temp, listed); err != nil {
		return fmt.Errorf("tables: cannot give a file its final name: %w", err)
	}
	return nil
}

func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("tables: cannot replace an earlier file: %w", err)
	}
	return nil
}

// FindMerged returns the path of a merged table in a folder, Parquet or CSV; ""
// if there is none. A file of another size than the manifest says is an error, as
// in [Find].
func FindMerged(dir, table string) (string, error) {
	path, err := FindSheet(dir, table)
	if err != nil || path == "" {
		return "", err
	}
	return path, checkSize(dir, mergedRun, filepath.Base(path))
}
