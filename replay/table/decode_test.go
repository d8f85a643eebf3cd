package table

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/parquet"
	pqfile "github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/schema"
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

// Whatever the library writes reads back: pages of both versions, dictionaries and plain values, row groups and
// batches of any size, NULL, empty and absent lists. The library has the levels of each value from the test.
func TestReadWhatLibraryWrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.parquet")
	rapid.Check(t, func(t *rapid.T) {
		rows := drawn(t)
		props := parquet.NewWriterProperties(
			parquet.WithDataPageVersion(rapid.SampledFrom([]parquet.DataPageVersion{parquet.DataPageV1,
				parquet.DataPageV2}).Draw(t, "version")),
			parquet.WithDictionaryDefault(rapid.Bool().Draw(t, "dictionary")),
			parquet.WithBatchSize(rapid.Int64Range(3, 50).Draw(t, "batch")), // below a row's elements the library never ends
			parquet.WithDataPageSize(rapid.Int64Range(1, 500).Draw(t, "page")),
		)
		var file bytes.Buffer
		w := pqfile.NewParquetWriter(&file, drawnSchema(t), pqfile.WithWriterProps(props))
		for group := range slices.Chunk(rows, rapid.IntRange(1, 400).Draw(t, "group")) {
			writeDrawn(t, w, group)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, file.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := readAll(path, Limits{BatchRows: rapid.IntRange(1, 400).Draw(t, "rows")})
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range rows {
			want := map[string]string{"n": "NULL", "u": fmt.Sprint(uint32(r.n)), "s": "NULL", "l": "NULL"}
			if r.valid {
				list, _ := json.Marshal(append([]int64{}, r.list...)) // integers
				want["n"], want["s"], want["l"] = fmt.Sprint(r.n), r.text, string(list)
			}
			for c := range want {
				if got[c][i] != want[c] {
					t.Fatalf("%s, row %d: %q, want %q", c, i, got[c][i], want[c])
				}
			}
		}
	})
}

// drawnRow is a row of four columns; all but the second are NULL in a row that is not valid.
type drawnRow struct {
	n     int64
	text  string
	list  []int64
	valid bool
}

func drawn(t *rapid.T) []drawnRow {
	ints := rapid.SliceOfN(rapid.Int64(), 1, 300).Draw(t, "ints")
	texts := rapid.SliceOfN(rapid.StringN(0, 5, 20), len(ints), len(ints)).Draw(t, "texts")
	valid := rapid.SliceOfN(rapid.Bool(), len(ints), len(ints)).Draw(t, "valid")
	rows := make([]drawnRow, len(ints))
	for i := range rows {
		rows[i] = drawnRow{n: ints[i], text: texts[i], valid: valid[i], list: []int64{0, 1, 2}[:i%4]}
	}
	return rows
}

func drawnSchema(t *rapid.T) *schema.GroupNode {
	optional, required := parquet.Repetitions.Optional, parquet.Repetitions.Required
	column := func(name string, times parquet.Repetition, of arrow.Type) schema.Node {
		p := primitives[of]
		return schema.MustPrimitive(schema.NewPrimitiveNodeLogical(name, times, p.logical, p.physical, -1, -1))
	}
	root, err := schema.NewGroupNode("schema", required, schema.FieldList{
		column("n", optional, arrow.INT64), column("u", required, arrow.UINT32), column("s", optional, arrow.STRING),
		schema.MustGroup(schema.ListOf(column("l", optional, arrow.INT64), optional, -1)),
	}, -1)
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// writeDrawn writes a row group. A definition level of the list is 0 for NULL, 1 for an empty list, 3 for an element.
func writeDrawn(t *rapid.T, w *pqfile.Writer, rows []drawnRow) {
	var ints, elements []int64
	var unsigned []int32
	var texts []parquet.ByteArray
	var present, defined, repeated []int16
	for _, r := range rows {
		unsigned = append(unsigned, int32(uint32(r.n)))
		switch {
		case !r.valid:
			present, defined, repeated = append(present, 0), append(defined, 0), append(repeated, 0)
			continue
		case len(r.list) == 0:
			defined, repeated = append(defined, 1), append(repeated, 0)
		}
		present, ints, texts = append(present, 1), append(ints, r.n), append(texts, parquet.ByteArray(r.text))
		for j, e := range r.list {
			elements, defined, repeated = append(elements, e), append(defined, 3), append(repeated, int16(min(j, 1)))
		}
	}
	group := w.AppendRowGroup()
	column := func() pqfile.ColumnChunkWriter {
		c, err := group.NextColumn()
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	_, e1 := column().(*pqfile.Int64ColumnChunkWriter).WriteBatch(ints, present, nil)
	_, e2 := column().(*pqfile.Int32ColumnChunkWriter).WriteBatch(unsigned, nil, nil)
	_, e3 := column().(*pqfile.ByteArrayColumnChunkWriter).WriteBatch(texts, present, nil)
	_, e4 := column().(*pqfile.Int64ColumnChunkWriter).WriteBatch(elements, defined, repeated)
	if err := errors.Join(e1, e2, e3, e4, group.Close()); err != nil {
		t.Fatal(err)
	}
}
