package table

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpureplay/model"
)

// expected returns testdata/expected.json: table, column, values as Go prints
// them, NULL as "NULL".
func expected(t testing.TB) map[string]map[string][]string {
	t.Helper()
	data, err := os.ReadFile("testdata/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var raw map[string]map[string][]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		t.Fatal(err)
	}
	want := map[string]map[string][]string{}
	for table, columns := range raw {
		want[table] = map[string][]string{}
		for name, values := range columns {
			for _, v := range values {
				text := strings.TrimSuffix(string(v), ".0")
				switch {
				case text == "null":
					text = "NULL"
				case text[0] == '"':
					if err := json.Unmarshal(v, &text); err != nil {
						t.Fatal(err)
					}
				case text[0] == '[':
					text = strings.ReplaceAll(text, " ", "")
				}
				want[table][name] = append(want[table][name], text)
			}
		}
	}
	return want
}

// listed are the tables whose values [expected] lists; another has a test of its
// own for them.
func listed(t testing.TB, want map[string]map[string][]string) []string {
	t.Helper()
	names := slices.DeleteFunc(Names(), func(name string) bool { return want[name] == nil })
	if len(names) != len(want) {
		t.Fatalf("of the tables that are expected there are only %v", names)
	}
	return names
}

// readAll returns the columns of a file as text.
func readAll(path string, lim Limits) (map[string][]string, error) {
	r, err := OpenReader(path, lim)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	got := map[string][]string{}
	for _, c := range r.Columns() {
		got[c.Name] = nil
	}
	for {
		b, err := r.Next()
		if err == io.EOF {
			return got, nil
		}
		if err != nil {
			return nil, err
		}
		for i, c := range b.Columns {
			for row := range b.Rows {
				text, ok := b.Values[i].Text(row)
				if !ok {
					text = "NULL"
				}
				got[c.Name] = append(got[c.Name], text)
			}
		}
	}
}

