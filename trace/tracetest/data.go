// Package tracetest helps tests of every other package: where real captures
// lie, and small traces from text.
package tracetest

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Data returns the path of a file or folder of the real captures, which lie
// beside the repository in ../shared/data (or where REPLAY_DATA says). The test
// is skipped where they do not.
func Data(t testing.TB, elem ...string) string {
	t.Helper()
	root := os.Getenv("REPLAY_DATA")
	if root == "" {
		_, file, _, _ := runtime.Caller(0)
		root = filepath.Join(filepath.Dir(file), "..", "..", "..", "shared", "data")
	}
	path := filepath.Join(append([]string{root}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("real capture %s is not here (set REPLAY_DATA to its folder)", filepath.Join(elem...))
	}
	return path
}
