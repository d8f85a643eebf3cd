package table

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	pqfile "github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"
)

// The formats of --format, each also the extension of its files.
const (
	Parquet = "parquet"
	Arrow   = "arrow" // IPC file, uncompressed, for memory-mapped use; it has no checksums
	CSV     = "csv"   // NULL is an empty field, a list is a JSON array; no key-values
)

// Formats lists the formats, the default first.
func Formats() []string { return []string{Parquet, Arrow, CSV} }

var encoders = map[string]func(io.Writer, *arrow.Schema) (encoder, error){
	Parquet: newParquet, Arrow: newIPC, CSV: newCSV,
}

// createdBy is the writer's name in a Parquet file. Readers look for the
// version of a known writer in it, so it must be no other's.
const createdBy = "replay tables"

// parquetEncoder writes Parquet 2.6 with pages of version 2. For pages of version 1 the library copies the levels
// of a column a few bytes at a time, which made lists thirty times slower.
type parquetEncoder struct{ w *pqfile.Writer }

func newParquet(w io.Writer, sch *arrow.Schema) (encoder, error) {
	props := parquetProperties(sch)
	root, err := parquetSchema(sch, props)
	if err != nil {
		return nil, err
	}
	var meta metadata.KeyValueMetadata
	for i, key := range sch.Metadata().Keys() {
		if err := meta.Append(key, sch.Metadata().Values()[i]); err != nil {
			return nil, err
		}
	}
	return &parquetEncoder{pqfile.NewParquetWriter(shield{w}, root, pqfile.WithWriterProps(props),
		pqfile.WithWriteMetadata(meta))}, nil
}

func parquetProperties(sch *arrow.Schema) *parquet.WriterProperties {
	props := []parquet.WriterProperty{
		parquet.WithVersion(parquet.V2_LATEST), // 2.6
		parquet.WithDataPageVersion(parquet.DataPageV2),
		parquet.WithCompression(compress.Codecs.Zstd),
		parquet.WithCreatedBy(createdBy),
		parquet.WithStats(true),
		parquet.WithDictionaryDefault(false),
	}
	for _, f := range sch.Fields() {
		switch {
		case f.Type.ID() == arrow.STRING:
			props = append(props, parquet.WithDictionaryFor(f.Name, true))
		case f.Nullable: // the library panics on delta-encoded pages that begin with 1024 times NULL
		case arrow.IsInteger(f.Type.ID()):
			props = append(props, parquet.WithEncodingFor(f.Name, parquet.Encodings.DeltaBinaryPacked))
		}
	}
	return parquet.NewWriterProperties(props...)
}

// write makes the record a row group of its own.
func (e *parquetEncoder) write(rec arrow.Record) error {
	group := e.w.AppendRowGroup()
	for i, column := range rec.Columns() {
		w, err := group.NextColumn()
		if err != nil {
			return err
		}
		if err := writeLeaf(w, column, rec.Schema().Field(i).Nullable); err != nil {
			return err
		}
	}
	return group.Close()
}

func (e *parquetEncoder) close() error { return e.w.Close() }

// shield hides all but Write, so that the encoders cannot close the writer below.
type shield struct{ io.Writer }

type ipcEncoder struct{ w *ipc.FileWriter }

func newIPC(w io.Writer, sch *arrow.Schema) (encoder, error) {
	fw, err := ipc.NewFileWriter(&seeker{w: w}, ipc.WithSchema(sch))
	return &ipcEncoder{fw}, err
}

func (e *ipcEncoder) write(rec arrow.Record) error { return e.w.Write(rec) }

func (e *ipcEncoder) close() error { return e.w.Close() }

type csvEncoder struct {
	w     *csv.Writer
	cells []string
}

func newCSV(w io.Writer, sch *arrow.Schema) (encoder, error) {
	e := &csvEncoder{w: csv.NewWriter(w), cells: make([]string, len(sch.Fields()))}
	for i, f := range sch.Fields() {
		e.cells[i] = f.Name
	}
	return e, e.w.Write(e.cells)
}

func (e *csvEncoder) write(rec arrow.Record) error {
	for row := range int(rec.NumRows()) {
		for i := range e.cells {
			e.cells[i] = cell(rec.Column(i), row)
		}
		if err := e.w.Write(e.cells); err != nil {
			return err
		}
	}
	return nil
}

func (e *csvEncoder) close() error {
	e.w.Flush()
	return e.w.Error()
}

// cell formats one value. Floats are the shortest text that parses to the same
// value.
func cell(a arrow.Array, row int) string {
	if a.IsNull(row) {
		return ""
	}
	switch a := a.(type) {
	case *array.Float64:
		return strconv.FormatFloat(a.Value(row), 'g', -1, 64)
	case *array.String:
		return CSVText(a.Value(row))
	case *array.List:
		from, to := a.ValueOffsets(row)
		return formatList(a.ListValues().(*array.Int64).Int64Values()[from:to])
	}
	return a.ValueStr(row)
}
