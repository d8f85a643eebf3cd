package table

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	arrowmemory "github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"
)

// everyType is a schema of all types that columns have; those that can be NULL
// are there twice.
func everyType() *arrow.Schema {
	var fields []arrow.Field
	for t, dt := range arrowTypes {
		fields = append(fields, arrow.Field{Name: fmt.Sprintf("c%d", t), Type: dt})
		if dt.ID() != arrow.LIST && !arrow.IsUnsignedInteger(dt.ID()) {
			fields = append(fields, arrow.Field{Name: fmt.Sprintf("n%d", t), Type: dt, Nullable: true})
		}
	}
	meta := arrow.NewMetadata([]string{"k", "a"}, []string{"v", ""})
	return arrow.NewSchema(fields, &meta)
}

// randomRecord fills a record; isNull says which rows of nullable columns are.
func randomRecord(sch *arrow.Schema, rows int, rng *rand.Rand, isNull func(row int) bool) arrow.Record {
	b := array.NewRecordBuilder(arrowmemory.DefaultAllocator, sch)
	defer b.Release()
	for i, f := range sch.Fields() {
		for row := range rows {
			if f.Nullable && isNull(row) {
				b.Field(i).AppendNull()
				continue
			}
			v := rng.Uint64() >> rng.UintN(64)
			switch to := b.Field(i).(type) {
			case *array.BooleanBuilder:
				to.Append(v&1 != 0)
			case *array.Uint8Builder:
				to.Append(uint8(v))
			case *array.Uint32Builder:
				to.Append(uint32(v))
			case *array.Uint64Builder:
				to.Append(v)
			case *array.Int32Builder:
				to.Append(int32(v))
			case *array.Int64Builder:
				to.Append(int64(v))
			case *array.Float64Builder:
				to.Append([]float64{float64(v), -0.5, 0, math.Inf(1), math.Copysign(0, -1)}[v%5])
			case *array.StringBuilder:
				to.Append([]string{"", "kernel", fmt.Sprint(v)}[v%3])
			case *array.ListBuilder:
				to.Append(true)
				for range v % 5 {
					to.ValueBuilder().(*array.Int64Builder).Append(int64(rng.Uint64()))
				}
			}
		}
	}
	return b.NewRecord()
}

// The encoder's files equal pqarrow's with the same properties, byte by byte: with every type, with NULL anywhere,
// across pages and batches of levels.
func TestColumnsAsPqarrowWritesThem(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	sch := everyType()
	for _, x := range []struct {
		name   string
		rows   []int // of the records
		isNull func(int) bool
	}{
		{"one row", []int{1}, func(int) bool { return false }},
		{"one NULL", []int{1}, func(int) bool { return true }},
		{"no NULL", []int{1023, 1024, 1025}, func(int) bool { return false }},
		{"all NULL", []int{3000}, func(int) bool { return true }},
		{"NULL first", []int{5000}, func(row int) bool { return row < 1500 }},
		{"NULL last", []int{5000}, func(row int) bool { return row >= 1500 }},
		{"some NULL", []int{batchRows, 7}, func(int) bool { return rng.IntN(3) == 0 }},
	} {
		var ours, theirs bytes.Buffer
		e, err := newParquet(&ours, sch)
		if err != nil {
			t.Fatal(err)
		}
		w, err := pqarrow.NewFileWriter(sch, shield{&theirs}, parquetProperties(sch), pqarrow.DefaultWriterProps())
		if err != nil {
			t.Fatal(err)
		}
		for _, rows := range x.rows {
			rec := randomRecord(sch, rows, rng, x.isNull)
			if err := e.write(rec); err != nil {
				t.Fatalf("%s: %v", x.name, err)
			}
			if err := w.Write(rec); err != nil {
				t.Fatalf("%s: pqarrow: %v", x.name, err)
			}
			rec.Release()
		}
		if err := e.close(); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(ours.Bytes(), theirs.Bytes()) {
			t.Errorf("%s: %d bytes that differ from pqarrow's %d", x.name, ours.Len(), theirs.Len())
		}
	}
}
