package jsonscan

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

var space, special, structural, wordByte [256]bool

func init() {
	for c := range 0x20 {
		special[c] = true
	}
	special['"'], special['\\'] = true, true
	for _, c := range " \t\r\n" {
		space[c] = true
	}
	for _, c := range `"{}[]` {
		structural[c] = true
	}
	for c := range 256 {
		b := byte(c)
		wordByte[c] = '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || b == '+' || b == '-' || b == '.'
	}
}

// unescape appends raw with its escapes resolved, and returns how many of them
// JSON does not have; those are kept as they stand.
func unescape(out, raw []byte) ([]byte, int) {
	bad := 0
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' || i+1 == len(raw) {
			out = append(out, raw[i])
			continue
		}
		i++
		switch c := raw[i]; c {
		case '"', '\\', '/':
			out = append(out, c)
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r, n := codePoint(raw[i:])
			if n == 0 {
				out, bad = append(out, '\\', 'u'), bad+1
				continue
			}
			out, i = utf8.AppendRune(out, r), i+n-1
		default:
			out, bad = append(out, '\\', c), bad+1
		}
	}
	return out, bad
}

// codePoint reads "uXXXX", or "uXXXX\uXXXX" for a surrogate pair, and returns
// the bytes taken; 0 if it is none.
func codePoint(b []byte) (rune, int) {
	hex := func(b []byte) rune {
		if len(b) < 5 || b[0] != 'u' {
			return -1
		}
		v, err := strconv.ParseUint(string(b[1:5]), 16, 16)
		if err != nil {
			return -1
		}
		return rune(v)
	}
	r := hex(b)
	if r < 0 {
		return 0, 0
	}
	if utf16.IsSurrogate(r) && len(b) >= 11 && b[5] == '\\' {
		if pair := utf16.DecodeRune(r, hex(b[6:])); pair != utf8.RuneError {
			return pair, 11
		}
	}
	return r, 5
}
