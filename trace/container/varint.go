package container

import "encoding/binary"

// column is the bytes of one column that is being written.
type column []byte

func (c *column) uint(v uint64) { *c = binary.AppendUvarint(*c, v) }
func (c *column) int(v int64)   { c.uint(zigzag(v)) }

func zigzag(v int64) uint64   { return uint64(v)<<1 ^ uint64(v>>63) }
func unzigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }

// zero reports whether every byte is 0, so that the column can be left out.
func (c column) zero() bool {
	for _, b := range c {
		if b != 0 {
			return false
		}
	}
	return true
}

// values reads a column. A column that a section lacks reads as zeros. Reading
// past the end gives zeros and sets bad.
type values struct {
	b      []byte
	pos    int
	absent bool
	bad    bool
}

func (v *values) uint() uint64 {
	if v.pos < len(v.b) && v.b[v.pos] < 0x80 {
		v.pos++
		return uint64(v.b[v.pos-1])
	}
	return v.long()
}

func (v *values) int() int64 { return unzigzag(v.uint()) }

func (v *values) long() uint64 {
	if v.absent {
		return 0
	}
	u, n := binary.Uvarint(v.b[v.pos:])
	if n <= 0 {
		v.bad, v.pos = true, len(v.b)
		return 0
	}
	v.pos += n
	return u
}

// byte reads one byte as it is.
func (v *values) byte() byte {
	if v.pos < len(v.b) {
		v.pos++
		return v.b[v.pos-1]
	}
	v.bad = v.bad || !v.absent
	return 0
}

// ok reports whether the column held exactly the values that were read.
func (v *values) ok() bool { return !v.bad && v.pos == len(v.b) }
