// Package tracetest helps tests of every other package: where real captures
// lie, and small traces from text.
package tracetest

import (
	"os"
	"path/filepath"
	"testing"
)

// Data returns the path of a file or folder of the real captures, which lie
// beside the repository in ../shared/data (or where REPLAY_DATA says). The test
// is skipped where they do not.
func Data(t testing.TB, elem ...string) string {
	t.Helper()
	root := os.Getenv("REPLAY_DATA")
	if root == "" {
		root = filepath.Join(moduleRoot(t), "..", "shared", "data")
	}
	path := filepath.Join(append([]string{root}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("real capture %s is not here (set REPLAY_DATA to its folder)", filepath.Join(elem...))
	}
	return path
}

// moduleRoot returns the folder of go.mod: the tests of a package run in the package's folder.
func moduleRoot(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil || dir == filepath.Dir(dir) {
			return dir
		}
	}
}