func writeFixture(t testing.TB, format string) string {
	t.Helper()
	dir := t.TempDir()
	s := openFixture(t, dir, fixturePolicy, format)
	fill(s)
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestReadBack(t *testing.T) {
	want := expected(t)
	for _, format := range []string{Parquet, CSV} {
		dir := writeFixture(t, format)
		for _, name := range listed(t, want) {
			parts, err := Find(dir, name)
			if err != nil || len(parts) != 1 || parts[0].Trace != fixtureTrace || parts[0].Policy != fixturePolicy {
				t.Fatalf("%s: found %v, %v", name, parts, err)
			}
			for _, rows := range []int{1, 2, 100} {
				got, err := readAll(parts[0].Path, Limits{BatchRows: rows})
				if err != nil {
					t.Fatal(err)
				}
				if len(got) != len(want[name]) {
					t.Errorf("%s: %d columns, want %d", name, len(got), len(want[name]))
				}
				for column, values := range want[name] {
					if format == CSV { // there, an empty text is NULL too
						values = slices.Clone(values)
						for i := range values {
							if values[i] == "" {
								values[i] = "NULL"
							}
						}
					}
					if !slices.Equal(got[column], values) {
						t.Errorf("%s.%s (%s, batches of %d): %q, want %q", name, column, format, rows, got[column], values)
					}
				}
			}
		}
	}
}

func TestReadMetadata(t *testing.T) {
	parts, err := Find(writeFixture(t, Parquet), "audit")
	if err != nil {
		t.Fatal(err)
	}
	r, err := OpenReader(parts[0].Path, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	want := []KeyValue{
		{"clock_mhz", "706"}, {"columns", `{"rule": "The rule.", "time_cycles": "When.", "what": "The violation."}`},
		{"config", "sm.count = 13\nname = \"k20c\"\n"}, {"gpu", "k20c"}, {"policy", fixturePolicy}, {"set", "preset"},
		{"table", "audit"}, {"trace", fixtureTrace},
		{"trace_hash", "a1b2"}, {"version", "v0.0.0-test"},
	}
	if got := r.Metadata(); !slices.Equal(got, want) {
		t.Errorf("metadata %q, want %q", got, want)
	}
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := r.Next(); err != io.EOF {
			t.Errorf("after the last batch: %v, want io.EOF", err)
		}
	}
}

func TestTypedAccess(t *testing.T) {
	for _, format := range []string{Parquet, CSV} {
		dir := writeFixture(t, format)
		parts, _ := Find(dir, "timeline")
		r, err := OpenReader(parts[0].Path, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		b, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if n, ok := b.Column("end_cycles").Int(2); n != 3072 || !ok {
			t.Errorf("%s: Int = %d, %v", format, n, ok)
		}
		if f, ok := b.Column("active_warps").Float(0); f != 3 || !ok {
			t.Errorf("%s: Float = %v, %v", format, f, ok)
		}
		if l, ok := b.Column("kernels").List(0); !ok || !slices.Equal(l, []int64{0, 4294967295}) {
			t.Errorf("%s: List = %v, %v", format, l, ok)
		}
		if b.Column("no_such") != nil {
			t.Errorf("%s: a column that is not there", format)
		}
	}
}

// Rows beyond a row group and lists across batches come back in order.
func TestManyRowGroups(t *testing.T) {
	const rows = 2*batchRows + 1234
	dir := t.TempDir()
	s, err := Open(Options{Dir: dir, Trace: "t", Policy: "p", GPU: "k20c", Tables: []string{"timeline"}, ClockMHz: 1})
	if err != nil {
		t.Fatal(err)
	}
	o := s.Observer()
	kernels := []uint32{1, 2, 3, 4, 5, 6, 7}
	for i := range rows {
		list := kernels[:i%8]
		o.Sample(&model.SampleRecord{Start: int64(i), End: int64(i) + 1, Kernels: list, PagesOwned: list, SMsHeld: list,
			CTAsFinished: list})
	}
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	parts, _ := Find(dir, "timeline")
	r, err := OpenReader(parts[0].Path, Limits{BatchRows: 1000})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	at := 0
	for {
		b, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		start, list := b.Column("start_cycles"), b.Column("ctas_finished")
		for i := range b.Rows {
			n, _ := start.Int(i)
			l, _ := list.List(i)
			if n != int64(at) || len(l) != at%8 || (len(l) > 0 && l[len(l)-1] != int64(len(l))) {
				t.Fatalf("row %d: start %d, list %v", at, n, l)
			}
			at++
		}
	}
	if at != rows {
		t.Errorf("%d rows, want %d", at, rows)
	}
}

// A damaged file is an error with the file's name, never a panic, an endless
// loop or a great allocation.
func TestDamagedParquet(t *testing.T) {
	parts, err := Find(writeFixture(t, Parquet), "timeline")
	if err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(parts[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.parquet")
	lim := Limits{ChunkBytes: 1 << 20}
	damaged := 0
	for bit := 0; bit < 8*len(good); bit += 13 {
		data := slices.Clone(good)
		data[bit/8] ^= 1 << (bit % 8)
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := readAll(path, lim); err != nil {
			damaged++
			if !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "runtime error") {
				t.Fatalf("bit %d: %v does not name the file, or is Go's own text", bit, err)
			}
		}
	}
	if damaged == 0 {
		t.Error("no damage was noticed")
	}
	for n := 0; n < len(good); n += 97 {
		os.WriteFile(path, good[:n], 0o666)
		if _, err := readAll(path, lim); err == nil {
			t.Errorf("cut to %d bytes: no error", n)
		}
	}
}

// A cut file is an error and no shorter table. This holds at the end of a line of CSV, and for a rest of Parquet so
// short that it could be CSV's first line.
func TestCutFileIsNotFound(t *testing.T) {
	for _, format := range []string{Parquet, CSV, Arrow} {
		dir := writeFixture(t, format)
		parts, err := Find(dir, "timeline")
		if err != nil {
			t.Fatal(err)
		}
		good, err := os.ReadFile(parts[0].Path)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{0, 1, bytes.LastIndexByte(good[:len(good)-1], '\n') + 1, len(good) - 1} {
			os.WriteFile(parts[0].Path, good[:n], 0o666)
			if _, err := Find(dir, "timeline"); err == nil || !strings.Contains(err.Error(), parts[0].Path+" has ") {
				t.Errorf("%s cut to %d of %d bytes: %v", format, n, len(good), err)
			}
		}
	}
}

func TestBadCSV(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]string{
		"":                             "is empty",
		"a,a\n1,2\n":                   "given twice",
		"a,\n1,2\n":                    "column 2 is empty",
		"a,b\n1\n":                     "line 2",
		"a\n\"" + longText:             "is a quote left open?",
		strings.Repeat("c,", 50) + "d": "more than 40",
		"ARROW1\x00\x00":               "--format=parquet",
	} {
		path := filepath.Join(dir, "x.csv")
		os.WriteFile(path, []byte(text), 0o666)
		_, err := readAll(path, Limits{Columns: 40, CellBytes: 1000})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%.20q: error %v, want one line with %q", text, err, want)
		}
	}
	if _, err := OpenReader(filepath.Join(dir, "none"), Limits{}); err == nil {
		t.Error("a file that is not there opens")
	}
}

var longText = fmt.Sprintf("%02000d", 7)

func FuzzReader(f *testing.F) {
	f.Add([]byte("a,b\n1,\"x\"\n"))
	for _, name := range []string{"audit", "timeline", "launches"} {
		parts, err := Find(writeFixture(f, Parquet), name)
		if err != nil {
			f.Fatal(err)
		}
		data, err := os.ReadFile(parts[0].Path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	path := filepath.Join(f.TempDir(), "x")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := readAll(path, Limits{ChunkBytes: 1 << 20, CellBytes: 1 << 16})
		if err != nil {
			return
		}
		rows := -1
		for name, values := range got {
			if rows >= 0 && len(values) != rows {
				t.Errorf("column %s has %d rows, another %d", name, len(values), rows)
			}
			rows = len(values)
		}
	})
}
