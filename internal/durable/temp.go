package durable

import (
	"fmt"
	"os"
	"path/filepath"
)

// TempDir makes a folder in dir, or in the system's folder for temporary files if dir is "". Its name is hidden and
// names its process: the next command that makes one in dir removes killed processes' folders. The caller calls
// done at the end.
func TempDir(dir, name string) (path string, done func(), err error) {
	if dir == "" {
		dir = os.TempDir()
	}
	Clean(dir)
	path = filepath.Join(dir, Partial(name))
	if err := os.Mkdir(path, 0o700); err != nil {
		return "", func() {}, fmt.Errorf("cannot make a temporary folder (TMPDIR names another place): %w", err)
	}
	return path, func() { os.RemoveAll(path) }, nil
}
