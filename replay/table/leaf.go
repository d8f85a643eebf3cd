package table

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/apache/arrow/go/v15/parquet"
	pqfile "github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

// leaf reads one column of a row group, page by page.
type leaf struct {
	pages   pqfile.PageReader
	typ     Type
	stored  parquet.Type
	words   words
	max     int    // bytes of a cell
	most    int    // values of a page
	def     uint32 // definition level of a value that is there
	none    uint32 // lists: definition level of an empty one
	lists   bool
	dict    plainValues
	defs    []uint32 // levels of the page; of none if the column has none
	reps    []uint32
	values  plainValues
	indices []uint32
	n, at   int // levels of the page, and the next one
	valueAt int
}

func newLeaf(pages pqfile.PageReader, col *schema.Column, t Type, w words, lim Limits) (*leaf, error) {
	l := &leaf{pages: pages, typ: t, stored: col.PhysicalType(), words: w, max: lim.CellBytes,
		most: int(lim.ChunkBytes / 32),
		def:  uint32(col.MaxDefinitionLevel()), lists: t == Int64List}
	if !l.lists {
		return l, nil
	}
	outer := col.SchemaNode().Parent()
	if outer == nil || outer.Parent() == nil {
		return nil, errors.New("is no list")
	}
	if outer.Parent().RepetitionType() == parquet.Repetitions.Optional {
		l.none = 1
	}
	return l, nil
}

// fill makes sure that a level is at hand; false: the column ends.
func (l *leaf) fill() (bool, error) {
	for l.at == l.n {
		if !l.pages.Next() {
			return false, l.pages.Err()
		}
		if err := l.page(l.pages.Page()); err != nil {
			return false, err
		}
	}
	return true, nil
}

func (l *leaf) page(p pqfile.Page) error {
	n := int(p.NumValues())
	if n > l.most {
		return fmt.Errorf("a page of %d values, more than %d", n, l.most)
	}
	switch p := p.(type) {
	case *pqfile.DictionaryPage:
		l.dict = plainValues{}
		return l.dict.plain(l.stored, p.Data(), n, l.words, l.max)
	case *pqfile.DataPageV1:
		data := p.Data()
		var err error
		if data, l.reps, err = sizedLevels(l.reps, data, l.maxRep(), n); err != nil {
			return err
		}
		if data, l.defs, err = sizedLevels(l.defs, data, l.def, n); err != nil {
			return err
		}
		return l.decode(data, n, parquet.Encoding(p.Encoding()))
	case *pqfile.DataPageV2:
		data, reps, defs := p.Data(), int(p.RepetitionLevelByteLen()), int(p.DefinitionLevelByteLen())
		if reps < 0 || defs < 0 || len(data)-reps < defs {
			return errShort
		}
		var err error
		if l.reps, err = hybridLevels(l.reps, data[:reps], l.maxRep(), n); err != nil {
			return err
		}
		if l.defs, err = hybridLevels(l.defs, data[reps:reps+defs], l.def, n); err != nil {
			return err
		}
		return l.decode(data[reps+defs:], n, parquet.Encoding(p.Encoding()))
	}
	return nil // an index page
}

func (l *leaf) maxRep() uint32 {
	if l.lists {
		return 1
	}
	return 0
}

// sizedLevels reads levels that their length precedes, and returns the rest.
func sizedLevels(out []uint32, data []byte, max uint32, n int) (rest []byte, levels []uint32, err error) {
	if max == 0 {
		return data, out[:0], nil
	}
	if len(data) < 4 {
		return nil, out, errShort
	}
	size := binary.LittleEndian.Uint32(data)
	if data = data[4:]; uint64(size) > uint64(len(data)) {
		return nil, out, errShort
	}
	levels, err = hybridLevels(out, data[:size], max, n)
	return data[size:], levels, err
}

func hybridLevels(out []uint32, data []byte, max uint32, n int) ([]uint32, error) {
	if max == 0 {
		return out[:0], nil
	}
	out, err := hybrid(out[:0], data, bits.Len32(max), n)
	for _, v := range out {
		if v > max {
			return out, fmt.Errorf("a level of %d, more than %d", v, max)
		}
	}
	return out, err
}

