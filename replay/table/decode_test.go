package table

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	arrowmemory "github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"
	"pgregory.net/rapid"
)

// The examples of Parquet's Encodings.md.
func TestHybrid(t *testing.T) {
	for _, c := range []struct {
		name  string
		data  []byte
		width int
		want  []uint32
	}{
		{"0 to 7 in three bits", []byte{0x03, 0x88, 0xc6, 0xfa}, 3, []uint32{0, 1, 2, 3, 4, 5, 6, 7}},
		{"a run of five", []byte{5 << 1, 4}, 3, []uint32{4, 4, 4, 4, 4}},
		{"a run of two bytes", []byte{2 << 1, 0x34, 0x12}, 13, []uint32{0x1234, 0x1234}},
		{"a run, then packed", []byte{2 << 1, 1, 0x03, 0x05}, 1, []uint32{1, 1, 1, 0, 1, 0}},
		{"no bits", []byte{4 << 1}, 0, []uint32{0, 0, 0, 0}},
	} {
		got, err := hybrid(nil, c.data, c.width, len(c.want))
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v, want %v", c.name, got, err, c.want)
		}
		for cut := range c.data {
			if _, err := hybrid(nil, c.data[:cut], c.width, len(c.want)); !errors.Is(err, errShort) {
				t.Errorf("%s, cut to %d bytes: %v", c.name, cut, err)
			}
		}
	}
	if _, err := hybrid(nil, []byte{0, 0, 0}, 1, 1); !errors.Is(err, errShort) {
		t.Errorf("a run of none: %v, want an end", err)
	}
	// A group that claims 2^63 values is read as far as values are wanted.
	got, err := hybrid(nil, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0x05}, 1, 3)
	if err != nil || !slices.Equal(got, []uint32{1, 0, 1}) {
		t.Errorf("a huge group: %v, %v", got, err)
	}
}

// The second example of Parquet's Encodings.md: 7, 5, 3, 1, 2, 3, 4, 5.
func TestDelta(t *testing.T) {
	data := []byte{8, 1, 8, 14} // block of 8 in one part, 8 values, the first 7
	data = binary.AppendVarint(data, -2)
	data = append(data, 2)          // bits
	data = append(data, 0xc0, 0x3f) // 0 0 0 3 3 3 3, two bits each
	want := []int64{7, 5, 3, 1, 2, 3, 4, 5}
	got, err := delta(nil, data, 8, false)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	for cut := range data {
		if _, err := delta(nil, data[:cut], 8, false); !errors.Is(err, errShort) {
			t.Errorf("cut to %d bytes: %v", cut, err)
		}
	}
	for _, head := range [][]byte{{0, 1, 8, 0}, {8, 0, 8, 0}, {8, 3, 8, 0}, {0xff, 0xff, 0xff, 0x7f, 1, 8, 0}} {
		if _, err := delta(nil, append(head, 0, 0, 0), 8, false); err == nil {
			t.Errorf("blocks %v: no error", head)
		}
	}
}

// Whatever the library writes reads back: pages of both versions, dictionaries
// and plain values, row groups and batches of any size.
func TestReadWhatLibraryWrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.parquet")
	rapid.Check(t, func(t *rapid.T) {
		ints := rapid.SliceOfN(rapid.Int64(), 1, 300).Draw(t, "ints")
		texts := rapid.SliceOfN(rapid.StringN(0, 5, 20), len(ints), len(ints)).Draw(t, "texts")
		valid := rapid.SliceOfN(rapid.Bool(), len(ints), len(ints)).Draw(t, "valid")
		sch := arrow.NewSchema([]arrow.Field{
			{Name: "n", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, {Name: "u", Type: arrow.PrimitiveTypes.Uint32},
			{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true},
			{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int64), Nullable: true},
		}, nil)
		b := array.NewRecordBuilder(arrowmemory.DefaultAllocator, sch)
		b.Field(0).(*array.Int64Builder).AppendValues(ints, valid)
		b.Field(2).(*array.StringBuilder).AppendValues(texts, valid)
		lists := b.Field(3).(*array.ListBuilder)
		for i, n := range ints {
			b.Field(1).(*array.Uint32Builder).Append(uint32(n))
			lists.Append(valid[i])
			if valid[i] {
				for j := range i % 4 {
					lists.ValueBuilder().(*array.Int64Builder).Append(int64(j))
				}
			}
		}
		rec := b.NewRecord()
		var file bytes.Buffer
		w, err := pqarrow.NewFileWriter(sch, &file, parquet.NewWriterProperties(
			parquet.WithDataPageVersion(rapid.SampledFrom([]parquet.DataPageVersion{parquet.DataPageV1,
				parquet.DataPageV2}).Draw(t, "version")),
			parquet.WithDictionaryDefault(rapid.Bool().Draw(t, "dictionary")),
			parquet.WithBatchSize(rapid.Int64Range(1, 50).Draw(t, "batch")),
			parquet.WithDataPageSize(rapid.Int64Range(1, 500).Draw(t, "page")),
			parquet.WithMaxRowGroupLength(rapid.Int64Range(1, 400).Draw(t, "group")),
		), pqarrow.DefaultWriterProps())
		if err == nil {
			err = w.Write(rec)
		}
		if err == nil {
			err = w.Close()
		}
		if err == nil {
			err = os.WriteFile(path, file.Bytes(), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := readAll(path, Limits{BatchRows: rapid.IntRange(1, 400).Draw(t, "rows")})
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range []string{"n", "u", "s", "l"} {
			for row := range ints {
				want := "NULL"
				if rec.Column(i).IsValid(row) {
					want = rec.Column(i).ValueStr(row)
				}
				if got[c][row] != want {
					t.Fatalf("%s, row %d: %q, want %q", c, row, got[c][row], want)
				}
			}
		}
	})
}
