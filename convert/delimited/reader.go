// Package delimited reads comma-separated text line by line, with a bound on
// the length of a line, and without giving up on what profilers print around
// their tables.
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
	line   int
	fields [][]byte
	plain  []byte // unquoted fields
}

// NewReader returns a reader of r.
func NewReader(r io.Reader) *Reader {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 64<<10), MaxLine)
	return &Reader{in: in}
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

// Fields splits a line at commas outside double quotes; a doubled quote inside
// quotes is a quote. The fields are valid until the call after.
func (r *Reader) Fields(line []byte) ([][]byte, error) {
	r.fields, r.plain = r.fields[:0], r.plain[:0]
	if cap(r.plain) < len(line) {
		r.plain = make([]byte, 0, 2*len(line))
	}
	for {
		if len(r.fields) == MaxFields {
			return nil, fmt.Errorf("line %d has more than %d fields", r.line, MaxFields)
		}
		if len(line) == 0 || line[0] != '"' {
			end := bytes.IndexByte(line, ',')
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
		if rest[0] != ',' {
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
