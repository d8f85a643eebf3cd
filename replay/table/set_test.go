package table

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"gpureplay/model"
)

// tree returns the files under dir, relative to it, sorted.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if !d.IsDir() {
			paths = append(paths, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(paths)
	return paths
}

func TestCommitLaysOutAllTables(t *testing.T) {
	for _, format := range Formats() {
		dir := t.TempDir()
		s := openFixture(t, dir, fixturePolicy, format)
		fill(s)
		for _, f := range tree(t, dir) {
			if !strings.HasPrefix(f, ".runs/") {
				t.Errorf("%s has its final name before the commit", f)
			}
		}
		if err := s.Commit(); err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, n := range Names() {
			want = append(want, home(n, format)+
				"/trace=bfs-graph%201%2F32/gpu=k20c/set=preset/policy=spawn%2Bdtbl%2Cthreshold%3D32/part-0."+format)
		}
		want = append(want, ".runs/"+s.key.id()+"/manifest.json")
		slices.Sort(want)
		if got := tree(t, dir); !slices.Equal(got, want) {
			t.Errorf("%s: files\n%s\nwant\n%s", format, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		s.Abort() // deferred by callers: must not undo the commit
		if got := tree(t, dir); len(got) != len(want) {
			t.Errorf("abort after commit removed files")
		}
	}
}

func TestAbortLeavesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	s := openFixture(t, dir, fixturePolicy, Parquet)
	fill(s)
	s.Abort()
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// An abort must keep an earlier run's tables.
func TestAbortKeepsFormerRun(t *testing.T) {
	dir := t.TempDir()
	s := openFixture(t, dir, fixturePolicy, Parquet)
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	before := tree(t, dir)
	s = openFixture(t, dir, fixturePolicy, Parquet)
	fill(s)
	s.Abort()
	if after := tree(t, dir); !slices.Equal(before, after) {
		t.Errorf("before %v\nafter %v", before, after)
	}
}

func TestUnwantedTablesCostNothing(t *testing.T) {
	s, err := Open(Options{Dir: t.TempDir(), Trace: "t", Policy: "p", GPU: "k20c", Tables: []string{"runs"}, ClockMHz: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Abort()
	o := s.Observer()
	var cta model.CTARecord
	if n := testing.AllocsPerRun(1000, func() { o.CTA(&cta) }); n != 0 {
		t.Errorf("%v allocations for a row that nobody wants", n)
	}
	if s.Samples() {
		t.Error("windows are asked for without a table of them")
	}
	with, err := Open(Options{Dir: t.TempDir(), Trace: "t", Policy: "p", GPU: "k20c", Tables: []string{"timeline"},
		ClockMHz: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer with.Abort()
	if !with.Samples() {
		t.Error("no windows for the timeline")
	}
}

func TestOpenRejects(t *testing.T) {
	good := Options{Dir: t.TempDir(), Trace: "t", Policy: "p", GPU: "k20c", ClockMHz: 1000}
	for _, c := range []struct {
		name string
		edit func(*Options)
		want string
	}{
		{"table", func(o *Options) { o.Tables = []string{"cta"} }, `no table is called "cta": choose from runs, `},
		{"format", func(o *Options) { o.Format = "orc" }, `unknown format "orc": choose from parquet, arrow, csv`},
		{"clock", func(o *Options) { o.ClockMHz = 0 }, "clock of 0 MHz"},
		{"trace", func(o *Options) { o.Trace = "" }, "the trace has no name"},
		{"policy", func(o *Options) { o.Policy = strings.Repeat("=", 100) }, "too long for a folder"},
		{"reserved key", func(o *Options) { o.Metadata = []KeyValue{{"trace", "x"}} }, `metadata key "trace"`},
		{"same key", func(o *Options) { o.Metadata = []KeyValue{{"a", "x"}, {"a", "y"}} }, `metadata key "a"`},
	} {
		opt := good
		c.edit(&opt)
		_, err := Open(opt)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want one line with %q", c.name, err, c.want)
		}
		if left := tree(t, good.Dir); len(left) > 0 {
			t.Errorf("%s: left behind %v", c.name, left)
		}
	}
}

// scarce is a disk that takes room bytes in all.
type scarce struct {
	room *int
	f    *os.File
}

func (s scarce) Write(p []byte) (int, error) {
	if len(p) > *s.room {
		n, _ := s.f.Write(p[:*s.room])
		*s.room = 0
		return n, &fs.PathError{Op: "write", Path: s.f.Name(), Err: syscall.ENOSPC}
	}
	*s.room -= len(p)
	return s.f.Write(p)
}

func (s scarce) Close() error { return s.f.Close() }

// At whatever byte the disk is full, the commit fails with one line that says so; earlier files stay, and nothing
// else does.
func TestFullDisk(t *testing.T) {
	for _, format := range Formats() {
		dir := t.TempDir()
		if err := openFixture(t, dir, "serial", format).Commit(); err != nil {
			t.Fatal(err)
		}
		before := tree(t, dir)
		for room := 0; ; room += 1999 {
			full := false
			t.Run(fmt.Sprintf("%s/%d", format, room), func(t *testing.T) {
				left := room
				s, err := openWith(Options{Dir: dir, Trace: fixtureTrace, Policy: "serial", GPU: "k20c", Format: format,
					Metadata: fixtureMetadata, ClockMHz: 1},
					func(path string) (io.WriteCloser, error) {
						f, err := os.Create(path)
						return scarce{&left, f}, err
					})
				if err == nil {
					fill(s)
					err = s.Commit()
				}
				if err == nil {
					return
				}
				full = true
				if !errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), "\n") {
					t.Errorf("error %v, want one line: no space left", err)
				}
				if after := tree(t, dir); !slices.Equal(before, after) {
					t.Errorf("left behind %v", after)
				}
			})
			if !full {
				break
			}
		}
	}
}

// A device that is full shows only when it is written to.
func TestFullDevice(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full")
	}
	s, err := openWith(Options{Dir: t.TempDir(), Trace: "t", Policy: "p", GPU: "k20c", ClockMHz: 1},
		func(string) (io.WriteCloser, error) { return os.OpenFile("/dev/full", os.O_WRONLY, 0) })
	if err != nil {
		t.Fatal(err)
	}
	fill(s)
	if err := s.Commit(); !errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v, want one line: no space left", err)
	}
}

// A set without tables must not touch an earlier run's tables.
func TestNoTables(t *testing.T) {
	dir := t.TempDir()
	if err := openFixture(t, dir, "serial", Parquet).Commit(); err != nil {
		t.Fatal(err)
	}
	before := tree(t, dir)
	s, err := Open(Options{Dir: dir, Trace: fixtureTrace, Policy: "serial", GPU: "k20c", Tables: []string{}, ClockMHz: 1})
	if err != nil {
		t.Fatal(err)
	}
	fill(s)
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	if after := tree(t, dir); !slices.Equal(before, after) {
		t.Errorf("before %v\nafter %v", before, after)
	}
}

// The error comes while the run goes on, not only at its end, behind it or not.
func TestFullDiskStopsEarly(t *testing.T) {
	fullDiskStops(t, func() bool { return false })
	fullDiskStops(t, func() bool { return true })
}

func fullDiskStops(t *testing.T, behind func() bool) {
	left := 1 << 10
	var told []error
	s, err := openWith(Options{Dir: t.TempDir(), Trace: "t", Policy: "p", GPU: "k20c", Tables: []string{"ctas"},
		ClockMHz: 1, Behind: behind,
		Failed: func(err error) { told = append(told, err) }},
		func(path string) (io.WriteCloser, error) {
			f, err := os.Create(path)
			return scarce{&left, f}, err
		})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Abort()
	o := s.Observer()
	cta := model.CTARecord{SM: 1}
	rows := 0
	for ; s.Err() == nil && rows < 1<<24; rows++ {
		cta.Start += int64(rows) * 7919 % 1000003
		o.CTA(&cta)
	}
	if !errors.Is(s.Err(), syscall.ENOSPC) {
		t.Fatalf("after %d rows: %v", rows, s.Err())
	}
	for range 2 * batchRows {
		o.CTA(&cta)
	}
	if len(told) != 1 || told[0] != s.Err() {
		t.Errorf("told %v", told)
	}
}

func TestUnwritableFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := Open(Options{Dir: file, Trace: "t", Policy: "p", GPU: "k20c", ClockMHz: 1})
	if err == nil || !strings.Contains(err.Error(), "cannot make the folder") || !strings.Contains(err.Error(), file) {
		t.Errorf("a file for a folder: %v", err)
	}
	if os.Getuid() == 0 {
		t.Skip("root may write anywhere")
	}
	dir := t.TempDir()
	os.Chmod(dir, 0o555)
	_, err = Open(Options{Dir: dir, Trace: "t", Policy: "p", GPU: "k20c", ClockMHz: 1})
	if !errors.Is(err, fs.ErrPermission) {
		t.Errorf("read-only folder: %v", err)
	}
}

