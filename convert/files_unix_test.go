//go:build unix

package convert_test

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"gpureplay/convert"
	"gpureplay/convert/converttest"
)

// A process without files to open says so: it does not say that no format recognises the capture.
func TestOutOfFiles(t *testing.T) {
	path := converttest.Put(t, t.TempDir(), "x.json", "no capture at all")
	in, err := convert.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &was); err != nil {
		t.Skip(err)
	}
	next, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	low := was
	low.Cur = uint64(next.Fd()) + 1
	next.Close()
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &low); err != nil {
		t.Skip(err)
	}
	_, err = convert.Detect(in)
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &was); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(err, syscall.EMFILE) || errors.Is(err, convert.ErrUnknown) ||
		!strings.Contains(err.Error(), "too many open files; raise the limit") {
		t.Errorf("it says %v", err)
	}
}
