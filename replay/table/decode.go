package table

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/parquet"
)

// The encodings of Parquet that pyarrow, pandas, DuckDB and this package write
// by default, decoded with every length checked. The library's own column
// readers loop for ever on some damaged files and panic on others; only its
// footer and page readers are used.
var errShort = errors.New("a page ends before its last value")

// plainValues are decoded values of one physical type.
type plainValues struct {
	bools  []bool
	ints   []int64
	floats []float64
	texts  []string
}

func (p *plainValues) reset() {
	p.bools, p.ints, p.floats, p.texts = p.bools[:0], p.ints[:0], p.floats[:0], p.texts[:0]
}

// len returns how many values there are.
func (p *plainValues) len() int { return len(p.bools) + len(p.ints) + len(p.floats) + len(p.texts) }

// plain decodes n values of the encoding PLAIN.
func (p *plainValues) plain(t parquet.Type, data []byte, n int, w words, max int) error {
	size, fixed := map[parquet.Type]int{
		parquet.Types.Int32: 4, parquet.Types.Float: 4, parquet.Types.Int64: 8, parquet.Types.Double: 8,
	}[t]
	switch {
	case fixed && len(data)/size < n, t == parquet.Types.Boolean && len(data) < (n+7)/8:
		return errShort
	case t == parquet.Types.Boolean:
		for i := range n {
			p.bools = append(p.bools, data[i/8]>>(i%8)&1 != 0)
		}
		return nil
	case t == parquet.Types.ByteArray:
		return p.plainTexts(data, n, w, max)
	}
	for i := range n {
		at := data[i*size:]
		switch t {
		case parquet.Types.Int32:
			p.ints = append(p.ints, int64(int32(binary.LittleEndian.Uint32(at))))
		case parquet.Types.Int64:
			p.ints = append(p.ints, int64(binary.LittleEndian.Uint64(at)))
		case parquet.Types.Float:
			p.floats = append(p.floats, float64(math.Float32frombits(binary.LittleEndian.Uint32(at))))
		case parquet.Types.Double:
			p.floats = append(p.floats, math.Float64frombits(binary.LittleEndian.Uint64(at)))
		}
	}
	return nil
}

func (p *plainValues) plainTexts(data []byte, n int, w words, max int) error {
	for range n {
		if len(data) < 4 {
			return errShort
		}
		size := binary.LittleEndian.Uint32(data)
		if data = data[4:]; uint64(size) > uint64(len(data)) {
			return errShort
		}
		if int64(size) > int64(max) {
			return fmt.Errorf("a text of %d bytes, more than %d", size, max)
		}
		p.texts = append(p.texts, w.intern(data[:size]))
		data = data[size:]
	}
	return nil
}

// pick appends the values of a dictionary at the indices.
func (p *plainValues) pick(dict *plainValues, indices []uint32) error {
	size := uint32(dict.len())
	for _, i := range indices {
		switch {
		case i >= size:
			return fmt.Errorf("entry %d of a dictionary of %d", i, size)
		case dict.texts != nil:
			p.texts = append(p.texts, dict.texts[i])
		case dict.ints != nil:
			p.ints = append(p.ints, dict.ints[i])
		case dict.floats != nil:
			p.floats = append(p.floats, dict.floats[i])
		default:
			p.bools = append(p.bools, dict.bools[i])
		}
	}
	return nil
}

// hybrid decodes n values of width bits of the encoding RLE: runs of one value
// and groups of eight bit-packed ones.
func hybrid(out []uint32, data []byte, width, n int) ([]uint32, error) {
	if width > 32 {
		return out, fmt.Errorf("values of %d bits", width)
	}
	for n > 0 {
		header, size := binary.Uvarint(data)
		if size <= 0 {
			return out, errShort
		}
		data = data[size:]
		if header&1 == 0 {
			bytes := (width + 7) / 8
			if len(data) < bytes {
				return out, errShort
			}
			var value uint32
			for i := range bytes {
				value |= uint32(data[i]) << (8 * i)
			}
			data = data[bytes:]
			for range min(header>>1, uint64(n)) {
				out = append(out, value)
				n--
			}
			continue
		}
		count := min(header>>1, uint64(n+7)/8) * 8 // values; the last ones may be padding
		if count == 0 || uint64(len(data)) < (min(count, uint64(n))*uint64(width)+7)/8 {
			return out, errShort
		}
		for i := range min(int(count), n) {
			out = append(out, uint32(bitsAt(data, i*width, width)))
			n--
		}
		data = data[min(len(data), int(count)*width/8):]
	}
	return out, nil
}

// bitsAt returns width bits, at most 64, from bit at on, lowest first. The
// bytes must be there.
func bitsAt(data []byte, at, width int) uint64 {
	var v uint64
	for got := 0; got < width; {
		b := uint64(data[(at+got)/8]) >> ((at + got) % 8)
		v |= b << got
		got += 8 - (at+got)%8
	}
	if width < 64 {
		v &= 1<<width - 1
	}
	return v
}

// delta decodes n integers of the encoding DELTA_BINARY_PACKED. Integers of 32
// bits wrap at 32.
func delta(out []int64, data []byte, n int, narrow bool) ([]int64, error) {
	var head [3]uint64 // block size, mini blocks, values
	for i := range head {
		v, size := binary.Uvarint(data)
		if size <= 0 {
			return out, errShort
		}
		head[i], data = v, data[size:]
	}
	value, size := binary.Varint(data)
	if size <= 0 || head[2] < uint64(n) {
		return out, errShort
	}
	data = data[size:]
	if head[0] == 0 || head[1] == 0 || head[0]%head[1] != 0 || head[0] > 1<<20 || head[1] > 1<<10 {
		return out, fmt.Errorf("blocks of %d values in %d parts", head[0], head[1])
	}
	minis, perMini := int(head[1]), int(head[0]/head[1])
	if n > 0 {
		out = append(out, wrap(value, narrow))
		n--
	}
	for n > 0 {
		least, size := binary.Varint(data)
		if size <= 0 || len(data) < size+minis {
			return out, errShort
		}
		widths := data[size : size+minis]
		data = data[size+minis:]
		for _, width := range widths {
			if n == 0 {
				break
			}
			bytes := (perMini*int(width) + 7) / 8
			if width > 64 || len(data) < bytes {
				return out, errShort
			}
			for i := range min(perMini, n) {
				value += least + int64(bitsAt(data, i*int(width), int(width)))
				out = append(out, wrap(value, narrow))
				n--
			}
			data = data[bytes:]
		}
	}
	return out, nil
}

func wrap(v int64, narrow bool) int64 {
	if narrow {
		return int64(int32(v))
	}
	return v
}

// words holds texts that were read, so that a text is stored once. It drops
// all when it has grown large.
type words map[string]string

func (w words) intern(b []byte) string {
	if s, ok := w[string(b)]; ok {
		return s
	}
	if len(w) >= 1<<12 {
		clear(w)
	}
	s := string(b)
	w[s] = s
	return s
}