func TestSegmentRoundTrip(t *testing.T) {
	for value, want := range map[string]string{
		"ppcs":          "policy=ppcs",
		"threshold=32":  "policy=threshold%3D32",
		"spawn+dtbl,x":  "policy=spawn%2Bdtbl%2Cx",
		"../a b/*?[%25": "policy=..%2Fa%20b%2F%2A%3F%5B%2525",
		"größe\x00\xff": "policy=gr%C3%B6%C3%9Fe%00%FF",
		"a-b_c.d":       "policy=a-b_c.d",
	} {
		got, err := segment("policy", value)
		if err != nil || got != want {
			t.Errorf("segment(%q) = %q, %v, want %q", value, got, err, want)
		}
		if key, back, ok := unsegment(got); !ok || key != "policy" || back != value {
			t.Errorf("unsegment(%q) = %q, %q, %v", got, key, back, ok)
		}
	}
}

// This expression matches the texts that engines misread.
func TestMisread(t *testing.T) {
	says := regexp.MustCompile(`^_*([-+]?[.]?[0-9][-+0-9._eE:TZ/ ]*|(?i:true|false|null|none|nan|-?inf|-?infinity|` +
		`__HIVE_DEFAULT_PARTITION__))$`)
	parts := []string{"_", "_", "-", "+", ".", "0", "7", "e", "T", "Z", "/", " ", ":", "x", "true", "False", "NULL",
		"none", "NaN", "inf",
		"INFINITY", "__HIVE_DEFAULT_PARTITION__", "ß"}
	random := rand.New(rand.NewPCG(1, 2))
	misreads := 0
	for range 100_000 {
		text := ""
		for range random.IntN(5) {
			text += parts[random.IntN(len(parts))]
		}
		want := says.MatchString(text)
		if got := misread(text); got != want {
			t.Fatalf("%q: %v, want %v", text, got, want)
		}
		if want {
			misreads++
		}
	}
	if misreads < 10_000 {
		t.Errorf("only %d of the texts are misread", misreads)
	}
}
