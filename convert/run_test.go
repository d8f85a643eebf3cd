package convert

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const smallKineto = `{"schemaVersion": 1, "traceEvents": [
	{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 2,
	 "args": {"device": 0, "stream": 7, "correlation": 1, "grid": [1,1,1], "block": [32,1,1], "registers per thread": ` +
	`16, "shared memory": 0}}]}`

// run converts text into target and returns the files of its folder after.
func run(t *testing.T, ctx context.Context, text, target string, opt Options) ([]string, error) {
	t.Helper()
	in, err := Open("-", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	err = Run(ctx, in, "kineto", target, opt)
	entries, dirErr := os.ReadDir(filepath.Dir(target))
	if dirErr != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

func TestRunWritesWhole(t *testing.T) {
	target := filepath.Join(t.TempDir(), "a.trace.zst")
	var told int64
	names, err := run(t, context.Background(), smallKineto, target, Options{Device: -1, Progress: func(done, _ int64) {
		told = done
	}})
	if err != nil || len(names) != 1 || names[0] != "a.trace.zst" {
		t.Fatalf("%q, %v", names, err)
	}
	if told != int64(len(smallKineto)) {
		t.Errorf("progress of %d bytes, want %d", told, len(smallKineto))
	}
	if info, err := os.Stat(target); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// A failure leaves the file that was there under the name, and nothing else.
func TestRunFailureLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "a.trace.zst")
	names, err := run(t, context.Background(), smallKineto[:100], target, Options{Device: -1})
	if err == nil || len(names) != 0 {
		t.Errorf("cut input: %q, %v", names, err)
	}
	if err := os.WriteFile(target, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	names, err = run(t, ctx, smallKineto, target, Options{Device: -1})
	if !errors.Is(err, context.Canceled) || len(names) != 1 {
		t.Errorf("cancelled: %q, %v", names, err)
	}
	if old, _ := os.ReadFile(target); string(old) != "old" {
		t.Errorf("the older file became %q", old)
	}
}

func TestRunTargets(t *testing.T) {
	dir := t.TempDir()
	if _, err := run(t, context.Background(), smallKineto, dir, Options{}); err == nil ||
		!strings.Contains(err.Error(), "folder") {
		t.Errorf("a folder: %v", err)
	}
	if _, err := run(t, context.Background(), smallKineto, filepath.Join(dir, "missing", "a"),
		Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing folder: %v", err)
	}
	source := filepath.Join(dir, "k.json")
	if err := os.WriteFile(source, []byte(smallKineto), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := Open(source, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := Run(context.Background(), in, "", source, Options{}); err == nil ||
		!strings.Contains(err.Error(), "capture itself") {
		t.Errorf("onto itself: %v", err)
	}
}
