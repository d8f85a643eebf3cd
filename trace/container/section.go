package container

import (
	"encoding/binary"
	"fmt"
)

// A block holds sections, and a section rows of one kind, a column at a time:
//
//	section = kind byte, length uvarint, rows uvarint, column...
//	column  = tag uvarint (1...), length uvarint, bytes
//
// Columns of zeros are left out, except in strings and except column 1, which has at least a byte for each row and
// so bounds their number. A reader skips tags and kinds that it does not know.

// kind tells the kind of a section's rows.
type kind byte

const (
	kindStrings  kind = 'S'
	kindMeta     kind = 'M'
	kindAttr     kind = 'T'
	kindArray    kind = 'A'
	kindFunction kind = 'F'
	kindInst     kind = 'N'
	kindScope    kind = 'P'
	kindDiag     kind = 'D'
	kindTotals   kind = 'O'
	kindKernel   kind = 'K'
	kindHost     kind = 'H'
	kindCTA      kind = 'C'
	kindBlock    kind = 'B'
	maxColumnTag      = 63
)

// appendSection appends a section of the columns by tag; columns[0] is unused.
func appendSection(dst []byte, k kind, rows int, columns []column) []byte {
	body := binary.AppendUvarint(nil, uint64(rows))
	for tag, c := range columns {
		if len(c) == 0 || tag > 1 && k != kindStrings && c.zero() {
			continue
		}
		body = binary.AppendUvarint(body, uint64(tag))
		body = binary.AppendUvarint(body, uint64(len(c)))
		body = append(body, c...)
	}
	dst = append(dst, byte(k))
	dst = binary.AppendUvarint(dst, uint64(len(body)))
	return append(dst, body...)
}

// section is one section as read.
type section struct {
	kind    kind
	rows    uint64
	columns [maxColumnTag + 1][]byte
}

// next reads the section at the start of raw into s and returns the rest.
func (s *section) next(raw []byte) ([]byte, error) {
	*s = section{kind: kind(raw[0])}
	body, rest, ok := cutBytes(raw[1:])
	if !ok {
		return nil, fmt.Errorf("section %q is cut short", raw[0])
	}
	v := values{b: body}
	s.rows = v.uint()
	for v.pos < len(body) && !v.bad {
		tag := v.uint()
		data, _, ok := cutBytes(body[v.pos:])
		if !ok || tag == 0 {
			return nil, fmt.Errorf("section %q has a broken column %d", s.kind, tag)
		}
		v.uint()
		v.pos += len(data)
		if tag <= maxColumnTag {
			s.columns[tag] = data
		}
	}
	if v.bad {
		return nil, fmt.Errorf("section %q is cut short", s.kind)
	}
	return rest, nil
}

// cutBytes splits a length and that many bytes off b.
func cutBytes(b []byte) (data, rest []byte, ok bool) {
	n, used := binary.Uvarint(b)
	if used <= 0 || n > uint64(len(b)-used) {
		return nil, nil, false
	}
	return b[used:][:n], b[used:][n:], true
}

// values returns a reader of the column.
func (s *section) values(tag int) values {
	return values{b: s.columns[tag], absent: s.columns[tag] == nil}
}
