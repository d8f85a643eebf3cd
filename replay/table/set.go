package table

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"
)

// KeyValue is one entry of a file's metadata.
type KeyValue struct{ Key, Value string }

// Options say which tables a [Set] writes, and where.
type Options struct {
	Dir           string   // OUT: the folder above the tables' folders; made if missing
	Trace, Policy string   // of the run's [Key], as the two that follow
	GPU, Set      string   // name of the machine; its and the trace's settings, "": none
	Tables        []string // of [Names]; nil: all
	Format        string   // of [Formats]; "": Parquet
	// put in every file, sorted by key, beside its own (see docs/tables.md); trace_hash and tool_version decide whether
	// a former run's files stay
	Metadata []KeyValue
	ClockMHz float64     // of the SM, from which nanoseconds derive
	Behind   func() bool // whether a processor is free to encode rows while the caller goes on; nil: none is
	Claims   *Claims     // of runs that the caller holds already; nil: none
	Failed   func(error) // called with the first error of writing a row, so that the run can stop; may be nil
}

// Set writes the tables of one replay: one trace under one policy. It is for
// one goroutine; sets of different replays may write at the same time.
//
// Rows go to a folder that engines do not see. [Set.Commit] makes them the run's
// by one rename, and then moves each file to its place.
type Set struct {
	opt     Options
	key     Key
	run     string // folder of the run's manifest
	scope   scope
	want    map[string]bool
	files   []*file // in the order of Names
	entries []ManifestEntry
	lock    *os.File  // of the run, until the end
	next    *Manifest // of the committed run
	opener  func(string) (io.WriteCloser, error)
	err     error // the first error; nothing is written after it
	done    bool
	cut     bool
	outcome Outcome
	feed    feed
	encodes sync.Mutex // held by who encodes a batch behind the caller
}

// Outcome lists the side effects of a commit.
type Outcome struct {
	Dropped []string // files of a former run that belong to another version of the tool or of the trace, and are gone
	Kept    bool     // the run was cut off, and a complete one was there: nothing was written
}

// Open makes the folders and the partial files of the tables that are wanted. It
// fails where another set is writing the same run.
// The caller ends the set by [Set.Commit] or [Set.Abort].
func Open(opt Options) (*Set, error) {
	return openWith(opt, func(path string) (io.WriteCloser, error) { return os.Create(path) })
}

func openWith(opt Options, create func(string) (io.WriteCloser, error)) (*Set, error) {
	if opt.Format == "" {
		opt.Format = Parquet
	}
	if err := Check(opt.Tables, opt.Format); err != nil {
		return nil, err
	}
	s := &Set{opt: opt, opener: create, want: wanted(opt.Tables)}
	var err error
	if s.scope.clock, err = NewClock(opt.ClockMHz); err != nil {
		return nil, err
	}
	if err := checkMetadata(opt.Metadata); err != nil {
		return nil, err
	}
	s.key = Key{opt.Trace, opt.GPU, opt.Set, opt.Policy}
	if len(s.want) == 0 {
		return s, nil
	}
	if s.opt.Dir == "" {
		s.opt.Dir = "."
	}
	if _, err := s.key.path(); err != nil {
		return nil, err
	}
	if err := s.take(); err != nil {
		s.Abort()
		return nil, err
	}
	for _, name := range Names() {
		if s.want[name] && s.err == nil {
			s.err = tables[name].open(s)
		}
	}
	if s.err != nil {
		s.Abort()
		return nil, s.err
	}
	return s, nil
}

// reserved are the keys that every file has of its own.
var reserved = []string{"table", "trace", "gpu", "set", "policy", "clock_mhz", "columns"}

func checkMetadata(kvs []KeyValue) error {
	seen := map[string]bool{}
	for _, kv := range kvs {
		if kv.Key == "" || seen[kv.Key] || slices.Contains(reserved, kv.Key) {
			return fmt.Errorf("tables: metadata key %q is empty, given twice or taken", kv.Key)
		}
		seen[kv.Key] = true
	}
	return nil
}

