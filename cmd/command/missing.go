package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gpureplay/internal/nearest"
)

// missing turns an error about a path into a sentence about the missing file or folder, in place of the system's
// words.
func missing(err error) error {
	var at *fs.PathError
	if !errors.As(err, &at) {
		return err
	}
	sentence := ""
	switch {
	case errors.Is(at.Err, fs.ErrNotExist):
		sentence = notThere(at.Path)
	case errors.Is(at.Err, fs.ErrPermission):
		sentence = fmt.Sprintf("%s may not be opened: change the permissions of it or its folder", at.Path)
	default:
		return err
	}
	return said{strings.Replace(err.Error(), at.Error(), sentence, 1), err}
}

// said is an error in other words.
type said struct {
	text string
	err  error
}

func (s said) Error() string { return s.text }
func (s said) Unwrap() error { return s.err }

// notThere names the missing part of a path: a folder on the way, or the file, with the names that are near.
func notThere(path string) string {
	dir, name := filepath.Split(filepath.Clean(path))
	if dir == "" {
		dir = "."
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return fmt.Sprintf("%s: no such folder: %s; make it, or give another path", path, filepath.Clean(dir))
	}
	where := "this folder"
	if dir != "." {
		where = filepath.Clean(dir)
	}
	if near := nearest.Names(name, namesIn(dir), 3); len(near) > 0 {
		return fmt.Sprintf("no such file: %s; near in %s: %s", path, where, strings.Join(near, ", "))
	}
	return fmt.Sprintf("no such file: %s", path)
}

// mostNames bounds how much of a folder is looked at.
const mostNames = 1 << 12

func namesIn(dir string) []string {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(mostNames)
	slices.Sort(names)
	return names
}
