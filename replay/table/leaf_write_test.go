package table

import (
	"crypto/sha256"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	arrowmemory "github.com/apache/arrow/go/v15/arrow/memory"
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

// likePqarrow holds a SHA-256 of the file that pqarrow writes from the records of each case. A test with the tag
// pqarrow compares them with that package, which takes longer to compile than all others:
//
//	go test -tags=pqarrow ./replay/table -run Pqarrow [-update]
const likePqarrow = "testdata/pqarrow.txt"

// asPqarrow has the cases of records with NULL anywhere, across pages and batches of levels.
var asPqarrow = []struct {
	name   string
	rows   []int // of the records
	isNull func(rng *rand.Rand, row int) bool
}{
	{"one row", []int{1}, func(*rand.Rand, int) bool { return false }},
	{"one NULL", []int{1}, func(*rand.Rand, int) bool { return true }},
	{"no NULL", []int{1023, 1024, 1025}, func(*rand.Rand, int) bool { return false }},
	{"all NULL", []int{3000}, func(*rand.Rand, int) bool { return true }},
	{"NULL first", []int{5000}, func(_ *rand.Rand, row int) bool { return row < 1500 }},
	{"NULL last", []int{5000}, func(_ *rand.Rand, row int) bool { return row >= 1500 }},
	{"some NULL", []int{batchRows, 7}, func(rng *rand.Rand, _ int) bool { return rng.IntN(3) == 0 }},
}

// digests returns a line for each case: a SHA-256 of the file that an encoder makes of its records, and the name.
func digests(t *testing.T, encoder func(io.Writer, *arrow.Schema) (encoder, error)) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	sch := everyType()
	var lines strings.Builder
	for _, x := range asPqarrow {
		file := sha256.New()
		e, err := encoder(file, sch)
		if err != nil {
			t.Fatal(err)
		}
		for _, rows := range x.rows {
			rec := randomRecord(sch, rows, rng, func(row int) bool { return x.isNull(rng, row) })
			if err := e.write(rec); err != nil {
				t.Fatalf("%s: %v", x.name, err)
			}
			rec.Release()
		}
		if err := e.close(); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&lines, "%x %s\n", file.Sum(nil), x.name)
	}
	return lines.String()
}

// The encoder's files equal pqarrow's with the same properties, byte by byte, with every type.
func TestColumnsAsPqarrowWritesThem(t *testing.T) {
	want, err := os.ReadFile(likePqarrow)
	if err != nil {
		t.Fatal(err)
	}
	if got := digests(t, newParquet); got != string(want) {
		t.Errorf("the encoder's files:\n%s%s:\n%s", got, likePqarrow, want)
	}
}
