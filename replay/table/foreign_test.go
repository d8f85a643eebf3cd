package table

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// plainText writes a JSON value as [Values.Text] does.
func plainText(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = plainText(v[i])
		}
		return "[" + strings.Join(parts, ",") + "]"
	case json.Number:
		if strings.ContainsAny(v.String(), ".e") {
			f, _ := v.Float64()
			return strconv.FormatFloat(f, 'g', -1, 64)
		}
		return v.String()
	}
	return fmt.Sprint(v)
}

// TestForeignFiles reads files of pandas, pyarrow and DuckDB, in several encodings, page sizes and compressions
// (testdata/foreign.py).
func TestForeignFiles(t *testing.T) {
	dir := t.TempDir()
	d := json.NewDecoder(bytes.NewReader(runPython(t, ".", "testdata/foreign.py", dir)))
	d.UseNumber()
	var wrote struct {
		Columns map[string][]any
		Files   []string
	}
	if err := d.Decode(&wrote); err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{}
	for name, values := range wrote.Columns {
		for _, v := range values {
			want[name] = append(want[name], plainText(v))
		}
	}
	if len(wrote.Files) != 9 {
		t.Errorf("files %v", wrote.Files)
	}
	for _, file := range wrote.Files {
		got, err := readAll(filepath.Join(dir, file), Limits{BatchRows: 1234})
		if err != nil {
			t.Error(err)
			continue
		}
		if len(got) != len(want) && file != "pandas.parquet" {
			t.Errorf("%s: %d columns, want %d", file, len(got), len(want))
		}
		for name, values := range got {
			if !slices.Equal(values, want[name]) {
				t.Errorf("%s, column %s: %d values %.80q, want %d %.80q", file, name, len(values), values, len(want[name]),
					want[name])
			}
		}
	}
	checkSkipped(t, filepath.Join(dir, "skipped.parquet"), want["kernel"])
	rows, err := readAll(filepath.Join(dir, "pandas.csv"), Limits{})
	if err != nil || !slices.Equal(rows["kernel"], want["kernel"]) || rows["name"][0] != "a,\"b\"\nc" {
		t.Errorf("pandas.csv: %v, %.80q", err, rows)
	}
}

func checkSkipped(t *testing.T, path string, kernels []string) {
	t.Helper()
	r, err := OpenReader(path, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got := r.Skipped(); !slices.Equal(got, []string{"place.x", "place.y", "words.list.element", "price", "key"}) {
		t.Errorf("skipped %q", got)
	}
	got, err := readAll(path, Limits{})
	if err != nil || len(got) != 1 || !slices.Equal(got["kernel"], kernels) {
		t.Errorf("beside what is skipped: %v, %d columns", err, len(got))
	}
}
