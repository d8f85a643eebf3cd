// Package delimited reads tables of separated text line by line, with a bound on
// the length of a line. It passes over the lines that profilers print around
// their tables, and reads tables that a spreadsheet saved again.
package delimited

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	// MaxLine is the longest line, in bytes.
	MaxLine = 1 << 20
	// MaxFields is the largest number of fields of a line.
	MaxFields = 1 << 12
)

// Reader reads lines and their fields.
type Reader struct {
	in     *bufio.Scanner
	locale locale
	line   int
	fields [][]byte
	plain  []byte // unquoted fields
}

// headBytes are looked at to find how a table writes its numbers.
const headBytes = 64 << 10

// NewReader returns a reader of r. Fields may be separated by commas, semicolons or tabs,
// and numbers written as in any language: [Reader.Fields] gives them as 1234.5.
func NewReader(r io.Reader) *Reader { return newReader(r, false) }

// NewReaderOfThrees is NewReader for a table whose numbers never have three decimals: 70.500 is 70500 there.
func NewReaderOfThrees(r io.Reader) *Reader { return newReader(r, true) }

func newReader(r io.Reader, threes bool) *Reader {
	begin := bufio.NewReaderSize(r, headBytes)
	head, _ := begin.Peek(headBytes) // an error comes again when lines are read
	if end := bytes.LastIndexByte(head, '\n'); end >= 0 {
		head = head[:end]
	}
	in := bufio.NewScanner(begin)
	in.Buffer(make([]byte, 64<<10), MaxLine)
	return &Reader{in: in, locale: localeOf(head, threes)}
}

// Line returns the number of the line read last, from 1.
func (r *Reader) Line() int { return r.line }

// Next reads the next line that is not blank, without its end, or returns
// io.EOF. The line is valid until the call after.
func (r *Reader) Next() ([]byte, error) {
	for r.in.Scan() {
		r.line++
		if line := bytes.TrimSpace(r.in.Bytes()); len(line) > 0 {
			if r.line == 1 {
				line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
			}
			return line, nil
		}
	}
	err := r.in.Err()
	switch {
	case err == nil:
		return nil, io.EOF
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("line %d is longer than %d bytes", r.line+1, MaxLine)
	}
	return nil, err
}

// Fields splits a line at separators outside double quotes; a doubled quote inside
// quotes is a quote. The fields are valid until the call after.
func (r *Reader) Fields(line []byte) ([][]byte, error) {
	fields, err := r.split(line)
	if err == nil && r.locale.grouped {
		for i, f := range fields {
			fields[i] = r.locale.plain(f)
		}
	}
	return fields, err
}

func (r *Reader) split(line []byte) ([][]byte, error) {
	r.fields, r.plain = r.fields[:0], r.plain[:0]
	if cap(r.plain) < len(line) {
		r.plain = make([]byte, 0, 2*len(line))
	}
	for {
		if len(r.fields) == MaxFields {
			return nil, fmt.Errorf("line %d has more than %d fields", r.line, MaxFields)
		}
		if len(line) == 0 || line[0] != '"' {
			end := bytes.IndexByte(line, r.locale.separator)
			if end < 0 {
				r.fields = append(r.fields, bytes.TrimSpace(line))
				return r.fields, nil
			}
			r.fields = append(r.fields, bytes.TrimSpace(line[:end]))
			line = line[end+1:]
			continue
		}
		rest, err := r.quoted(line[1:])
		if err != nil {
			return nil, err
		}
		if len(rest) == 0 {
			return r.fields, nil
		}
		if rest[0] != r.locale.separator {
			return nil, fmt.Errorf("line %d: %q after a closing quote", r.line, rest[0])
		}
		line = rest[1:]
	}
}

// quoted takes a field whose opening quote was taken.
func (r *Reader) quoted(line []byte) ([]byte, error) {
	start := len(r.plain)
	for {
		end := bytes.IndexByte(line, '"')
		if end < 0 {
			return nil, fmt.Errorf("line %d: a quote is not closed", r.line)
		}
		r.plain = append(r.plain, line[:end]...)
		line = line[end+1:]
		if len(line) == 0 || line[0] != '"' {
			r.fields = append(r.fields, r.plain[start:len(r.plain):len(r.plain)])
			return line, nil
		}
		r.plain = append(r.plain, '"')
		line = line[1:]
	}
}

// Columns finds columns by name.
type Columns map[string]int

// NewColumns reads a header. Names are compared without regard to case, blanks
// and underscores.
func NewColumns(header [][]byte) Columns {
	c := Columns{}
	for i, name := range header {
		n := normal(string(name))
		if _, ok := c[n]; !ok {
			c[n] = i
		}
	}
	return c
}

func normal(name string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "_", "").Replace(name))
}

// Index returns the column of the first name that exists, or -1.
func (c Columns) Index(names ...string) int {
	for _, n := range names {
		if i, ok := c[normal(n)]; ok {
			return i
		}
	}
	return -1
}

// Get returns the field of column i, or nil if the line has none.
func Get(fields [][]byte, i int) []byte {
	if i < 0 || i >= len(fields) {
		return nil
	}
	return fields[i]
}
