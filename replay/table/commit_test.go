package table

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// commitOf commits an empty set of a tool's version.
func commitOf(t *testing.T, dir, tool, format string, tables ...string) Outcome {
	t.Helper()
	s, err := Open(Options{Dir: dir, Trace: fixtureTrace, Policy: "crcs", GPU: "k20c", Tables: tables, Format: format,
		ClockMHz: 1,
		Metadata: []KeyValue{{"tool_version", tool}, {"trace_hash", "a1b2"}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	return s.Outcome()
}

// left returns the tables in a folder, without their keys and part names.
func left(t *testing.T, dir string) []string {
	var all []string
	for _, f := range tree(t, dir) {
		if at := strings.Index(f, "/trace="); at > 0 {
			all = append(all, f[:at])
		}
	}
	return all
}

// A repeated run replaces the tables that were requested, and leaves the others, whatever their format. Tables of
// another version of the tool are removed, and it says so. The runs of other policies stay.
func TestRerunReplaces(t *testing.T) {
	durable = true
	defer func() { durable = false }()
	dir := t.TempDir()
	for _, c := range []struct {
		tool, format string
		tables       []string
		want         []string
		dropped      int
	}{
		{"v1", Parquet, []string{"runs", "kernels", "ctas"}, []string{"ctas", "kernels", "runs"}, 0},
		{"v1", Parquet, []string{"runs"}, []string{"ctas", "kernels", "runs"}, 0},
		{"v1", CSV, []string{"runs", "pages"}, []string{"csv/pages", "csv/runs", "ctas", "kernels", "runs"}, 0},
		{"v2", CSV, []string{"runs"}, []string{"csv/runs"}, 4},
		{"v2", Arrow, []string{"runs"}, []string{"arrow/runs", "csv/runs"}, 0},
		{"v3", Parquet, []string{"runs"}, []string{"runs"}, 2},
	} {
		outcome := commitOf(t, dir, c.tool, c.format, c.tables...)
		if got := left(t, dir); !slices.Equal(got, c.want) || len(outcome.Dropped) != c.dropped {
			t.Errorf("%s, %s, %v: left %v and dropped %v, want %v and %d", c.tool, c.format, c.tables, got, outcome.Dropped,
				c.want, c.dropped)
		}
		if files, wrong, err := Verify(dir); files != len(c.want) || wrong != nil || err != nil {
			t.Errorf("%d files, wrong %v, %v", files, wrong, err)
		}
	}
	if err := openFixture(t, dir, "serial", Parquet).Commit(); err != nil {
		t.Fatal(err)
	}
	if got := left(t, dir); len(got) != len(Names())+1 {
		t.Errorf("beside another policy: %v", got)
	}
}

// Machine and settings of the machine or the trace tell runs apart.
func TestKeysAreApart(t *testing.T) {
	dir := t.TempDir()
	var want []Key
	for _, k := range []Key{{"007", "k20c", "", "p"}, {"7", "k20c", "", "p"}, {"7", "a100", "", "p"},
		{"7", "a100", "sm.count=8,l2.ways=4", "p"}, {"_7", "1e3", "2024-01-01", "null"}} {
		s, err := Open(Options{Dir: dir, Trace: k.Trace, GPU: k.GPU, Set: k.Set, Policy: k.Policy,
			Tables: []string{"runs"}, ClockMHz: 1})
		if err != nil {
			t.Fatal(err)
		}
		s.Run(&Run{})
		if err := s.Commit(); err != nil {
			t.Fatal(err)
		}
		want = append(want, k)
	}
	slices.SortFunc(want, Key.Compare)
	parts, err := Find(dir, "runs")
	if err != nil {
		t.Fatal(err)
	}
	var got []Key
	for _, p := range parts {
		got = append(got, p.Key)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A commit that is interrupted after its rename, at whatever file, is completed by
// who comes next; before it the former run is whole.
func TestInterruptedCommit(t *testing.T) {
	for moved := range 4 {
		dir := t.TempDir()
		commitOf(t, dir, "v1", Parquet, "runs", "ctas")
		s, err := Open(Options{Dir: dir, Trace: fixtureTrace, Policy: "crcs", GPU: "k20c",
			Tables: []string{"runs", "kernels", "pages"}, ClockMHz: 1,
			Metadata: []KeyValue{{"tool_version", "v2"}, {"trace_hash", "a1b2"}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range s.files {
			if err := f.finish(); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.settle(); err != nil {
			t.Fatal(err)
		}
		s.release() // here the process is killed, with some files moved
		for _, e := range s.entries[:moved] {
			to := filepath.Join(dir, e.Path)
			os.MkdirAll(filepath.Dir(to), 0o777)
			if err := os.Rename(filepath.Join(s.run, committed, e.Table+"."+e.Format), to); err != nil {
				t.Fatal(err)
			}
		}
		parts, err := Find(dir, "runs")
		if err != nil || len(parts) != 1 {
			t.Fatalf("%v, %v", parts, err)
		}
		if got := left(t, dir); !slices.Equal(got, []string{"kernels", "pages", "runs"}) {
			t.Errorf("%d moved: %v", moved, got)
		}
		if files, wrong, err := Verify(dir); files != 3 || wrong != nil || err != nil {
			t.Errorf("%d moved: %d files, wrong %v, %v", moved, files, wrong, err)
		}
		if got := tree(t, filepath.Join(dir, ".runs")); len(got) != 1 {
			t.Errorf("%d moved: left behind %v", moved, got)
		}
	}
}

// A run that was cut off takes no complete one's place, and a complete one takes its.
func TestIncompleteRun(t *testing.T) {
	dir := t.TempDir()
	for i, c := range []struct{ cut, kept, incomplete bool }{{true, false, true}, {true, false, true},
		{false, false, false},
		{true, true, false}} {
		s := openFixture(t, dir, "serial", Parquet)
		if c.cut {
			s.Incomplete()
		}
		if err := s.Commit(); err != nil {
			t.Fatal(err)
		}
		all, err := Manifests(dir)
		if err != nil || len(all) != 1 || all[0].Incomplete != c.incomplete || s.Outcome().Kept != c.kept {
			t.Errorf("%d: %v, %v, kept %v", i, all, err, s.Outcome().Kept)
		}
	}
}

// Another trace of a name that the folder has gets a name of its own.
func TestTraceName(t *testing.T) {
	dir := t.TempDir()
	commitOf(t, dir, "v1", Parquet, "runs")
	for hash, want := range map[string]string{"a1b2": fixtureTrace, "0123456789": fixtureTrace + "~01234567"} {
		if got, err := TraceName(dir, fixtureTrace, hash); got != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", hash, got, err, want)
		}
	}
	if got, err := TraceName(filepath.Join(dir, "none"), "t", "1"); got != "t" || err != nil {
		t.Errorf("no folder: %q, %v", got, err)
	}
}

// A file that is not as it was written is told.
func TestVerify(t *testing.T) {
	dir := t.TempDir()
	commitOf(t, dir, "v1", CSV, "runs", "ctas", "pages")
	for name, change := range map[string]func([]byte) []byte{
		"runs": func([]byte) []byte { return nil },
		"ctas": func(b []byte) []byte { b[0]++; return b },
	} {
		parts, err := Find(dir, name)
		if err != nil || len(parts) != 1 {
			t.Fatal(parts, err)
		}
		whole, err := os.ReadFile(parts[0].Path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(parts[0].Path, change(whole), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	files, wrong, err := Verify(dir)
	if files != 3 || len(wrong) != 2 || err != nil {
		t.Errorf("%d files, wrong %v, %v", files, wrong, err)
	}
}
