// Package decimal turns the decimal numbers that profilers write into integers
// of a smaller unit, exactly: no floating point is involved.
package decimal

import (
	"math"
	"math/bits"
)

// Scale returns the decimal number in b times mul, rounded half away from zero,
// and whether b is a number whose product fits an int64. "4203669603454.206"
// (microseconds) times 1000 is 4203669603454206 (nanoseconds). Exponents are
// understood.
func Scale[T string | []byte](b T, mul uint64) (int64, bool) {
	i, negative := 0, false
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		negative = b[i] == '-'
		i++
	}
	mantissa, exponent, i, ok := digits(b, i)
	if !ok {
		return 0, false
	}
	if i < len(b) {
		e, ok := exponentOf(b[i:])
		if !ok {
			return 0, false
		}
		exponent += e
	}
	v, ok := product(mantissa, mul, exponent)
	if !ok {
		return 0, false
	}
	if negative {
		v = -v
	}
	return v, true
}

// digits reads digits with at most one point from b[i:]. Digits past the
// nineteenth significant one are dropped: they are below any unit used here.
func digits[T string | []byte](b T, i int) (mantissa uint64, exponent, next int, ok bool) {
	point := false
	for ; i < len(b); i++ {
		c := b[i]
		if c == '.' && !point {
			point = true
			continue
		}
		if c < '0' || c > '9' {
			break
		}
		ok = true
		if mantissa >= math.MaxUint64/10-1 {
			if !point {
				exponent++
			}
			continue
		}
		mantissa = mantissa*10 + uint64(c-'0')
		if point {
			exponent--
		}
	}
	return mantissa, exponent, i, ok
}

// exponentOf reads "e-7".
func exponentOf[T string | []byte](b T) (int, bool) {
	if len(b) < 2 || b[0] != 'e' && b[0] != 'E' {
		return 0, false
	}
	i, sign := 1, 1
	if b[1] == '-' || b[1] == '+' {
		if b[1] == '-' {
			sign = -1
		}
		i++
	}
	if i == len(b) {
		return 0, false
	}
	e := 0
	for ; i < len(b); i++ {
		if b[i] < '0' || b[i] > '9' {
			return 0, false
		}
		if e = e*10 + int(b[i]-'0'); e > 1000 {
			e = 1000
		}
	}
	return sign * e, true
}

var powers = func() (p [20]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * 10
	}
	return p
}()

// product returns m·mul·10^e, rounded.
func product(m, mul uint64, e int) (int64, bool) {
	if m == 0 || mul == 0 {
		return 0, true
	}
	hi, lo := bits.Mul64(m, mul)
	if e < 0 {
		e = max(e, -2*len(powers))
		for ; -e >= len(powers); e++ {
			m /= 10 // digits far below the unit
		}
		hi, lo = bits.Mul64(m, mul)
		d := powers[-e]
		if hi >= d {
			return 0, false
		}
		q, r := bits.Div64(hi, lo, d)
		if r >= d-d/2 {
			q++
		}
		return int64(q), q <= math.MaxInt64
	}
	if hi != 0 || e >= len(powers) {
		return 0, false
	}
	hi, lo = bits.Mul64(lo, powers[e])
	return int64(lo), hi == 0 && lo <= math.MaxInt64
}
