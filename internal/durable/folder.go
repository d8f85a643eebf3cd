package durable

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Folder is a folder of files that one command writes together: all of them appear, or
// none. While it is open no other process writes the set.
//
// Files are written under .export/new.partial. One rename, to .export/new, commits them;
// then each takes its place, the last one last. A process that is killed between leaves
// the rest to the next one that opens the folder. A manifest says which files a command
// wrote: the next one replaces and removes those alone.
type Folder struct {
	dir     string
	made    bool     // by this process: an empty one is removed
	lock    *os.File // of the hidden folder
	belongs func(name string) bool
	done    bool
}

const (
	hiddenName   = ".export"
	stagedName   = "new.partial"
	committed    = "new"
	manifestName = "manifest.json"
)

// manifest says which files a command wrote to a folder.
type manifest struct {
	Files  []entry `json:"files"`            // in the order in which they take their places
	Former []entry `json:"former,omitempty"` // of a commit: those that it takes the place of
}

// entry is one file.
type entry struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// OpenFolder claims a folder, which is made if it is not there, and completes the commit of
// a process that was killed. belongs reports whether a file of that name would be taken for
// one of the set. OpenFolder returns an error if another process writes the set, or if the
// folder has a file that belongs to the set and that no earlier one wrote.
// The caller ends it by [Folder.Commit] or [Folder.Abort].
func OpenFolder(dir string, belongs func(name string) bool) (*Folder, error) {
	_, err := os.Stat(dir)
	f := &Folder{dir: dir, made: errors.Is(err, fs.ErrNotExist), belongs: belongs}
	if f.lock, err = Claim(f.hidden()); err != nil {
		return nil, err
	}
	if err = f.begin(); err != nil {
		f.Abort()
		return nil, err
	}
	return f, nil
}

func (f *Folder) begin() error {
	if err := os.RemoveAll(f.Stage()); err != nil {
		return fmt.Errorf("cannot remove the files of an interrupted command: %w", err)
	}
	if err := f.advance(); err != nil {
		return err
	}
	former, err := readManifest(filepath.Join(f.hidden(), manifestName))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(f.Stage(), 0o777); err != nil {
		return fmt.Errorf("cannot make the folder: %w", err)
	}
	return f.foreign(former)
}

func (f *Folder) hidden() string { return filepath.Join(f.dir, hiddenName) }

// Stage returns the folder that the files are written to.
func (f *Folder) Stage() string { return filepath.Join(f.hidden(), stagedName) }

// foreign returns an error that names a file of the set's names that no command wrote, or
// that was changed since.
func (f *Folder) foreign(own *manifest) error {
	there, err := os.ReadDir(f.dir)
	if err != nil {
		return err
	}
	for _, e := range there {
		if !f.belongs(e.Name()) {
			continue
		}
		ours, err := f.wrote(own, e.Name())
		if err != nil {
			return err
		}
		if !ours {
			return f.notOurs(e.Name())
		}
	}
	return nil
}

func (f *Folder) notOurs(name string) error {
	return fmt.Errorf("%s has a file %s that no export wrote: name another folder, or move the file away", f.dir, name)
}

// wrote reports whether a file of the folder has the content that the manifest names.
func (f *Folder) wrote(own *manifest, name string) (bool, error) {
	var sums []string
	for _, e := range slices.Concat(own.Files, own.Former) {
		if e.Name == name {
			sums = append(sums, e.SHA256)
		}
	}
	path := filepath.Join(f.dir, name)
	if info, err := os.Lstat(path); len(sums) == 0 || err != nil || !info.Mode().IsRegular() {
		return false, err
	}
	sum, err := sumOf(path)
	return slices.Contains(sums, sum), err
}

