// Package durable gives files their name when they are complete and on the disk. Until then they lie beside it
// under a hidden name with the process's number. The next process that writes to the folder removes a killed one's
// files.
package durable

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
)

// Write writes a file by fill. The file appears under its name only when it is
// complete; if anything fails nothing is left, and an older file of that name
// stays as it was. The error of fill comes back as it is.
func Write(path string, fill func(io.Writer) error) (err error) {
	dir, name := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	Clean(dir)
	temp := filepath.Join(dir, Partial(name))
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(temp)
		}
	}()
	if err = fill(f); err != nil {
		return err
	}
	if err = f.Sync(); err == nil {
		err = f.Close()
	}
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	SyncDir(dir)
	return nil
}

// SyncDir puts the names of a folder on the disk. Not every system can: those
// that cannot order renames by themselves.
func SyncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}

// made counts the names that this process has made.
var made atomic.Int64

// Partial returns the name, in the same folder, of the incomplete file.
func Partial(name string) string {
	return fmt.Sprintf(".%s.%s-%d-%d.partial", name, host(), os.Getpid(), made.Add(1))
}

// partialName matches the names that Partial makes on this host, with the process as its group.
var partialName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\..+\.` + regexp.QuoteMeta(host()) + `-([0-9]+)-[0-9]+\.partial$`)
})

// Abandoned tells the partial files and folders of processes of this host that
// have ended.
func Abandoned(name string) bool {
	m := partialName().FindStringSubmatch(name)
	if m == nil {
		return false
	}
	pid, err := strconv.Atoi(m[1])
	return err == nil && pid > 0 && !alive(pid)
}

// Clean removes from a folder the files of this host's killed processes. Files that it cannot remove stay.
func Clean(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if Abandoned(e.Name()) {
			os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
}

// host is the name of this host.
func host() string {
	name, err := os.Hostname()
	if err != nil {
		return "host"
	}
	return filepath.Base(name)
}
