package table

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow/array"
	arrowmemory "github.com/apache/arrow/go/v15/arrow/memory"
)

// Sheet declares a file of rows R that is written and read alike: each of its
// fields serves both.
type Sheet[R any] struct {
	Name, Row, Order string
	Fields           func() []Field[R]
	Default          func() R // the row without cells; nil: the zero row
}

// Describe returns the description of the sheet.
func (s *Sheet[R]) Describe() Description {
	fields := s.Fields()
	d := Description{Name: s.Name, Row: s.Row, Order: s.Order, Columns: make([]Column, len(fields))}
	for i := range fields {
		d.Columns[i] = fields[i].Column
	}
	return d
}

// SheetWriter writes one sheet in batches.
type SheetWriter[R any] struct {
	file    *file
	rec     *array.RecordBuilder
	appends []func(*R)
	lists   []func() int // bytes of the columns of variable size
	rows    int
}

// File returns the name of the sheet's file in a format.
func (s *Sheet[R]) File(format string) string { return s.Name + "." + format }

// Create begins the file of the sheet in the folder stage. Errors name it by its place
// under dir. The caller ends it by Close or Abort.
func (s *Sheet[R]) Create(dir, stage, format string, meta []KeyValue) (*SheetWriter[R], error) {
	if encoders[format] == nil {
		return nil, fmt.Errorf("tables: unknown format %q: choose from %s", format, strings.Join(Formats(), ", "))
	}
	sch := arrowSchema(s.Describe().Columns, meta)
	f, err := createFile(filepath.Join(dir, s.File(format)), filepath.Join(stage, s.File(format)), format, sch,
		func(path string) (io.WriteCloser, error) { return os.Create(path) })
	if err != nil {
		return nil, err
	}
	w := &SheetWriter[R]{file: f, rec: array.NewRecordBuilder(arrowmemory.DefaultAllocator, sch)}
	f.flush = w.flush
	for i, field := range s.Fields() {
		b := w.rec.Field(i)
		w.appends = append(w.appends, field.bind(b, scope{}))
		if n := variableBytes(b); n != nil {
			w.lists = append(w.lists, n)
		}
	}
	return w, nil
}

// Append writes one row. It returns the error of the file.
func (w *SheetWriter[R]) Append(r *R) error {
	for _, f := range w.appends {
		f(r)
	}
	if w.rows++; w.rows == batchRows {
		return w.flush()
	}
	for _, n := range w.lists {
		if n() >= batchBytes {
			return w.flush()
		}
	}
	return nil
}

func (w *SheetWriter[R]) flush() error {
	if w.rows == 0 {
		return nil
	}
	rec := w.rec.NewRecord()
	defer rec.Release()
	w.rows = 0
	return w.file.write(rec)
}

// Close writes pending rows and closes the file. It returns the error of the file.
func (w *SheetWriter[R]) Close() error { return w.file.close() }

// Abort closes and removes the file.
func (w *SheetWriter[R]) Abort() { w.file.abort() }

// FindSheet returns the path of a sheet's file in a folder, Parquet or CSV; ""
// if there is none. Both are an error: which one is meant?
func FindSheet(dir, name string) (string, error) {
	found := ""
	for _, format := range []string{Parquet, CSV} {
		path := filepath.Join(dir, name+"."+format)
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			continue
		}
		if found != "" {
			return "", fmt.Errorf("tables: %s has %s both as parquet and as csv: remove one", dir, name)
		}
		found = path
	}
	return found, nil
}

// SheetReader reads the rows of one sheet, whatever the order of its columns.
type SheetReader[R any] struct {
	r       *Reader
	sheet   *Sheet[R]
	fields  []Field[R]
	values  []int // column of each field in a batch; -1: the file lacks it
	unknown []string
	batch   *Batch
	at      int    // next row of the batch
	row     uint64 // rows handed out
}

// Open opens a file of the sheet. It returns an error if the file is no table, or if a column has a wrong type.
func (s *Sheet[R]) Open(path string, lim Limits) (*SheetReader[R], error) {
	r, err := OpenReader(path, lim)
	if err != nil {
		return nil, err
	}
	sr := &SheetReader[R]{r: r, sheet: s, fields: s.Fields()}
	sr.values = make([]int, len(sr.fields))
	for i := range sr.values {
		sr.values[i] = -1
	}
	for c, col := range r.Columns() {
		if i := sr.field(col.Name); i >= 0 {
			sr.values[i] = c
		} else {
			sr.unknown = append(sr.unknown, col.Name)
		}
	}
	for _, name := range r.Skipped() {
		top, _, _ := strings.Cut(name, ".")
		if i := sr.field(top); i >= 0 {
			r.Close()
			return nil, fmt.Errorf("tables: %s: column %s has a type that is not read here: want %s", path, top,
				TypeText(sr.fields[i].Column))
		}
		sr.unknown = append(sr.unknown, name)
	}
	return sr, nil
}

func (s *SheetReader[R]) field(name string) int {
	return slices.IndexFunc(s.fields, func(f Field[R]) bool { return f.Name == name })
}

// Has reports whether the file has a column of the sheet.
func (s *SheetReader[R]) Has(column string) bool {
	i := s.field(column)
	return i >= 0 && s.values[i] >= 0
}

// Need returns an error that names the columns of the list which the file lacks.
func (s *SheetReader[R]) Need(columns ...string) error {
	var lacks []string
	for _, c := range columns {
		if !s.Has(c) {
			lacks = append(lacks, c)
		}
	}
	if lacks == nil {
		return nil
	}
	return fmt.Errorf("tables: %s lacks the column %s", s.r.path, strings.Join(lacks, ", "))
}

// Unknown returns the columns of the file that the sheet does not have.
func (s *SheetReader[R]) Unknown() []string { return s.unknown }

// Next reads the next row into r, or returns io.EOF. Errors name file, row and
// column. Lists are valid until the next call.
func (s *SheetReader[R]) Next(r *R) error {
	for s.batch == nil || s.at == s.batch.Rows {
		b, err := s.r.Next()
		if err != nil {
			return err
		}
		s.batch, s.at = b, 0
	}
	var zero R
	if *r = zero; s.sheet.Default != nil {
		*r = s.sheet.Default()
	}
	at := s.at
	s.at++
	s.row++
	for i, c := range s.values {
		if c < 0 || s.batch.Values[c].Null[at] {
			continue
		}
		if err := s.fields[i].load(&s.batch.Values[c], at, r); err != nil {
			return s.Errorf("column %s: %w", s.fields[i].Name, err)
		}
	}
	return nil
}

// Errorf makes an error about the row that was read last; rows count from 0, as
// pandas has them.
func (s *SheetReader[R]) Errorf(format string, args ...any) error {
	return fmt.Errorf("tables: %s, row %d: %w", s.r.path, max(s.row, 1)-1, fmt.Errorf(format, args...))
}

// Close closes the file and returns its error.
func (s *SheetReader[R]) Close() error { return s.r.Close() }
