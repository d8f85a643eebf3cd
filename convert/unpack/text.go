package unpack

import (
	"bufio"
	"bytes"
	"io"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Text returns r without a byte order mark, and as UTF-8 if it is UTF-16, which Windows
// writes with and without a mark. It reports whether it changed anything.
func Text(r *bufio.Reader) (_ io.Reader, changed bool, err error) {
	head, _ := r.Peek(4) // an error comes again when r is read
	if bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) {
		_, err := r.Discard(3)
		return r, true, err
	}
	order, ok := endianness(head)
	if !ok {
		return r, false, nil
	}
	return transform.NewReader(r, unicode.UTF16(order, unicode.UseBOM).NewDecoder()), true, nil
}

// endianness reports whether text begins as UTF-16, and in which order its bytes are: by its mark,
// or by an ASCII character beside a zero byte, twice.
func endianness(head []byte) (unicode.Endianness, bool) {
	ascii := func(c byte) bool { return c == '\t' || c == '\n' || c == '\r' || ' ' <= c && c < 0x7f }
	switch {
	case len(head) < 4:
	case head[0] == 0xff && head[1] == 0xfe && ascii(head[2]) && head[3] == 0,
		ascii(head[0]) && head[1] == 0 && ascii(head[2]) && head[3] == 0:
		return unicode.LittleEndian, true
	case head[0] == 0xfe && head[1] == 0xff && head[2] == 0 && ascii(head[3]),
		head[0] == 0 && ascii(head[1]) && head[2] == 0 && ascii(head[3]):
		return unicode.BigEndian, true
	}
	return unicode.LittleEndian, false
}
