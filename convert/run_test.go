package convert_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpureplay/convert"
	"gpureplay/convert/converttest"
)

// run converts text into target and returns the files of its folder after.
func run(t *testing.T, ctx context.Context, text, target string, opt convert.Options) ([]string, error) {
	t.Helper()
	in, err := convert.Open("-", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	err = convert.Run(ctx, in, "kineto", target, opt)
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
	names, err := run(t, context.Background(), converttest.SmallKineto, target, convert.Options{Device: -1,
		Progress: func(done, _ int64) {
			told = done
		}})
	if err != nil || len(names) != 1 || names[0] != "a.trace.zst" {
		t.Fatalf("%q, %v", names, err)
	}
	if told != int64(len(converttest.SmallKineto)) {
		t.Errorf("progress of %d bytes, want %d", told, len(converttest.SmallKineto))
	}
	if info, err := os.Stat(target); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// A failure leaves the file that was there under the name, and nothing else.
func TestRunFailureLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "a.trace.zst")
	names, err := run(t, context.Background(), converttest.SmallKineto[:100], target, convert.Options{Device: -1})
	if err == nil || len(names) != 0 {
		t.Errorf("cut input: %q, %v", names, err)
	}
	if err := os.WriteFile(target, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	names, err = run(t, ctx, converttest.SmallKineto, target, convert.Options{Device: -1})
	if !errors.Is(err, context.Canceled) || len(names) != 1 {
		t.Errorf("cancelled: %q, %v", names, err)
	}
	if old, _ := os.ReadFile(target); string(old) != "old" {
		t.Errorf("the older file became %q", old)
	}
}

func TestRunTargets(t *testing.T) {
	dir := t.TempDir()
	if _, err := run(t, context.Background(), converttest.SmallKineto, dir, convert.Options{}); err == nil ||
		!strings.Contains(err.Error(), "folder") {
		t.Errorf("a folder: %v", err)
	}
	if _, err := run(t, context.Background(), converttest.SmallKineto, filepath.Join(dir, "missing", "a"),
		convert.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing folder: %v", err)
	}
	source := filepath.Join(dir, "k.json")
	if err := os.WriteFile(source, []byte(converttest.SmallKineto), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := convert.Open(source, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := convert.Run(context.Background(), in, "", source, convert.Options{}); err == nil ||
		!strings.Contains(err.Error(), "capture itself") {
		t.Errorf("onto itself: %v", err)
	}
}
