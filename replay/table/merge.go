package table

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow/array"
	arrowmemory "github.com/apache/arrow/go/v15/arrow/memory"

	folders "gpureplay/internal/durable"
)

// Merged is one file that holds the rows of a table from many replays, with
// columns of keys in front that tell them apart.
type Merged struct {
	table   string
	format  string
	columns []Column // of the table, without those that are keys
	file    *file
	rec     *array.RecordBuilder
	sizes   []func() int
	rows    int
}

// Merge begins dir/TABLE.FORMAT under a partial name. A key that is called as a column of the table stands for that
// column. The caller adds the files and ends it by [CommitMerged] or Abort. It returns an error for an unknown table
// or format, or if the file cannot be made.
func Merge(dir, table, format string, keys []Column, meta []KeyValue) (*Merged, error) {
	if encoders[format] == nil {
		return nil, fmt.Errorf("tables: unknown format %q: choose from %s", format, strings.Join(Formats(), ", "))
	}
	at := slices.Index(Names(), table)
	if at < 0 {
		return nil, fmt.Errorf("tables: no table is called %q: choose from %s", table, strings.Join(Names(), ", "))
	}
	m := &Merged{table: table, format: format}
	for _, c := range Describe()[at].Columns {
		if !slices.ContainsFunc(keys, func(k Column) bool { return k.Name == c.Name }) {
			m.columns = append(m.columns, c)
		}
	}
	sch := arrowSchema(append(slices.Clone(keys), m.columns...), meta)
	name := table + "." + format
	f, err := createFile(filepath.Join(dir, name), filepath.Join(dir, folders.Partial(name)), format, sch,
		func(path string) (io.WriteCloser, error) { return os.Create(path) })
	if err != nil {
		return nil, err
	}
	f.flush = m.flush
	m.file, m.rec = f, array.NewRecordBuilder(arrowmemory.DefaultAllocator, sch)
	for _, b := range m.rec.Fields() {
		if n := variableBytes(b); n != nil {
			m.sizes = append(m.sizes, n)
		}
	}
	return m, nil
}

// Add appends the rows of a replay's file of the table, behind its keys, whose
// values are of the keys' types (int64, float64, bool or string); nil is NULL. It
// returns how many rows there were.
func (m *Merged) Add(ctx context.Context, path string, keys []any) (rows int, err error) {
	err = Each(ctx, path, func(b *Batch) error {
		rows += b.Rows
		return m.batch(path, b, keys)
	})
	return rows, err
}

// batch appends the rows of a batch.
func (m *Merged) batch(path string, b *Batch, keys []any) error {
	values := make([]*Values, len(m.columns))
	for i, c := range m.columns {
		if values[i] = b.Column(c.Name); values[i] == nil {
			return fmt.Errorf("tables: %s has no column %s: was it written by an older version?", path, c.Name)
		}
	}
	for row := range b.Rows {
		for i, k := range keys {
			appendAny(m.rec.Field(i), k)
		}
		for i, c := range m.columns {
			to := m.rec.Field(len(keys) + i)
			if !appendValue(to, values[i], row) {
				return fmt.Errorf("tables: %s, row %d: column %s is no %s", path, row, c.Name, c.Type)
			}
		}
		m.rows++
		if m.rows == batchRows || slices.ContainsFunc(m.sizes, func(n func() int) bool { return n() >= batchBytes }) {
			if err := m.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// appendAny appends a value, NULL if it is nil. A type that the builder does not
// have is a bug of the caller.
func appendAny(b array.Builder, value any) {
	switch v := value.(type) {
	case nil:
		b.AppendNull()
	case int64:
		b.(*array.Int64Builder).Append(v)
	case float64:
		b.(*array.Float64Builder).Append(v)
	case bool:
		b.(*array.BooleanBuilder).Append(v)
	default:
		appendString(b.(*array.StringBuilder), value.(string))
	}
}

// appendValue appends the value of a row; ok is false if it is not of the type
// of the builder.
func appendValue(b array.Builder, v *Values, row int) (ok bool) {
	if v.Null[row] {
		b.AppendNull()
		return true
	}
	switch b := b.(type) {
	case *array.BooleanBuilder:
		var t bool
		t, ok = v.Truth(row)
		b.Append(t)
	case *array.Float64Builder:
		var f float64
		f, ok = v.Float(row)
		b.Append(f)
	case *array.StringBuilder:
		var s string
		s, ok = v.Text(row)
		appendString(b, s)
	case *array.ListBuilder:
		var list []int64
		list, ok = v.List(row)
		b.Append(true)
		b.ValueBuilder().(*array.Int64Builder).AppendValues(list, nil)
	default:
		return appendInteger(b, v, row)
	}
	return ok
}

func appendInteger(b array.Builder, v *Values, row int) bool {
	n, signed := v.Int(row)
	u, unsigned := v.Uint(row)
	switch b := b.(type) {
	case *array.Uint8Builder:
		b.Append(uint8(u))
		return unsigned && u == uint64(uint8(u))
	case *array.Uint32Builder:
		b.Append(uint32(u))
		return unsigned && u == uint64(uint32(u))
	case *array.Uint64Builder:
		b.Append(u)
		return unsigned
	case *array.Int32Builder:
		b.Append(int32(n))
		return signed && n == int64(int32(n))
	case *array.Int64Builder:
		b.Append(n)
		return signed
	}
	panic(fmt.Sprintf("table: a column of type %T", b))
}

func (m *Merged) flush() error {
	if m.rows == 0 {
		return nil
	}
	rec := m.rec.NewRecord()
	defer rec.Release()
	m.rows = 0
	return m.file.write(rec)
}

// Close writes pending rows; the file keeps its partial name. It returns the error of the file.
func (m *Merged) Close() error { return m.file.close() }

// Abort closes and removes the partial file.
func (m *Merged) Abort() { m.file.abort() }
