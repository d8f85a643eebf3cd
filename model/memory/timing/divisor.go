package timing

import "math/bits"

// Divisor divides by a number that is known early: a multiplication where a
// division would take ten times as long.
type Divisor struct {
	N     uint64
	magic uint64 // 2^64/n + 1
	most  uint64 // the magic is exact up to here
	shift uint8  // of a power of two
	power bool
}

// NewDivisor returns a divisor of 1 or more.
func NewDivisor(n int) Divisor {
	d := Divisor{N: uint64(max(1, n))}
	if d.power = d.N&(d.N-1) == 0; d.power {
		d.shift = uint8(bits.TrailingZeros64(d.N))
		return d
	}
	d.magic = ^uint64(0)/d.N + 1
	d.most = ^uint64(0) / d.N
	return d
}

// Div returns x / n. The magic is 2^64/n and at most 1 more, so that its product
// with x is off by less than x·n/2^64 parts of n.
func (d *Divisor) Div(x uint64) uint64 {
	if d.power {
		return x >> (d.shift & 63)
	}
	if x > d.most {
		return x / d.N
	}
	q, _ := bits.Mul64(x, d.magic)
	return q
}

// Mod returns x modulo n.
func (d *Divisor) Mod(x uint64) uint64 {
	if d.power {
		return x & (d.N - 1)
	}
	return x - d.Div(x)*d.N
}
