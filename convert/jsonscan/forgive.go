package jsonscan

import (
	"io"
	"strings"
)

// trailing counts a comma before a closing bracket.
func (s *Scanner) trailing(comma bool) {
	if comma {
		s.Repaired++
	}
}

// trailer passes over zero bytes behind the value, which a writer that was stopped leaves in
// a file of a fixed size.
func (s *Scanner) trailer(c byte) (Kind, error) {
	if c != 0 {
		return EOF, s.fail("%q after the end of the value", c)
	}
	s.Repaired++
	for {
		for ; s.pos < s.end; s.pos++ {
			if c := s.buf[s.pos]; c != 0 && !space[c] {
				return EOF, s.fail("%q after the end of the value", c)
			}
		}
		switch err := s.more(); {
		case err == io.EOF:
			return EOF, nil
		case err != nil:
			return EOF, err
		}
	}
}

// notFinite reports whether a word is NaN or infinity, as JavaScript or C prints them.
func notFinite(word []byte) bool {
	switch strings.ToLower(strings.TrimLeft(string(word), "+-")) {
	case "nan", "inf", "infinity":
		return true
	}
	return false
}
