package neutral

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpureplay/trace/tracetest"
)

// soon is a context that has ended when it has been asked a few times.
type soon struct {
	context.Context
	asked int
}

func (s *soon) Err() error {
	if s.asked++; s.asked > 4 {
		return context.Canceled
	}
	return nil
}

// Of several exports into one folder at once one wins with all its files; the others are refused before they touch
// anything. So they are where a complete former export lies.
func TestExportsAtOnce(t *testing.T) {
	r := tracetest.FromText(t, "launch k grid=1 block=32\ncta 0\nwarp 0\nint\nexit\n")
	dir := filepath.Join(t.TempDir(), "tables")
	for round := range 8 {
		formats := []string{"parquet", "csv", "parquet"}
		errs := make(chan error, len(formats))
		for _, format := range formats {
			go func() {
				_, err := Export(t.Context(), r, dir, format, nil)
				errs <- err
			}()
		}
		won := 0
		for range formats {
			if err := <-errs; err == nil {
				won++
			} else if !strings.Contains(err.Error(), "another replay is writing") {
				t.Error(err)
			}
		}
		files, _ := filepath.Glob(filepath.Join(dir, "[a-z]*"))
		if won == 0 || len(files) != len(Names()) {
			t.Fatalf("round %d: %d win, and the folder has %d of %d tables", round, won, len(files), len(Names()))
		}
	}
}

// An export that is stopped leaves nothing, and no folder that was not there.
func TestExportStopped(t *testing.T) {
	r := tracetest.FromText(t, "launch k grid=1 block=32\ncta 0\nwarp 0\nint\nexit\n")
	there, made := t.TempDir(), filepath.Join(t.TempDir(), "tables")
	for _, dir := range []string{there, made} {
		if _, err := Export(&soon{Context: context.Background()}, r, dir, "parquet", nil); !errors.Is(err, context.Canceled) {
			t.Fatalf("a stopped export says %v", err)
		}
	}
	if left, err := os.ReadDir(there); err != nil || len(left) > 0 {
		t.Errorf("in the folder that was there: %v, %v", left, err)
	}
	if _, err := os.Stat(made); !os.IsNotExist(err) {
		t.Errorf("the folder that it made is there: %v", err)
	}
}
