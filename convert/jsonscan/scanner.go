// Package jsonscan reads JSON as a stream of tokens, in memory that does not grow with the file. It accepts and
// counts the known faults of profilers: control characters inside strings, escapes that JSON does not have, NaN and
// infinity in any spelling, commas before a closing bracket, and zero bytes behind the end.
package jsonscan

import (
	"bytes"
	"fmt"
	"io"
)

// Kind is the kind of a token.
type Kind uint8

const (
	EOF Kind = iota // end of the input, after one complete value
	BeginObject
	EndObject
	BeginArray
	EndArray
	Key
	String
	Number // also NaN, Infinity and -Infinity
	True
	False
	Null
)

const (
	windowBytes = 256 << 10
	// MaxToken is the longest key, string or number that is handed out, in
	// bytes. Skipped values may be of any length.
	MaxToken = 4 << 20
	// MaxDepth is the deepest nesting of objects and arrays.
	MaxDepth = 512
)

// SyntaxError has a fault and its place.
type SyntaxError struct {
	Offset int64 // bytes from the start of the (unpacked) input
	Reason string
	Cut    bool // the input ends within a value; the error is io.ErrUnexpectedEOF
}

// Unwrap says of an input that is cut short that it is.
func (e *SyntaxError) Unwrap() error {
	if e.Cut {
		return io.ErrUnexpectedEOF
	}
	return nil
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("offset %d: %s", e.Offset, e.Reason)
}

type state uint8

const (
	wantValue state = iota // a value must come
	wantFirst              // after '[': a value or ']'
	wantNext               // after ',' in an array
	wantKey                // after ',' in an object
	wantField              // after '{': a key or '}'
	wantComma              // after a value
)

// Scanner hands out one token after another. Its zero value is not usable; see
// [New].
type Scanner struct {
	r     io.Reader
	buf   []byte
	pos   int // next unread byte in buf
	end   int // end of valid bytes in buf
	base  int64
	eof   bool
	state state
	stack []byte // '{' or '['

	tok     []byte // raw bytes of the token, valid until the next call
	escapes bool
	text    []byte // scratch of Text

	// Repaired counts the forgiven faults.
	Repaired uint64
}

// New returns a scanner that reads one JSON value from r.
func New(r io.Reader) *Scanner {
	return &Scanner{r: r, buf: make([]byte, windowBytes)}
}

// Offset returns the offset of the next unread byte.
func (s *Scanner) Offset() int64 { return s.base + int64(s.pos) }

func (s *Scanner) fail(format string, args ...any) error {
	return &SyntaxError{Offset: s.Offset(), Reason: fmt.Sprintf(format, args...)}
}

// fill makes more bytes readable behind those from keep on, and returns how far
// it moved them to the front. At the end of the input it returns io.EOF.
func (s *Scanner) fill(keep int) (int, error) {
	if s.eof {
		return 0, io.EOF
	}
	if keep > 0 {
		copy(s.buf, s.buf[keep:s.end])
		s.base += int64(keep)
		s.end -= keep
		s.pos -= keep
	}
	if s.end == len(s.buf) {
		if len(s.buf) >= MaxToken {
			return keep, s.fail("a token of more than %d bytes", MaxToken)
		}
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
	}
	for empty := 0; empty < 100; empty++ {
		n, err := s.r.Read(s.buf[s.end:])
		s.end += n
		if err == io.EOF {
			s.eof = true
			if n > 0 {
				return keep, nil
			}
			return keep, io.EOF
		}
		if err != nil || n > 0 {
			return keep, err
		}
	}
	return keep, io.ErrNoProgress
}

// more makes at least one unread byte available, and drops the bytes that were read.
func (s *Scanner) more() error {
	_, err := s.fill(s.pos)
	return err
}

func (s *Scanner) unexpectedEnd(err error) error {
	if err == io.EOF {
		return &SyntaxError{Offset: s.Offset(), Reason: "the input ends inside a value (was the capture cut short?)",
			Cut: true}
	}
	return err
}

// peek returns the next byte that is not white space, without taking it.
func (s *Scanner) peek() (byte, error) {
	for {
		for ; s.pos < s.end; s.pos++ {
			if c := s.buf[s.pos]; c > ' ' || !space[c] {
				return c, nil
			}
		}
		if err := s.more(); err != nil {
			return 0, err
		}
	}
}

// Next returns the kind of the next token. [Scanner.Raw] and [Scanner.Text]
// give its bytes.
func (s *Scanner) Next() (Kind, error) {
	for {
		c, err := s.peek()
		if err == io.EOF && s.state == wantComma && len(s.stack) == 0 {
			return EOF, nil
		}
		if err != nil {
			return EOF, s.unexpectedEnd(err)
		}
		switch s.state {
		case wantComma:
			switch {
			case len(s.stack) == 0:
				return s.trailer(c)
			case c == ',':
				s.pos++
				s.state = wantNext
				if s.stack[len(s.stack)-1] == '{' {
					s.state = wantKey
				}
			case c == '}' || c == ']':
				return s.close(c)
			default:
				return EOF, s.fail("%q where ',' or the end of the %s belongs", c, s.container())
			}
		case wantKey, wantField:
			if c == '}' {
				s.trailing(s.state == wantKey)
				return s.close(c)
			}
			return s.key(c)
		case wantFirst:
			if c == ']' {
				return s.close(c)
			}
			return s.value(c)
		case wantNext:
			if c == ']' {
				s.trailing(true)
				return s.close(c)
			}
			return s.value(c)
		default:
			return s.value(c)
		}
	}
}

