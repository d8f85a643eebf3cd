package text

import (
	"bufio"
	"errors"
	"fmt"
	"gpureplay/trace"
	"gpureplay/trace/internal/words"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// maxTextLine bounds one line of the text form: an address list of a bulk copy
// is the longest thing on a line.
const maxTextLine = 16 << 20

// token is one word of a line, or key=value.
type token struct {
	word   string
	value  string
	eq     bool // has a value
	quoted bool // the word itself was quoted: it is a name, never a number or keyword
}

// lines splits text into lines of tokens and knows the position.
type lines struct {
	name string
	sc   *bufio.Scanner
	line int
	toks []token
}

func newLines(name string, in io.Reader) *lines {
	sc := bufio.NewScanner(in)
	sc.Buffer(make([]byte, 0, 64<<10), maxTextLine)
	return &lines{name: name, sc: sc}
}

// next reads the next line that holds a token. It returns io.EOF at the end.
func (l *lines) next() error {
	for l.sc.Scan() {
		l.line++
		text := l.sc.Text()
		if l.line == 1 {
			text = strings.TrimPrefix(text, "\uFEFF") // some editors begin a file so
		}
		if err := l.sound(text); err != nil {
			return err
		}
		if err := l.split(text); err != nil {
			return err
		}
		if len(l.toks) > 0 {
			return nil
		}
	}
	switch err := l.sc.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		l.line++
		return l.errf("the line is longer than %d MiB; split it", maxTextLine>>20)
	case err != nil:
		return fmt.Errorf("%s:%d: %w", l.name, l.line, err)
	}
	return io.EOF
}

// sound refuses lines that are not the text that they seem to be.
func (l *lines) sound(s string) error {
	switch {
	case strings.Contains(strings.TrimRight(s, "\r"), "\r"):
		return l.errf("lines end in carriage returns alone; have them end in line feeds (tr '\\r' '\\n')")
	case !words.Sound(s):
		return l.errf("the line is not UTF-8, or holds a zero byte; save the file as UTF-8 text")
	}
	return nil
}

func (l *lines) errf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", l.name, l.line, fmt.Sprintf(format, args...))
}

func (l *lines) split(s string) error {
	l.toks = l.toks[:0]
	for {
		s = strings.TrimLeft(s, " \t\r")
		if s == "" || s[0] == '#' {
			return nil
		}
		var t token
		var err error
		if s[0] == '"' {
			t.quoted = true
			t.word, s, err = l.unquote(s)
		} else {
			n := strings.IndexAny(s, " \t\r=")
			if n < 0 {
				n = len(s)
			}
			t.word, s = s[:n], s[n:]
		}
		if err == nil && !t.quoted && s != "" && s[0] == '=' {
			t.eq = true
			t.value, s, err = l.value(s[1:])
		}
		if err != nil {
			return err
		}
		l.toks = append(l.toks, t)
	}
}

func (l *lines) value(s string) (val, rest string, err error) {
	if s != "" && s[0] == '"' {
		return l.unquote(s)
	}
	n := strings.IndexAny(s, " \t\r")
	if n < 0 {
		n = len(s)
	}
	return s[:n], s[n:], nil
}

func (l *lines) unquote(s string) (val, rest string, err error) {
	q, err := strconv.QuotedPrefix(s)
	if err != nil {
		return "", "", l.errf("a quoted name does not end on its line; close it with \"")
	}
	val, err = strconv.Unquote(q)
	if err != nil {
		return "", "", l.errf("cannot read the quoted name %s; write it as Go does", q)
	}
	return val, s[len(q):], nil
}

// number reads an unsigned number: decimal, 0x hexadecimal, or decimal with a
// suffix K, M or G (powers of 1024).
func (l *lines) number(what, s string, limit uint64) (uint64, error) {
	digits, shift := s, 0
	if n := len(s) - 1; n > 0 && !strings.HasPrefix(s, "0x") {
		if i := strings.IndexByte("KMG", s[n]); i >= 0 {
			digits, shift = s[:n], 10*(i+1)
		}
	}
	v, err := strconv.ParseUint(digits, 0, 64)
	if err != nil || strings.Contains(digits, "_") || v<<shift>>shift != v {
		return 0, l.errf("%s: %q is not a number from 0 to %d", what, s, limit)
	}
	if v <<= shift; v > limit {
		return 0, l.errf("%s: %s is more than %d", what, s, limit)
	}
	return v, nil
}

func (l *lines) u32(what, s string, dst *uint32) error {
	v, err := l.number(what, s, math.MaxUint32)
	*dst = uint32(v)
	return err
}

func (l *lines) u64(what, s string, dst *uint64) error {
	v, err := l.number(what, s, math.MaxUint64)
	*dst = v
	return err
}

func (l *lines) i64(what, s string, dst *int64) error {
	v, err := strconv.ParseInt(s, 0, 64)
	if err != nil {
		return l.errf("%s: %q is not a whole number", what, s)
	}
	*dst = v
	return nil
}

// span reads "a" or "a..b", both inclusive.
func (l *lines) span(what, s string, lo, hi *uint32) error {
	a, b, two := strings.Cut(s, "..")
	if err := l.u32(what, a, lo); err != nil {
		return err
	}
	if *hi = *lo; !two {
		return nil
	}
	if err := l.u32(what, b, hi); err != nil {
		return err
	}
	if *hi < *lo {
		return l.errf("%s: %s runs backwards; write %d..%d", what, s, *hi, *lo)
	}
	return nil
}

func (l *lines) dim(what, s string, dst *trace.Dim3) error {
	if s == "none" {
		*dst = trace.Dim3{}
		return nil
	}
	parts := strings.Split(s, "x")
	if strings.HasPrefix(s, "0x") || len(parts) > 3 {
		return l.errf("%s: %q is not an extent; write 8, 16x2 or 4x4x4", what, s)
	}
	d := trace.Dim3{1, 1, 1}
	for i, part := range parts {
		if err := l.u32(what, part, &d[i]); err != nil {
			return err
		}
	}
	*dst = d
	return nil
}

// word finds s in a list of words.
func (l *lines) word(what, s string, list []string) (int, error) {
	if i := slices.Index(list, s); i >= 0 {
		return i, nil
	}
	return 0, l.errf("%s: %q is unknown; it is one of %s", what, s, strings.Join(list, ", "))
}

// unknown is the error for a token that a line does not take.
func (l *lines) unknown(t token, takes string) error {
	s := t.word
	if t.eq {
		s += "=" + t.value
	}
	return l.errf("%q has no meaning here; this line takes %s", s, takes)
}
