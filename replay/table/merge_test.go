package table

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	folders "gpureplay/internal/durable"
)

var fixtureKeys = []Column{
	{Name: "cell", Type: String}, {Name: "gpu", Type: String}, {Name: "set_n", Type: Int64},
	{Name: "set_x", Type: Float64}, {Name: "set_on", Type: Bool},
}

// mergeFixture merges a table's file with itself, under two keys.
func mergeFixture(t *testing.T, from, name, format string) (path string, rows int) {
	t.Helper()
	parts, err := Find(from, name)
	if err != nil || len(parts) != 1 {
		t.Fatalf("%s: %v %v", name, parts, err)
	}
	temp, dir := t.TempDir(), t.TempDir()
	m, err := Merge(temp, name, format, fixtureKeys, []KeyValue{{"sweep", "text"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, keys := range [][]any{{"a1", "k20c", int64(-7), 0.5, true}, {"b2", "größe, \"x\"", int64(1) << 60, -1e300,
		false}} {
		if rows, err = m.Add(context.Background(), parts[0].Path, keys); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if err := CommitMerged(dir, []*Merged{m}); err != nil {
		t.Fatal(err)
	}
	m.Abort() // deferred by callers
	return filepath.Join(dir, name+"."+format), rows
}

// Every value of every table comes through a merge, behind the keys; a key that
// is called as a column stands for it.
func TestMerge(t *testing.T) {
	want, from := expected(t), writeFixture(t, Parquet)
	for _, name := range listed(t, want) {
		path, rows := mergeFixture(t, from, name, Parquet)
		got, err := readAll(path, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for column, values := range want[name] {
			if twice := append(slices.Clone(values), values...); !slices.Equal(got[column], twice) {
				t.Errorf("%s.%s: %q, want %q", name, column, got[column], twice)
			}
		}
		for column, keys := range map[string][2]string{"cell": {"a1", "b2"}, "gpu": {"k20c", "größe, \"x\""},
			"set_n": {"-7", "1152921504606846976"}, "set_x": {"0.5", "-1e+300"}, "set_on": {"true", "false"}} {
			if all := append(slices.Repeat(keys[:1], rows), slices.Repeat(keys[1:], rows)...); !slices.Equal(got[column], all) {
				t.Errorf("%s.%s: %q, want %q", name, column, got[column], all)
			}
		}
		if columns := len(want[name]) + len(fixtureKeys); len(got) != columns {
			t.Errorf("%s has %d columns, want %d", name, len(got), columns)
		}
	}
}

// A merge of the same files has the same bytes.
func TestMergeRepeats(t *testing.T) {
	from := writeFixture(t, Parquet)
	for _, format := range Formats() {
		path, _ := mergeFixture(t, from, "runs", format)
		again, _ := mergeFixture(t, from, "runs", format)
		a, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(again); err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: another merge of the same files differs (%v)", format, err)
		}
	}
}

func TestMergeOfWhatIsWrong(t *testing.T) {
	from, dir := writeFixture(t, Parquet), t.TempDir()
	if _, err := Merge(dir, "runz", Parquet, nil, nil); err == nil || !strings.Contains(err.Error(), "runs") {
		t.Errorf("an unknown table: %v", err)
	}
	if _, err := Merge(dir, "runs", "xml", nil, nil); err == nil || !strings.Contains(err.Error(), "parquet") {
		t.Errorf("an unknown format: %v", err)
	}
	m, err := Merge(dir, "runs", Parquet, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	parts, _ := Find(from, "audit")
	if _, err := m.Add(context.Background(), parts[0].Path, nil); err == nil ||
		!strings.Contains(err.Error(), "no column fidelity") {
		t.Errorf("a file of another table: %v", err)
	}
	parts, _ = Find(from, "runs")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Add(ctx, parts[0].Path, nil); err != context.Canceled {
		t.Errorf("after the end: %v", err)
	}
	m.Abort()
	if left := tree(t, dir); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

// Merged tables replace merged tables of any format, and a cut one is not a shorter table, in whichever format.
func TestCutMergedTable(t *testing.T) {
	from := writeFixture(t, Parquet)
	for _, format := range []string{Parquet, CSV} {
		path, _ := mergeFixture(t, from, "timeline", format)
		dir := filepath.Dir(path)
		if got, err := FindMerged(dir, "timeline"); err != nil || got != path {
			t.Fatalf("%s: %q, %v", format, got, err)
		}
		if files, wrong, err := Verify(dir); files != 1 || len(wrong) > 0 || err != nil {
			t.Errorf("%s: %d files, %q, %v", format, files, wrong, err)
		}
		good, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		os.WriteFile(path, good[:bytes.LastIndexByte(good[:len(good)-1], '\n')+1], 0o666)
		if _, err := FindMerged(dir, "timeline"); err == nil || !strings.Contains(err.Error(), path+" has ") {
			t.Errorf("%s: %v", format, err)
		}
		if _, wrong, err := Verify(dir); len(wrong) != 1 || err != nil {
			t.Errorf("%s: %q, %v", format, wrong, err)
		}
		again, _ := mergeFixture(t, from, "runs", format)
		m, err := Merge(t.TempDir(), "runs", Arrow, fixtureKeys, nil)
		if err == nil {
			err = m.Close()
		}
		if err == nil {
			err = CommitMerged(filepath.Dir(again), []*Merged{m})
		}
		if _, gone := os.Stat(again); err != nil || gone == nil {
			t.Errorf("%s: another format beside it stays: %v", format, err)
		}
	}
}

// What a killed process left of a manifest of merged tables is gone behind the next.
func TestMergedManifestOfTheKilled(t *testing.T) {
	from := writeFixture(t, Parquet)
	path, _ := mergeFixture(t, from, "runs", Parquet)
	dir := filepath.Dir(path)
	const noProcess = "-4194305-" // above the highest number of a process
	name := strings.Replace(folders.Partial(manifestName), fmt.Sprintf("-%d-", os.Getpid()), noProcess, 1)
	left := filepath.Join(dir, runsFolder, mergedRun, name)
	if err := os.WriteFile(left, []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	m, err := Merge(t.TempDir(), "runs", Parquet, fixtureKeys, nil)
	if err == nil {
		err = m.Close()
	}
	if err == nil {
		err = CommitMerged(dir, []*Merged{m})
	}
	if _, gone := os.Stat(left); err != nil || gone == nil {
		t.Errorf("%s stays: %v", name, err)
	}
}
