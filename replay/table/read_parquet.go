package table

import (
	"errors"
	"fmt"
	"io"
	"os"

	arrowmemory "github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	pqfile "github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

// parquetDecoder reads the leaves of a Parquet file: footer and pages by the
// library, their values by [leaf].
type parquetDecoder struct {
	r      *pqfile.Reader
	lim    Limits
	cols   []Column
	leaves []int // index of the leaf of each column
	group  int   // next row group
	left   int64 // rows left in the open group
	open   []*leaf
	words  words
}

func openParquet(f *os.File, lim Limits) (decoder, []string, error) {
	props := parquet.NewReaderProperties(limited{arrowmemory.NewGoAllocator(), int(lim.ChunkBytes)})
	r, err := pqfile.NewParquetReader(f, pqfile.WithReadProps(props))
	if err != nil {
		return nil, nil, err
	}
	d := &parquetDecoder{r: r, lim: lim, words: words{}}
	sch := r.MetaData().Schema
	if n := sch.NumColumns(); n > lim.Columns {
		return nil, nil, fmt.Errorf("has %d columns, more than %d", n, lim.Columns)
	}
	var skipped []string
	for i := range sch.NumColumns() {
		c := sch.Column(i)
		t, ok := leafType(c)
		if !ok {
			skipped = append(skipped, c.Path())
			continue
		}
		d.leaves = append(d.leaves, i)
		d.cols = append(d.cols, Column{Name: c.ColumnPath()[0], Type: t, Nullable: c.MaxDefinitionLevel() > 0})
	}
	return d, skipped, nil
}

// leafType returns the type that a leaf is read as. ok is false for leaves that are not read: nested ones but lists
// of integers, decimals, fixed-length bytes and 96-bit times.
func leafType(c *schema.Column) (t Type, ok bool) {
	if c.MaxRepetitionLevel() > 0 {
		return Int64List, isList(c) && c.PhysicalType() == parquet.Types.Int64
	}
	if len(c.ColumnPath()) > 1 || c.ConvertedType() == schema.ConvertedTypes.Decimal {
		return 0, false
	}
	switch c.PhysicalType() {
	case parquet.Types.Boolean:
		return Bool, true
	case parquet.Types.Int32, parquet.Types.Int64:
		if l, is := c.LogicalType().(*schema.IntLogicalType); is && !l.IsSigned() {
			return Uint64, true
		}
		return Int64, true
	case parquet.Types.Float, parquet.Types.Double:
		return Float64, true
	case parquet.Types.ByteArray:
		return String, true
	}
	return 0, false
}

// isList reports a leaf of the standard three-level list.
func isList(c *schema.Column) bool {
	return len(c.ColumnPath()) == 3 && c.MaxRepetitionLevel() == 1
}

func (d *parquetDecoder) columns() []Column { return d.cols }

func (d *parquetDecoder) metadata() []KeyValue {
	md := d.r.MetaData().KeyValueMetadata()
	if md == nil {
		return nil
	}
	var kvs []KeyValue
	for i, k := range md.Keys() {
		kvs = append(kvs, KeyValue{k, md.Values()[i]})
	}
	return kvs
}

func (d *parquetDecoder) next(b *Batch) error {
	for d.left == 0 {
		if d.group == d.r.NumRowGroups() {
			return io.EOF
		}
		if err := d.openGroup(); err != nil {
			return err
		}
	}
	rows := int(min(d.left, int64(d.lim.BatchRows)))
	for i, c := range d.open {
		if err := c.read(&b.Values[i], rows); err != nil {
			return fmt.Errorf("row group %d, column %s: %w", d.group-1, d.cols[i].Name, err)
		}
	}
	b.Rows = rows
	d.left -= int64(rows)
	return nil
}

func (d *parquetDecoder) openGroup() error {
	g := d.r.RowGroup(d.group)
	if d.left = g.NumRows(); d.left < 0 {
		return fmt.Errorf("row group %d: %d rows", d.group, d.left)
	}
	d.open = d.open[:0]
	for i, column := range d.leaves {
		where := fmt.Sprintf("row group %d, column %s", d.group, d.cols[i].Name)
		meta, err := g.MetaData().ColumnChunk(column)
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		if n := meta.TotalCompressedSize(); n < 0 || n > d.lim.ChunkBytes {
			return fmt.Errorf("%s: %d bytes, more than %d", where, n, d.lim.ChunkBytes)
		}
		pages, err := g.GetColumnPageReader(column)
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		l, err := newLeaf(pages, d.r.MetaData().Schema.Column(column), d.cols[i].Type, d.words, d.lim)
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		d.open = append(d.open, l)
	}
	d.group++
	return nil
}

// limited is an allocator that panics beyond a size; [Reader] makes an error
// of it.
type limited struct {
	arrowmemory.Allocator
	max int
}

var errTooLarge = errors.New("needs more memory than a column may take")

func (l limited) Allocate(size int) []byte {
	if size > l.max {
		panic(errTooLarge)
	}
	return l.Allocator.Allocate(size)
}

func (l limited) Reallocate(size int, b []byte) []byte {
	if size > l.max {
		panic(errTooLarge)
	}
	return l.Allocator.Reallocate(size, b)
}