// metadata returns the key-values of a table's file.
func (s *Set) metadata(t Description) []KeyValue {
	kvs := append(slices.Clone(s.opt.Metadata), KeyValue{"table", t.Name},
		KeyValue{"clock_mhz", strconv.FormatFloat(s.opt.ClockMHz, 'g', -1, 64)},
		KeyValue{"columns", describeColumns(t.Columns)})
	for i, v := range s.key.values() {
		kvs = append(kvs, KeyValue{hiveKeys[i], v})
	}
	slices.SortFunc(kvs, func(a, b KeyValue) int { return strings.Compare(a.Key, b.Key) })
	return kvs
}

// describeColumns is the text of each column as a JSON object, in their order.
func describeColumns(columns []Column) string {
	var b strings.Builder
	for i, c := range columns {
		name, _ := json.Marshal(c.Name)
		doc, _ := json.Marshal(c.Doc)
		fmt.Fprintf(&b, "%s%s: %s", map[bool]string{true: "{", false: ", "}[i == 0], name, doc)
	}
	return b.String() + "}"
}

// note returns the caller's value under a key of the files' metadata.
func (s *Set) note(key string) string {
	for _, kv := range s.opt.Metadata {
		if kv.Key == key {
			return kv.Value
		}
	}
	return ""
}

// take claims the run's folder, completes committed files there, and removes others.
func (s *Set) take() (err error) {
	run := runFolder(s.opt.Dir, s.key)
	if s.lock, err = s.opt.Claims.take(run); err != nil {
		return fmt.Errorf("tables: %w", err) // files of another writer are not touched
	}
	s.run = run
	if s.lock == nil {
		return nil // creating a file says why
	}
	if err := os.RemoveAll(s.stage()); err != nil {
		return fmt.Errorf("tables: cannot remove the files of an interrupted run: %w", err)
	}
	if _, err := os.Stat(filepath.Join(s.run, committed)); err == nil {
		if err := advance(s.opt.Dir, s.run); err != nil {
			return err
		}
	}
	former, err := readManifest(filepath.Join(s.run, manifestName))
	if err == nil && former != nil && former.TraceHash != s.note("trace_hash") {
		err = fmt.Errorf("tables: %s has a run of another trace called %s: name another folder", s.opt.Dir, s.key.Trace)
	}
	return err
}

// stage is the folder that the files are written to.
func (s *Set) stage() string { return filepath.Join(s.run, stagedName) }

func (s *Set) create(table string, sch *arrow.Schema) (*file, error) {
	run, err := s.key.path()
	if err != nil {
		return nil, err
	}
	at := place(table, s.opt.Format, run)
	temp := filepath.Join(s.stage(), table+"."+s.opt.Format)
	f, err := createFile(filepath.Join(s.opt.Dir, filepath.FromSlash(at)), temp, s.opt.Format, sch, s.opener)
	if err == nil {
		s.files = append(s.files, f)
		s.entries = append(s.entries, ManifestEntry{Table: table, Format: s.opt.Format, Path: at})
	}
	return f, err
}

// Err returns the first error of writing. Commit returns it in any case.
func (s *Set) Err() error { return s.err }

// fail keeps the first error of writing a row.
func (s *Set) fail(err error) {
	if err != nil && s.err == nil {
		s.err = err
		if s.opt.Failed != nil {
			s.opt.Failed(err)
		}
	}
}

// Incomplete marks the run as cut off: its tables are of its beginning. It never takes the place of a complete one.
func (s *Set) Incomplete() { s.cut = true }

// Commit writes pending rows, durably, in place of an earlier run of the same key. Tables of that run that were not
// requested again stay if the same version of the tool made them of the same trace. Else they go, and [Set.Outcome]
// lists them. On an error before the commit nothing new is left and earlier tables are untouched. A set without
// tables does nothing.
func (s *Set) Commit() error {
	if s.done {
		panic("table: a set is committed after its end")
	}
	s.finish()
	if s.err == nil && len(s.files) > 0 {
		s.err = s.settle()
	}
	if s.err != nil || s.outcome.Kept || len(s.files) == 0 {
		s.Abort()
		return s.err
	}
	s.done = true
	defer s.release()
	s.err = move(s.opt.Dir, s.run, s.next, s.outcome.Dropped)
	return s.err
}

