package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	folders "gpureplay/internal/durable"
)

// A run is written to .runs/<id>/new.partial, its manifest last. One rename, to .runs/<id>/new, is its commit:
// until then the former run is there whole, from then on the new one is, for the next reader or writer first moves
// the files of new to their places ([Recover]). Each file takes the place of its former one at once, the table runs
// last. Files, manifest and the folder that holds them are durable before the rename; [Verify] finds the losses of
// a later power failure.

// advance continues a commit of another process from a run's folder new. The caller holds the run's folder.
func advance(out, run string) error {
	from := filepath.Join(run, committed)
	next, err := readManifest(filepath.Join(from, manifestName))
	if err != nil {
		return err
	}
	if next == nil { // all was moved, but for the folder
		os.Remove(from)
		return nil
	}
	left, err := leftBehind(out, next)
	if err != nil {
		return err
	}
	return move(out, run, next, left)
}

// move moves a committed run's files from new to their places, and removes left: files of the former run that the
// new manifest does not name. It may be done again after any interruption.
func move(out, run string, next *Manifest, left []string) error {
	if err := dropFormer(out, left); err != nil {
		return err
	}
	from := filepath.Join(run, committed)
	for _, e := range slices.Backward(next.Files) { // runs is the first
		to := filepath.Join(out, filepath.FromSlash(e.Path))
		temp := filepath.Join(from, e.Table+"."+e.Format)
		if _, err := os.Lstat(temp); errors.Is(err, fs.ErrNotExist) {
			continue // moved before, or kept of the former run
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return fmt.Errorf("tables: cannot make the folder: %w", err)
		}
		if err := os.Rename(temp, to); err != nil {
			return fmt.Errorf("tables: cannot give a file its final name: %w", err)
		}
	}
	if err := os.Rename(filepath.Join(from, manifestName), filepath.Join(run, manifestName)); err != nil {
		return fmt.Errorf("tables: cannot give a file its final name: %w", err)
	}
	os.Remove(from)
	return nil
}

// dropFormer removes files that lie at the places of a run and are not its own, the table runs first.
func dropFormer(out string, left []string) error {
	for _, at := range left {
		file := filepath.Join(out, filepath.FromSlash(at))
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("tables: cannot replace an earlier run: %w", err)
		}
		prune(filepath.Dir(file), len(hiveKeys)+1)
	}
	return nil
}

// prune removes a folder and those above it, some levels in all, while they are
// empty.
func prune(dir string, levels int) {
	for range levels {
		if os.Remove(dir) != nil {
			return
		}
		dir = filepath.Dir(dir)
	}
}

// Recover completes the runs of a folder that were committed and whose files were not all moved to their places, and
// removes the unfinished files of processes that have ended. Files of a running process stay. It returns an error if
// files cannot be moved or removed.
func Recover(dir string) error {
	runs := runFolders(dir)
	for _, name := range []string{committed, stagedName} {
		for _, run := range runs {
			at := filepath.Join(run, name)
			if _, err := os.Lstat(at); err != nil {
				continue
			}
			if err := recoverRun(dir, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// recoverRun completes or removes the files in a run's folder, unless another holds it.
func recoverRun(dir, at string) error {
	run := filepath.Dir(at)
	lock, err := folders.Claim(run)
	if err != nil || lock == nil {
		return nil
	}
	defer lock.Close()
	if filepath.Base(at) == committed {
		return advance(dir, run)
	}
	if !folders.Locked(lock) { // it may be another's, who writes it
		return nil
	}
	if err := os.RemoveAll(at); err != nil {
		return fmt.Errorf("tables: cannot remove the files of an interrupted run: %w", err)
	}
	prune(run, 2) // and .runs
	return nil
}

// writeManifest writes a manifest durably.
func writeManifest(path string, m *Manifest) error {
	data, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		panic("table: " + err.Error()) // plain data
	}
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("tables: cannot create a file: %w", err)
	}
	_, err = f.Write(append(data, '\n'))
	if err == nil && durable {
		err = f.Sync()
	}
	if err2 := f.Close(); err == nil {
		err = err2
	}
	if err != nil {
		return fmt.Errorf("tables: writing %s: %w", path, err)
	}
	return nil
}

// durable says whether files and folders are made durable before they get their
// names; tests of other things save that time.
var durable = true

// syncFolder makes the entries of a folder durable, where the system can.
func syncFolder(dir string) {
	if f, err := os.Open(dir); err == nil && durable {
		f.Sync() // not every file system takes it of a folder
		f.Close()
	}
}
