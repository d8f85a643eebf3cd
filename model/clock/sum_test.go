package clock

import (
	"math/big"
	"math/bits"
	"testing"
)

func TestExactSum(t *testing.T) {
	var s Sum
	for range 3 {
		s.Add(1<<63, 1<<40) // 2^103, more than a float has digits for beside the 7
	}
	s.Add(7, 1)
	want := new(big.Int).Add(new(big.Int).Lsh(big.NewInt(3), 103), big.NewInt(7))
	if s.big().Cmp(want) != 0 {
		t.Errorf("sum %v, want %v", s.big(), want)
	}
	if got := s.Mean(3); got != 1<<103 {
		t.Errorf("mean %g, want 2^103", got)
	}
	if got := s.Mean(0); got != 0 {
		t.Errorf("mean of nothing %g", got)
	}
}

// Durations of a trillion cycles that differ by one have a variance of a quarter:
// the difference of two floats would be 0, or anything.
func TestVarianceOfLongTimes(t *testing.T) {
	const long = 1 << 40
	var sum, squares Sum
	for _, d := range []uint64{long, long + 1} {
		sum.Add(d, 1)
		squares.Add(d, d)
	}
	if got := Variance(&sum, &squares, 2); got != 0.25 {
		t.Errorf("variance %g, want 0.25", got)
	}
	if hi, _ := bits.Mul64(long, long); hi == 0 {
		t.Error("the test's squares fit a word: it shows nothing")
	}
}
