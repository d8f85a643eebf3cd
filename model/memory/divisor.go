package memory

import "math/bits"

// divisor divides by a number that is known early: a multiplication where a
// division would take ten times as long.
type divisor struct {
	n     uint64
	magic uint64 // 2^64/n + 1
	most  uint64 // the magic is exact up to here
	shift uint8  // of a power of two
	power bool
}

// newDivisor returns a divisor of 1 or more.
func newDivisor(n int) divisor {
	d := divisor{n: uint64(max(1, n))}
	if d.power = d.n&(d.n-1) == 0; d.power {
		d.shift = uint8(bits.TrailingZeros64(d.n))
		return d
	}
	d.magic = ^uint64(0)/d.n + 1
	d.most = ^uint64(0) / d.n
	return d
}

// div returns x / n. The magic is 2^64/n and at most 1 more, so that its product
// with x is off by less than x·n/2^64 parts of n.
func (d *divisor) div(x uint64) uint64 {
	if d.power {
		return x >> (d.shift & 63)
	}
	if x > d.most {
		return x / d.n
	}
	q, _ := bits.Mul64(x, d.magic)
	return q
}

// mod returns x modulo n.
func (d *divisor) mod(x uint64) uint64 {
	if d.power {
		return x & (d.n - 1)
	}
	return x - d.div(x)*d.n
}