// finish writes all pending rows: file by file, or, where a processor is free, side by side,
// the last one here: this stack has grown.
func (s *Set) finish() {
	errs := make([]error, len(s.files))
	var all sync.WaitGroup
	behind := s.opt.Behind != nil && s.opt.Behind()
	for i, f := range s.files {
		switch {
		case s.err != nil:
		case behind && i < len(s.files)-1:
			all.Go(func() { errs[i] = f.finish() })
		default:
			s.err = f.finish()
		}
	}
	all.Wait()
	for _, err := range errs {
		s.err = cmp.Or(s.err, err)
	}
}

// settle makes the files, their manifest and the folder that holds them durable, in
// whatever order, and commits by one rename.
func (s *Set) settle() error {
	for i, f := range s.files {
		s.entries[i].Bytes, s.entries[i].SHA256 = f.out.bytes, hex.EncodeToString(f.out.hash.Sum(nil))
	}
	if err := s.manifest(); err != nil || s.outcome.Kept {
		return err
	}
	errs := make([]error, len(s.files), len(s.files)+1)
	var all sync.WaitGroup
	for i, f := range s.files {
		all.Go(func() { errs[i] = f.settle() })
	}
	err := writeManifest(filepath.Join(s.stage(), manifestName), s.next)
	syncFolder(s.stage())
	all.Wait()
	for _, err := range append(errs, err) {
		if err != nil {
			return err
		}
	}
	if err := os.Rename(s.stage(), filepath.Join(s.run, committed)); err != nil {
		return fmt.Errorf("tables: cannot commit the run: %w", err)
	}
	syncFolder(s.run)
	return nil
}

// manifest makes the new manifest, with the former run's remaining files.
func (s *Set) manifest() error {
	next := &Manifest{Trace: s.key.Trace, GPU: s.key.GPU, Set: s.key.Set, Policy: s.key.Policy,
		TraceHash: s.note("trace_hash"), Tool: s.note("tool_version"), Incomplete: s.cut, Files: s.entries}
	former, err := readManifest(filepath.Join(s.run, manifestName))
	if err != nil {
		return err
	}
	if s.outcome.Kept = s.cut && former != nil && !former.Incomplete; s.outcome.Kept {
		return nil
	}
	if former != nil && former.Tool == next.Tool && !former.Incomplete && !s.cut {
		for _, e := range former.Files {
			_, err := os.Stat(filepath.Join(s.opt.Dir, filepath.FromSlash(e.Path)))
			if err == nil && !slices.ContainsFunc(s.entries, func(x ManifestEntry) bool { return x.Path == e.Path }) {
				next.Files = append(next.Files, e)
			}
		}
	}
	order := Names()
	slices.SortStableFunc(next.Files, func(a, b ManifestEntry) int {
		return slices.Index(order, a.Table) - slices.Index(order, b.Table)
	})
	s.next = next
	s.outcome.Dropped, err = leftBehind(s.opt.Dir, next)
	return err
}

// leftBehind returns the files at a run's places that a manifest does not name.
func leftBehind(out string, m *Manifest) ([]string, error) {
	run, err := m.key().path()
	if err != nil {
		return nil, err
	}
	there, err := homes(out)
	if err != nil {
		return nil, err
	}
	var left []string
	for _, name := range Names() {
		for _, format := range Formats() {
			if !there[home(name, format)] {
				continue
			}
			at := place(name, format, run)
			_, err := os.Stat(filepath.Join(out, filepath.FromSlash(at)))
			if err == nil && !slices.ContainsFunc(m.Files, func(e ManifestEntry) bool { return e.Path == at }) {
				left = append(left, at)
			}
		}
	}
	return left, nil
}

// Outcome returns the side effects of a commit.
func (s *Set) Outcome() Outcome { return s.outcome }

// Abort closes and removes the written files. After Commit it does nothing, so that it may be deferred.
func (s *Set) Abort() {
	if s.done {
		return
	}
	s.done = true
	for _, f := range s.files {
		f.abort()
	}
	if s.run != "" {
		os.RemoveAll(s.stage())
		prune(s.run, 2) // and .runs
	}
	s.release()
}

// release lets others write the run.
func (s *Set) release() {
	if s.lock != nil {
		s.lock.Close()
		s.lock = nil
	}
}
