package graph

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
)

// lines reads a text file line by line and knows where it is.
type lines struct {
	r     *bufio.Reader
	path  string
	line  int // of the last line read, from 1
	limit int
	long  []byte // a line longer than the reader's buffer
}

// next returns the next line without its end; it is valid until the next call.
func (l *lines) next() ([]byte, error) {
	l.line++
	l.long = l.long[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		if len(l.long)+len(part) > l.limit {
			return nil, l.errorf("line of more than %d bytes; is this a text file?", l.limit)
		}
		if err == bufio.ErrBufferFull {
			l.long = append(l.long, part...)
			continue
		}
		if len(l.long) > 0 {
			l.long = append(l.long, part...)
			part = l.long
		}
		switch {
		case err == io.EOF && len(part) == 0:
			return nil, io.EOF
		case err != nil && err != io.EOF:
			return nil, fmt.Errorf("%s:%d: %w", l.path, l.line, err)
		}
		return bytes.TrimRight(part, "\r\n"), nil
	}
}

// data returns the next line that is neither empty nor a comment, which begins
// with one of the bytes of marks.
func (l *lines) data(marks string) ([]byte, error) {
	for {
		line, err := l.next()
		if err != nil {
			return nil, err
		}
		line = bytes.TrimSpace(line)
		if len(line) > 0 && bytes.IndexByte([]byte(marks), line[0]) < 0 {
			return line, nil
		}
	}
}

// must is data of a line that must be there.
func (l *lines) must(marks, what string) ([]byte, error) {
	line, err := l.data(marks)
	if err == io.EOF {
		return nil, l.errorf("the file ends where %s should be", what)
	}
	return line, err
}

func (l *lines) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", l.path, l.line, fmt.Sprintf(format, args...))
}

// uint parses a field as a whole number from lo to hi.
func (l *lines) uint(f []byte, lo, hi int, what string) (int, error) {
	n, err := l.wide(f, int64(lo), int64(hi), what)
	return int(n), err
}

// wide is uint for bounds that an int of 32 bits does not have.
func (l *lines) wide(f []byte, lo, hi int64, what string) (int64, error) {
	n := int64(0)
	for _, c := range f {
		if c < '0' || c > '9' || n > 1<<50 {
			return 0, l.errorf("%s is %q, not a whole number from %d to %d", what, short(f), lo, hi)
		}
		n = 10*n + int64(c-'0')
	}
	if len(f) == 0 {
		return 0, l.errorf("%s is missing", what)
	}
	if n < lo || n > hi {
		return 0, l.errorf("%s is %d, not from %d to %d", what, n, lo, hi)
	}
	return n, nil
}

// float parses a field as a finite number.
func (l *lines) float(f []byte, what string) (float64, error) {
	v, err := strconv.ParseFloat(string(f), 64)
	if err != nil || v != v || v-v != 0 {
		return 0, l.errorf("%s is %q, not a finite number", what, short(f))
	}
	return v, nil
}

// short cuts a quotation for an error.
func short(f []byte) []byte { return f[:min(len(f), 40)] }

// field splits the first field off a line of fields between blanks or tabs.
func field(line []byte) (f, rest []byte) {
	i := 0
	for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
		i++
	}
	j := i
	for j < len(line) && line[j] != ' ' && line[j] != '\t' {
		j++
	}
	return line[i:j], line[j:]
}

// split fills fields with the fields of a line and returns how many there are,
// at most len(fields)+1.
func split(line []byte, fields [][]byte) int {
	n := 0
	for {
		var f []byte
		if f, line = field(line); len(f) == 0 {
			return n
		}
		if n == len(fields) {
			return n + 1
		}
		fields[n] = f
		n++
	}
}