// decode decodes the values of a page of n levels.
func (l *leaf) decode(data []byte, n int, enc parquet.Encoding) (err error) {
	present := n
	if l.def > 0 {
		present = 0
		for _, d := range l.defs {
			if d == l.def {
				present++
			}
		}
	}
	l.values.reset()
	l.n, l.at, l.valueAt = n, 0, 0
	switch {
	case present == 0:
	case enc == parquet.Encodings.Plain:
		err = l.values.plain(l.stored, data, present, l.words, l.max)
	case enc == parquet.Encodings.RLEDict, enc == parquet.Encodings.PlainDict:
		if len(data) == 0 {
			return errShort
		}
		if l.indices, err = hybrid(l.indices[:0], data[1:], int(data[0]), present); err == nil {
			err = l.values.pick(&l.dict, l.indices)
		}
	case enc == parquet.Encodings.DeltaBinaryPacked && l.stored == parquet.Types.Int64:
		l.values.ints, err = delta(l.values.ints, data, present, false)
	case enc == parquet.Encodings.DeltaBinaryPacked && l.stored == parquet.Types.Int32:
		l.values.ints, err = delta(l.values.ints, data, present, true)
	case enc == parquet.Encodings.RLE && l.stored == parquet.Types.Boolean:
		err = l.runs(data, present)
	default:
		err = fmt.Errorf("has the encoding %v, which is not read here: write it with the defaults of pyarrow or DuckDB", enc)
	}
	if err == nil && l.values.len() != present {
		err = errShort
	}
	return err
}

// runs decodes booleans of the encoding RLE.
func (l *leaf) runs(data []byte, n int) error {
	if len(data) < 4 {
		return errShort
	}
	indices, err := hybrid(l.indices[:0], data[4:], 1, n)
	l.indices = indices
	for _, v := range indices {
		l.values.bools = append(l.values.bools, v != 0)
	}
	return err
}

// read appends rows to v.
func (l *leaf) read(v *Values, rows int) error {
	for range rows {
		ok, err := l.fill()
		if err != nil {
			return err
		}
		if !ok {
			return errShort
		}
		if l.lists {
			err = l.list(v)
		} else {
			l.cell(v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// cell appends one row of a column without lists.
func (l *leaf) cell(v *Values) {
	null := l.def > 0 && l.defs[l.at] < l.def
	v.Null = append(v.Null, null)
	switch l.typ {
	case Bool:
		v.Bools = appendCell(v.Bools, l.values.bools, l.valueAt, null)
	case Int64:
		v.Ints = appendCell(v.Ints, l.values.ints, l.valueAt, null)
	case Uint64:
		var n uint64
		if !null {
			n = uint64(l.values.ints[l.valueAt])
			if l.stored == parquet.Types.Int32 {
				n = uint64(uint32(n))
			}
		}
		v.Uints = append(v.Uints, n)
	case Float64:
		v.Floats = appendCell(v.Floats, l.values.floats, l.valueAt, null)
	case String:
		v.Strings = appendCell(v.Strings, l.values.texts, l.valueAt, null)
	}
	if !null {
		l.valueAt++
	}
	l.at++
}

func appendCell[T any](to, from []T, at int, null bool) []T {
	var cell T
	if !null {
		cell = from[at]
	}
	return append(to, cell)
}

// list appends one row of a column of lists, reusing the storage of a list of
// an earlier batch.
func (l *leaf) list(v *Values) error {
	if l.reps[l.at] != 0 {
		return errors.New("a row begins within a list")
	}
	i := len(v.Lists)
	if i < cap(v.Lists) {
		v.Lists = v.Lists[:i+1]
	} else {
		v.Lists = append(v.Lists, nil)
	}
	list := v.Lists[i][:0]
	v.Null = append(v.Null, l.defs[l.at] < l.none)
	for {
		if l.defs[l.at] == l.def {
			list = append(list, l.values.ints[l.valueAt])
			l.valueAt++
		} else if l.defs[l.at] > l.none {
			return errors.New("a list holds NULL")
		}
		if 8*len(list) > l.max {
			return fmt.Errorf("a list of more than %d bytes", l.max)
		}
		l.at++
		if more, err := l.fill(); err != nil || !more || l.reps[l.at] == 0 {
			v.Lists[i] = list
			return err
		}
	}
}
