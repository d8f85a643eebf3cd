package accelsim

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
)

// Error is something wrong in a file of a capture.
type Error struct {
	File string // as the list names it, without folders
	Line int    // from 1; 0: the file as a whole
	What string
	Err  error // nil: none below
}

func (e *Error) Error() string {
	where := e.File
	if e.Line > 0 {
		where = fmt.Sprintf("%s:%d", e.File, e.Line)
	}
	if e.Err != nil && e.What == "" {
		return fmt.Sprintf("%s: %v", where, e.Err)
	}
	return where + ": " + e.What
}

func (e *Error) Unwrap() error { return e.Err }

const (
	firstBuffer = 256 << 10
	maxLine     = 1 << 20 // bytes; a line of the longest TMA list has some 10 KB
)

// lines cuts a stream into lines.
type lines struct {
	r        io.Reader
	file     string
	buf      []byte
	pos, end int
	number   int // of the line last returned
	eof      bool
	again    bool // the line last returned is returned once more
	last     []byte
}

// reset starts over with another stream.
func (l *lines) reset(r io.Reader, name string) {
	if l.buf == nil {
		l.buf = make([]byte, firstBuffer)
	}
	*l = lines{r: r, file: path.Base(name), buf: l.buf}
}

// next returns the next line without its end, valid until the next call, or
// io.EOF.
func (l *lines) next() ([]byte, error) {
	if l.again {
		l.again = false
		return l.last, nil
	}
	for from := l.pos; ; {
		if i := bytes.IndexByte(l.buf[from:l.end], '\n'); i >= 0 {
			line := l.buf[l.pos : from+i]
			l.pos = from + i + 1
			return l.give(line), nil
		}
		if l.eof {
			if l.pos == l.end {
				return nil, io.EOF
			}
			line := l.buf[l.pos:l.end]
			l.pos = l.end
			return l.give(line), nil
		}
		scanned := l.end - l.pos
		if err := l.fill(maxLine); err != nil {
			return nil, err
		}
		from = l.pos + scanned
	}
}

func (l *lines) give(line []byte) []byte {
	l.number++
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	l.last = line
	return line
}

// unread makes next return the last line again.
func (l *lines) unread() { l.again = true }

// text returns the next line that is not blank, trimmed.
func (l *lines) text() ([]byte, error) {
	for {
		line, err := l.next()
		if err != nil {
			return nil, err
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, nil
		}
	}
}

// within is text where the input may not end.
func (l *lines) within(what string) ([]byte, error) {
	line, err := l.text()
	if err == io.EOF {
		err = l.ends("within " + what)
	}
	return line, err
}

// fill reads on behind the bytes that are not yet returned; it keeps so many of these at most.
func (l *lines) fill(most int) error {
	if l.pos > 0 {
		l.end = copy(l.buf, l.buf[l.pos:l.end])
		l.pos = 0
	}
	if l.end == len(l.buf) {
		if len(l.buf) >= most {
			l.number++
			return l.errorf("a line of more than %d bytes", most)
		}
		l.buf = append(l.buf, make([]byte, len(l.buf))...)
	}
	n, err := l.r.Read(l.buf[l.end:])
	l.end += n
	if err == io.EOF {
		l.eof = true
		return nil
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return &Error{File: l.file, Line: l.number + 1,
			What: "the packed file ends early: it was cut; copy or capture it again", Err: err}
	}
	if err != nil {
		return &Error{File: l.file, Line: l.number + 1, Err: err}
	}
	return nil
}

// peek returns up to n of the next bytes, at most the first buffer.
func (l *lines) peek(n int) ([]byte, error) {
	for l.end-l.pos < n && !l.eof && l.end-l.pos < firstBuffer {
		if err := l.fill(maxLine); err != nil {
			return nil, err
		}
	}
	return l.buf[l.pos:min(l.end, l.pos+n)], nil
}

// ahead calls f with the lines that come next, without taking them, until it
// returns false or most bytes were looked at.
func (l *lines) ahead(most int, f func(line []byte) bool) error {
	looked := 0
	for {
		i := bytes.IndexByte(l.buf[l.pos+looked:l.end], '\n')
		switch {
		case i >= 0:
			if !f(l.buf[l.pos+looked:][:i]) {
				return nil
			}
			looked += i + 1
		case l.eof || l.end-l.pos >= most:
			return nil
		default:
			if err := l.fill(2 * most); err != nil {
				return err
			}
		}
	}
}

// errorf is an error at the line last returned.
func (l *lines) errorf(format string, args ...any) error {
	return &Error{File: l.file, Line: l.number, What: fmt.Sprintf(format, args...)}
}

// ends is the error of a file that ends too early.
func (l *lines) ends(where string) error {
	return &Error{File: l.file, Line: l.number, What: "the file ends " + where +
		": it was cut; copy or capture it again", Err: io.ErrUnexpectedEOF}
}