func (s *Scanner) container() string {
	if s.stack[len(s.stack)-1] == '{' {
		return "object"
	}
	return "array"
}

func (s *Scanner) close(c byte) (Kind, error) {
	open, kind := byte('{'), EndObject
	if c == ']' {
		open, kind = '[', EndArray
	}
	if s.stack[len(s.stack)-1] != open {
		return EOF, s.fail("%q inside an %s", c, s.container())
	}
	s.stack = s.stack[:len(s.stack)-1]
	s.pos++
	s.state = wantComma
	return kind, nil
}

func (s *Scanner) open(c byte, next state, kind Kind) (Kind, error) {
	if len(s.stack) == MaxDepth {
		return EOF, s.fail("more than %d levels of nesting", MaxDepth)
	}
	s.stack = append(s.stack, c)
	s.pos++
	s.state = next
	return kind, nil
}

func (s *Scanner) key(c byte) (Kind, error) {
	if c != '"' {
		return EOF, s.fail("%q where a key belongs", c)
	}
	if err := s.str(); err != nil {
		return EOF, err
	}
	// The colon may need a refill, which would move the token.
	if s.pos == s.end || s.buf[s.pos] != ':' {
		s.tok = append(s.text[:0], s.tok...)
		s.text = s.tok
		c, err := s.peek()
		if err != nil {
			return EOF, s.unexpectedEnd(err)
		}
		if c != ':' {
			return EOF, s.fail("%q where ':' belongs", c)
		}
	}
	s.pos++
	s.state = wantValue
	return Key, nil
}

func (s *Scanner) value(c byte) (Kind, error) {
	switch {
	case c == '"':
		s.state = wantComma
		return String, s.str()
	case c == '{':
		return s.open(c, wantField, BeginObject)
	case c == '[':
		return s.open(c, wantFirst, BeginArray)
	case c == '-' || c == '+' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z':
		s.state = wantComma
		return s.word()
	}
	return EOF, s.fail("%q where a value belongs", c)
}

// str takes the string whose opening quote is next.
func (s *Scanner) str() error {
	start, p := s.pos+1, s.pos+1
	s.escapes = false
	for {
		for p < s.end {
			c := s.buf[p]
			if !special[c] {
				p++
				continue
			}
			if c == '"' {
				s.tok = s.buf[start:p]
				s.pos = p + 1
				return nil
			}
			if c != '\\' {
				s.Repaired++
				p++
				continue
			}
			s.escapes = true
			if p+1 == s.end {
				break
			}
			p += 2
		}
		moved, err := s.fill(start - 1)
		start, p = start-moved, p-moved
		if err != nil {
			return s.unexpectedEnd(err)
		}
	}
}

// word takes a number or a name.
func (s *Scanner) word() (Kind, error) {
	start, p := s.pos, s.pos
	for {
		for p < s.end && wordByte[s.buf[p]] {
			p++
		}
		if p < s.end {
			break
		}
		moved, err := s.fill(start)
		start, p = start-moved, p-moved
		if err == io.EOF {
			break
		}
		if err != nil {
			return EOF, err
		}
	}
	s.tok, s.pos, s.escapes = s.buf[start:p], p, false
	switch c := s.tok[0]; {
	case '0' <= c && c <= '9':
		return Number, nil
	case c == '-' && len(s.tok) > 1 && '0' <= s.tok[1] && s.tok[1] <= '9':
		return Number, nil
	}
	switch string(s.tok) {
	case "true":
		return True, nil
	case "false":
		return False, nil
	case "null":
		return Null, nil
	}
	if notFinite(s.tok) {
		return Number, nil
	}
	return EOF, s.fail("%.40q is no JSON value", s.tok)
}

// More reports whether another value follows the one that is complete, and
// makes the scanner ready for it: some tools write one value after the other.
func (s *Scanner) More() (bool, error) {
	if len(s.stack) > 0 || s.state != wantComma {
		return false, s.fail("a value is not complete")
	}
	_, err := s.peek()
	if err == io.EOF {
		return false, nil
	}
	s.state = wantValue
	return err == nil, err
}

// Members calls member with the key of each member of an object whose brace was taken.
func (s *Scanner) Members(member func(key string) error) error {
	for {
		kind, err := s.Next()
		if err != nil || kind == EndObject {
			return err
		}
		if err := member(string(s.Text())); err != nil {
			return err
		}
	}
}

// Raw returns the bytes of the last key, string or number as they stand in the
// file, without quotes. They are valid until the next call.
func (s *Scanner) Raw() []byte { return s.tok }

// Text returns the last key or string with its escapes resolved, valid until
// the next call.
func (s *Scanner) Text() []byte {
	if !s.escapes || bytes.IndexByte(s.tok, '\\') < 0 {
		return s.tok
	}
	out, bad := unescape(nil, s.tok)
	s.Repaired += uint64(bad)
	return out
}