// sumOf is the SHA-256 of a file's content.
func sumOf(path string) (string, error) {
	in, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer in.Close()
	h := sha256.New()
	if _, err := io.Copy(h, in); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// readManifest reads one; an empty one if there is none.
func readManifest(path string) (*manifest, error) {
	m := &manifest{}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err == nil {
		err = json.Unmarshal(data, m)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, e := range slices.Concat(m.Files, m.Former) {
		if e.Name != filepath.Base(e.Name) || !filepath.IsLocal(e.Name) {
			return nil, fmt.Errorf("%s: %q is no name of a file of the folder", path, e.Name)
		}
	}
	return m, nil
}

// Commit gives the staged files of those names their places, the last one last, and removes an earlier command's
// files. The files are closed and on the disk. On an error before the commit nothing has changed.
func (f *Folder) Commit(names []string) error {
	if err := f.commit(names); err != nil {
		f.Abort()
		return err
	}
	err := f.advance()
	f.release()
	SyncDir(f.dir)
	return err
}

func (f *Folder) commit(names []string) error {
	former, err := readManifest(filepath.Join(f.hidden(), manifestName))
	if err != nil {
		return err
	}
	if err := f.foreign(former); err != nil {
		return err
	}
	next := &manifest{Former: former.Files}
	for _, name := range names {
		sum, err := sumOf(filepath.Join(f.Stage(), name))
		if err != nil {
			return err
		}
		next.Files = append(next.Files, entry{name, sum})
	}
	if err := next.write(f.Stage()); err != nil {
		return err
	}
	SyncDir(f.Stage())
	if err := os.Rename(f.Stage(), filepath.Join(f.hidden(), committed)); err != nil {
		return fmt.Errorf("cannot commit the files: %w", err)
	}
	SyncDir(f.hidden())
	return nil
}

func (m *manifest) write(dir string) error {
	data, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		panic("durable: " + err.Error()) // plain data
	}
	return Write(filepath.Join(dir, manifestName), func(w io.Writer) error {
		_, err := w.Write(append(data, '\n'))
		return err
	})
}

// advance moves committed files to their places. It may be done again after any
// interruption.
func (f *Folder) advance() error {
	from := filepath.Join(f.hidden(), committed)
	next, err := readManifest(filepath.Join(from, manifestName))
	if err != nil {
		return err
	}
	for _, e := range slices.Backward(next.Former) { // the last one says that a set is whole
		if err := f.drop(next, e.Name); err != nil {
			return err
		}
	}
	for _, e := range next.Files {
		to := filepath.Join(f.dir, e.Name)
		if _, err := os.Lstat(filepath.Join(from, e.Name)); errors.Is(err, fs.ErrNotExist) {
			continue // moved before
		}
		if _, err := os.Lstat(to); err == nil {
			return f.notOurs(e.Name)
		}
		if err := os.Rename(filepath.Join(from, e.Name), to); err != nil {
			return fmt.Errorf("cannot give a file its final name: %w", err)
		}
	}
	if len(next.Files) > 0 {
		next.Former = nil
		if err := next.write(f.hidden()); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(from); err != nil {
		return fmt.Errorf("cannot remove the files of an interrupted command: %w", err)
	}
	return nil
}

// drop removes a file of a former command, unless its place has the new one already.
func (f *Folder) drop(next *manifest, name string) error {
	if _, err := os.Lstat(filepath.Join(f.hidden(), committed, name)); err != nil &&
		slices.ContainsFunc(next.Files, func(e entry) bool {
			return e.Name == name
		}) {
		return nil
	}
	ours, err := f.wrote(next, name)
	if err == nil && ours {
		err = os.Remove(filepath.Join(f.dir, name))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot replace earlier files: %w", err)
	}
	return nil
}

// Abort removes the staged files, and the folder if it was made for it and is empty. After Commit it does nothing,
// so that it may be deferred.
func (f *Folder) Abort() {
	if f.done {
		return
	}
	os.RemoveAll(f.Stage())
	os.Remove(f.hidden()) // unless it has the manifest of an earlier command
	if f.made {
		os.Remove(f.dir) // unless something else has come there
	}
	f.release()
}

func (f *Folder) release() {
	f.done = true
	if f.lock != nil {
		f.lock.Close()
		f.lock = nil
	}
}
