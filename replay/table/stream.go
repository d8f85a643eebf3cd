package table

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	arrowmemory "github.com/apache/arrow/go/v15/arrow/memory"
)

// A batch is a row group of Parquet, a record batch of Arrow. It ends at
// batchRows rows, or when its strings or lists hold batchBytes; that bounds the
// memory of a stream whatever the length of a run: of each table one batch is filled, and
// one may be written behind the model.
const (
	batchRows  = 1 << 16
	batchBytes = 32 << 20
)

// stream appends the rows of one table to a file.
type stream[R any] struct {
	set     *Set
	file    *file
	rec     *array.RecordBuilder
	appends []func(*R)
	sizes   []func() int // bytes of the columns of variable size
	rows    int
}

// open starts the stream of a table and feeds it.
func (t *table[R]) open(s *Set) error {
	d := t.describe()
	sch := arrowSchema(d.Columns, s.metadata(d))
	f, err := s.create(t.Name, sch)
	if err != nil {
		return err
	}
	st := &stream[R]{set: s, file: f, rec: array.NewRecordBuilder(arrowmemory.DefaultAllocator, sch)}
	for i, c := range t.Columns() {
		b := st.rec.Field(i)
		st.appends = append(st.appends, c.bind(b, s.scope))
		if n := variableBytes(b); n != nil {
			st.sizes = append(st.sizes, n)
		}
	}
	f.flush = st.flush
	t.From(&s.feed, st.append)
	return nil
}

// arrowSchema returns the Arrow schema of the columns with the key-values.
func arrowSchema(columns []Column, meta []KeyValue) *arrow.Schema {
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = arrow.Field{Name: c.Name, Type: arrowTypes[c.Type], Nullable: c.Nullable}
	}
	keys, values := make([]string, len(meta)), make([]string, len(meta))
	for i, kv := range meta {
		keys[i], values[i] = kv.Key, kv.Value
	}
	md := arrow.NewMetadata(keys, values)
	return arrow.NewSchema(fields, &md)
}

// variableBytes returns a function that counts the bytes of a column of variable size; nil for others.
func variableBytes(b array.Builder) func() int {
	switch b := b.(type) {
	case *array.StringBuilder:
		return b.DataLen
	case *array.ListBuilder:
		return func() int { return 8 * b.ValueBuilder().Len() }
	}
	return nil
}

func (st *stream[R]) append(r *R) {
	if st.set.err != nil {
		return
	}
	for _, f := range st.appends {
		f(r)
	}
	st.rows++
	if st.rows == batchRows || st.large() {
		st.set.fail(st.hand())
	}
}

func (st *stream[R]) large() bool {
	for _, size := range st.sizes {
		if size() >= batchBytes {
			return true
		}
	}
	return false
}

// hand writes a full batch: behind the caller, where a processor is free.
func (st *stream[R]) hand() error {
	behind := st.set.opt.Behind
	if behind == nil || !behind() {
		return st.flush()
	}
	rec := st.rec.NewRecord()
	st.rows = 0
	return st.file.behind(rec, &st.set.encodes)
}

// flush writes the rows that are pending.
func (st *stream[R]) flush() error {
	if st.rows == 0 {
		return nil
	}
	rec := st.rec.NewRecord()
	defer rec.Release()
	st.rows = 0
	return st.file.write(rec)
}
