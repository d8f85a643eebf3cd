// Package converttest converts captures in tests.
package converttest

import (
	"path/filepath"
	"testing"

	"gpureplay/convert"
	"gpureplay/trace/container"
)

// Trace converts a capture and returns a reader of its trace, closed when the test ends.
func Trace(t testing.TB, capture string) *container.Reader {
	t.Helper()
	in, err := convert.Open(capture, nil)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "t.trace.zst")
	if err := convert.Run(t.Context(), in, "", path, convert.Options{Device: -1}); err != nil {
		t.Fatal(err)
	}
	r, err := container.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}
