//go:build unix

package convert_test

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gpureplay/convert"
	"gpureplay/convert/converttest"
	"gpureplay/trace/tracetest"
)

// On a full disk nothing is left, not even part of a file. A process that may
// write files of 4 KiB plays the full disk.
func TestRunFullDisk(t *testing.T) {
	source := filepath.Join(tracetest.Data(t), "accelsim-rodinia-bfs-a100", "kernelslist.g")
	if dir := os.Getenv("REPLAY_TEST_FULL_DISK"); dir != "" {
		signal.Ignore(syscall.SIGXFSZ)
		var was syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
			t.Skip(err)
		}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 4 << 10, Max: was.Max}); err != nil {
			t.Skip(err)
		}
		defer syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was) // for the counters of coverage, written at the end
		in, err := convert.Open(source, nil)
		if err != nil {
			t.Fatal(err)
		}
		err = convert.Run(context.Background(), in, "", filepath.Join(dir, "a.trace.zst"), converttest.AnyDevice)
		if err == nil || !strings.Contains(err.Error(), "file too large") {
			t.Fatalf("no error of the disk: %v", err)
		}
		return
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestRunFullDisk$", "-test.v")
	cmd.Env = append(os.Environ(), "REPLAY_TEST_FULL_DISK="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%d files are left, %v", len(left), err)
	}
}
