package table

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
)

// KeyValue is one entry of a file's metadata.
type KeyValue struct{ Key, Value string }

// Options say what a [Set] writes, and where.
type Options struct {
	Dir           string      // OUT: the folder above those of the tables; made if it is not there
	Trace, Policy string      // the hive keys
	Tables        []string    // of [Names]; nil: all
	Format        string      // of [Formats]; "": Parquet
	Metadata      []KeyValue  // put in every file, sorted by key, beside table, trace, policy and clock_mhz
	ClockMHz      float64     // of the SM, from which nanoseconds derive
	Failed        func(error) // called with the first error of writing a row, so that the run can stop; may be nil
}

// Set writes the tables of one replay: one trace under one policy. It is for
// one goroutine; sets of different replays may write at the same time.
//
// Rows go to partial files. [Set.Commit] gives them their final names, the one
// of the table runs last, after the former one was removed: where a row of runs
// is, all tables that go with it are complete.
type Set struct {
	opt     Options
	scope   scope
	want    map[string]bool
	files   []*file // in the order of Names
	folders []string
	locks   []*os.File // the folders, until the end
	opener  func(string) (io.WriteCloser, error)
	err     error // the first error; nothing is written after it
	done    bool
	feed    feed
}

// Open makes the folders and the partial files of the tables that are wanted. It
// fails where another set is writing the same trace and policy.
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
	for key, value := range map[string]string{"trace": opt.Trace, "policy": opt.Policy} {
		if _, err := segment(key, value); err != nil {
			return nil, err
		}
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
var reserved = []string{"table", "trace", "policy", "clock_mhz"}

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
func (s *Set) metadata(table string) []KeyValue {
	kvs := append(slices.Clone(s.opt.Metadata),
		KeyValue{"table", table}, KeyValue{"trace", s.opt.Trace}, KeyValue{"policy", s.opt.Policy},
		KeyValue{"clock_mhz", strconv.FormatFloat(s.opt.ClockMHz, 'g', -1, 64)})
	slices.SortFunc(kvs, func(a, b KeyValue) int { return strings.Compare(a.Key, b.Key) })
	return kvs
}

// folder returns the folder of a table's file.
func (s *Set) folder(table string) string {
	t, _ := segment("trace", s.opt.Trace)
	p, _ := segment("policy", s.opt.Policy)
	return filepath.Join(s.opt.Dir, table, t, p)
}

func part(format string) string { return "part-0." + format }

func (s *Set) create(table string, sch *arrow.Schema) (*file, error) {
	dir := s.folder(table)
	lock, err := claim(dir)
	if err != nil {
		return nil, err
	}
	s.locks = append(s.locks, lock)
	s.folders = append(s.folders, dir)
	f, err := createFile(dir, part(s.opt.Format), s.opt.Format, sch, s.opener)
	if err == nil {
		s.files = append(s.files, f)
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

// Commit writes what is pending, closes the files, removes what an earlier run
// of the same trace and policy left in any table, and renames the files to
// their final names. On an error nothing new is left and, unless removing or
// renaming itself failed, what was there before is untouched. A set without
// tables does nothing.
func (s *Set) Commit() error {
	if s.done {
		panic("table: a set is committed after its end")
	}
	for _, f := range s.files {
		if s.err == nil {
			s.err = f.close()
		}
	}
	if s.err == nil && len(s.files) > 0 {
		s.err = s.removeFormer()
	}
	if s.err != nil {
		s.Abort()
		return s.err
	}
	s.done = true
	defer s.release()
	for _, f := range slices.Backward(s.files) { // runs is the first
		if err := os.Rename(f.temp, f.final); err != nil && s.err == nil {
			s.err = fmt.Errorf("tables: cannot give a file its final name: %w", err)
			break
		}
	}
	if s.err != nil {
		for _, f := range s.files {
			os.Remove(f.temp)
			os.Remove(f.final)
		}
	}
	return s.err
}

// removeFormer removes the files of an earlier run, those of runs first.
func (s *Set) removeFormer() error {
	for _, table := range Names() {
		dir := s.folder(table)
		for _, format := range Formats() {
			err := os.Remove(filepath.Join(dir, part(format)))
			if err != nil && !os.IsNotExist(err) {
				return fmt.Errorf("tables: cannot replace an earlier run: %w", err)
			}
		}
		if !s.want[table] {
			s.prune(dir)
		}
	}
	return nil
}

// Abort closes and removes what was written. After Commit it does nothing, so
// that it may be deferred.
func (s *Set) Abort() {
	if s.done {
		return
	}
	s.done = true
	for _, f := range s.files {
		f.abort()
	}
	for _, dir := range s.folders {
		s.prune(dir)
	}
	s.release()
}

// release lets others write to the folders.
func (s *Set) release() {
	for _, f := range s.locks {
		f.Close() // nothing, of nil
	}
}

// prune removes a table's folders of this run if they are empty.
func (s *Set) prune(dir string) {
	for range 3 { // policy, trace, table
		if os.Remove(dir) != nil {
			return
		}
		dir = filepath.Dir(dir)
	}
}
