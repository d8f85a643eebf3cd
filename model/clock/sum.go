package clock

import (
	"math/big"
	"math/bits"
)

// Sum adds products of whole numbers without rounding, so that a mean is one division at the end and the same on
// every processor. Some processors fuse a float product with the next sum, and round once where others round twice.
type Sum struct{ hi, lo uint64 }

// Add adds a x b, neither of them negative.
func (s *Sum) Add(a, b uint64) {
	hi, lo := bits.Mul64(a, b)
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, lo, 0)
	s.hi += hi + carry
}

// Over returns the sum over n, to the nearest float; 0 if n is 0.
func (s *Sum) Over(n *big.Int) float64 {
	if n.Sign() == 0 {
		return 0
	}
	f, _ := new(big.Rat).SetFrac(s.big(), n).Float64()
	return f
}

// Mean returns the sum over a count; 0 if that is 0.
func (s *Sum) Mean(n uint64) float64 { return s.Over(new(big.Int).SetUint64(n)) }

func (s *Sum) big() *big.Int {
	b := new(big.Int).SetUint64(s.hi)
	return b.Lsh(b, 64).Or(b, new(big.Int).SetUint64(s.lo))
}

// Variance returns the mean square less the square of the mean of n numbers, from their sum and the sum of their
// squares; 0 if n is 0.
func Variance(sum, squares *Sum, n uint64) float64 {
	if n == 0 {
		return 0
	}
	count, s := new(big.Int).SetUint64(n), sum.big()
	top := squares.big()
	top.Sub(top.Mul(top, count), s.Mul(s, s))
	f, _ := new(big.Rat).SetFrac(top, count.Mul(count, count)).Float64()
	return f
}

// Repeat adds n times the difference between the sum and x, an earlier value of it.
func (s *Sum) Repeat(n uint64, x *Sum) {
	lo, borrow := bits.Sub64(s.lo, x.lo, 0)
	hi, _ := bits.Sub64(s.hi, x.hi, borrow)
	s.Add(n, lo)
	s.hi += n * hi
}
