package table

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
)

// Limits bound a [Reader]'s input. Zero values stand for the defaults.
type Limits struct {
	Columns    int   // of a file; default 4096
	BatchRows  int   // rows of a batch; default 8192
	CellBytes  int   // of a text or, eight for each value, of a list; default 16 MiB
	ChunkBytes int64 // of a column in a row group of Parquet, and of one allocation for it; default 1 GiB
}

func (l Limits) withDefaults() Limits {
	if l.Columns <= 0 {
		l.Columns = 4096
	}
	if l.BatchRows <= 0 {
		l.BatchRows = 8192
	}
	if l.CellBytes <= 0 {
		l.CellBytes = 16 << 20
	}
	if l.ChunkBytes <= 0 {
		l.ChunkBytes = 1 << 30
	}
	return l
}

// Batch holds some rows of a file, in its order, column by column. It is valid
// until the next one is read.
type Batch struct {
	Rows    int
	Columns []Column
	Values  []Values // one for each column
}

// Column returns the values of the column of that name, or nil if there is none.
func (b *Batch) Column(name string) *Values {
	for i := range b.Columns {
		if b.Columns[i].Name == name {
			return &b.Values[i]
		}
	}
	return nil
}

// decoder reads one format. Its methods may panic on a damaged file.
type decoder interface {
	columns() []Column
	metadata() []KeyValue
	next(*Batch) error // fills an empty batch with at most Limits.BatchRows rows; io.EOF
}

// Reader reads a file of a table, or any flat Parquet or CSV file, in batches.
type Reader struct {
	path    string
	f       *os.File
	dec     decoder
	batch   Batch
	skipped []string
	err     error
}

// OpenReader opens a Parquet file, or else a CSV file whose first line names the columns; the content decides, not
// the name. Columns of Parquet that have no [Type] are left out ([Reader.Skipped]). Close the reader. It returns an
// error if the file is neither, or beyond the limits.
func OpenReader(path string, lim Limits) (*Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	r := &Reader{path: path, f: f}
	if err := r.guard(func() error { return r.open(lim.withDefaults()) }); err != nil {
		f.Close()
		return nil, err
	}
	r.batch.Columns = r.dec.columns()
	r.batch.Values = make([]Values, len(r.batch.Columns))
	for i, c := range r.batch.Columns {
		r.batch.Values[i].Type = c.Type
	}
	return r, nil
}

func (r *Reader) open(lim Limits) (err error) {
	var magic [6]byte
	n, err := r.f.ReadAt(magic[:], 0)
	if err != nil && err != io.EOF {
		return err
	}
	switch head := string(magic[:n]); {
	case n >= 4 && head[:4] == "PAR1":
		r.dec, r.skipped, err = openParquet(r.f, lim)
	case head == "ARROW1":
		return fmt.Errorf("is an Arrow IPC file, which has no checksums: write the tables with --format=parquet to " +
			"read them here")
	default:
		r.dec, err = openCSV(r.f, lim)
	}
	return err
}

// guard runs a step of a decoder and turns its panics into errors: the Parquet
// library panics on most damaged files. It is the one place that does so.
func (r *Reader) guard(step func() error) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case runtime.Error: // the library's own words would say nothing to a user
			err = errors.New("is damaged: its parts contradict each other")
		default:
			err = fmt.Errorf("is damaged: %v", p)
		}
		if err != nil && err != io.EOF {
			err = fmt.Errorf("tables: %s: %w", r.path, err)
		}
	}()
	return step()
}

// Columns returns the columns that are read. In a CSV file all are text.
func (r *Reader) Columns() []Column { return r.batch.Columns }

// Skipped returns the names of the columns that are left out.
func (r *Reader) Skipped() []string { return r.skipped }

// Metadata returns the key-values of the file, in its order.
func (r *Reader) Metadata() []KeyValue { return r.dec.metadata() }

// KeyValues returns the key-values of the table file at path; its errors name it.
func KeyValues(path string) (map[string]string, error) {
	r, err := OpenReader(path, Limits{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	all := map[string]string{}
	for _, kv := range r.Metadata() {
		all[kv.Key] = kv.Value
	}
	return all, nil
}

// Next returns the next rows, or io.EOF after the last. Any other error names the file's fault, and stays.
func (r *Reader) Next() (*Batch, error) {
	if r.err != nil {
		return nil, r.err
	}
	r.batch.Rows = 0
	for i := range r.batch.Values {
		r.batch.Values[i].reset()
	}
	if r.err = r.guard(func() error { return r.dec.next(&r.batch) }); r.err != nil {
		return nil, r.err
	}
	return &r.batch, nil
}

// Each calls f with every batch, in the file's order. It returns the first error: of the file, of ctx or of f.
func (r *Reader) Each(ctx context.Context, f func(*Batch) error) error {
	for {
		b, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = f(b)
		}
		if err != nil {
			return err
		}
	}
}

// Each calls f with every batch of the file at path. It returns an error if the file cannot be opened, and the errors
// of [Reader.Each].
func Each(ctx context.Context, path string, f func(*Batch) error) error {
	r, err := OpenReader(path, Limits{})
	if err != nil {
		return err
	}
	defer r.Close()
	return r.Each(ctx, f)
}

// Close closes the file. It returns the error of the file.
func (r *Reader) Close() error { return r.f.Close() }
