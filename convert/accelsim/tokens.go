package accelsim

import "math"

// hexDigit is the value of a hexadecimal digit, 0xff of any other byte.
var hexDigit [256]uint8

func init() {
	for i := range hexDigit {
		hexDigit[i] = 0xff
	}
	for i, digits := 0, "0123456789abcdef"; i < 16; i++ {
		hexDigit[digits[i]] = uint8(i)
		if i >= 10 {
			hexDigit[digits[i]-'a'+'A'] = uint8(i)
		}
	}
}

// blank skips blanks.
func blank(p []byte) []byte {
	for len(p) > 0 && (p[0] == ' ' || p[0] == '\t') {
		p = p[1:]
	}
	return p
}

// token cuts off the first token.
func token(p []byte) (tok, rest []byte) {
	p = blank(p)
	i := 0
	for i < len(p) && p[i] != ' ' && p[i] != '\t' {
		i++
	}
	return p[:i], p[i:]
}

// hex32 reads a hexadecimal token of at most 8 digits and the blanks before.
func hex32(p []byte) (v uint32, rest []byte, ok bool) {
	p = blank(p)
	i := 0
	for i < len(p) {
		d := hexDigit[p[i]]
		if d == 0xff {
			break
		}
		v = v<<4 | uint32(d)
		i++
	}
	if i == 0 || i > 8 || i < len(p) && p[i] != ' ' && p[i] != '\t' {
		return 0, p, false
	}
	return v, p[i:], true
}

// hex64 reads a hexadecimal token of at most 16 digits, with or without 0x.
func hex64(p []byte) (v uint64, rest []byte, ok bool) {
	p = blank(p)
	if len(p) > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X') {
		p = p[2:]
	}
	i := 0
	for i < len(p) {
		d := hexDigit[p[i]]
		if d == 0xff {
			break
		}
		v = v<<4 | uint64(d)
		i++
	}
	if i == 0 || i > 16 || i < len(p) && p[i] != ' ' && p[i] != '\t' {
		return 0, p, false
	}
	return v, p[i:], true
}

// decimal reads a signed decimal token that fits 64 bits, signed or unsigned;
// a value over the largest signed one keeps its bits.
func decimal(p []byte) (v int64, rest []byte, ok bool) {
	p = blank(p)
	i, negative := 0, false
	if len(p) > 0 && p[0] == '-' {
		i, negative = 1, true
	}
	first := i
	var u uint64
	for i < len(p) {
		d := p[i] - '0'
		if d > 9 {
			break
		}
		if u > (math.MaxUint64-uint64(d))/10 {
			return 0, p, false
		}
		u = u*10 + uint64(d)
		i++
	}
	if i == first || i < len(p) && p[i] != ' ' && p[i] != '\t' {
		return 0, p, false
	}
	if negative {
		if u > 1<<63 {
			return 0, p, false
		}
		return -int64(u), p[i:], true
	}
	return int64(u), p[i:], true
}

// count reads a decimal token from 0 to limit.
func count(p []byte, limit int64) (v int, rest []byte, ok bool) {
	n, rest, ok := decimal(p)
	if !ok || n < 0 || n > limit {
		return 0, p, false
	}
	return int(n), rest, true
}
