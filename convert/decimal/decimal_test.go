package decimal

import (
	"fmt"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func TestScale(t *testing.T) {
	for _, c := range []struct {
		in   string
		mul  uint64
		want int64
		ok   bool
	}{
		{"4203669603454.206", 1000, 4203669603454206, true},
		{"1695835572943613", 1000, 1695835572943613000, true},
		{"1712195495505583.0", 1000, 1712195495505583000, true},
		{"1.527344", 1024, 1564, true}, // 391 floats in nvprof's KB
		{"0.0005", 1000, 1, true},
		{"0.00049999", 1000, 0, true},
		{"-1.5", 1, -2, true},
		{"1.6e+15", 1000, 1600000000000000000, true},
		{"25e-1", 10, 25, true},
		{"9223372036854775807", 1, 9223372036854775807, true},
		{"9223372036854775808", 1, 0, false},
		{"1e300", 1, 0, false},
		{"1e-300", 1, 0, true},
		{"0.12345678901234567890123456789", 1000000, 123457, true},
		{"", 1, 0, false}, {".", 1, 0, false}, {"-", 1, 0, false}, {"1.2.3", 1, 0, false},
		{"12e+2", 1, 1200, true}, {"7E2", 1, 700, true}, {"1e+", 1, 0, false}, {"1e2x", 1, 0, false},
		{"1e99999", 1, 0, false}, {"0e99999", 1, 0, true},
		{"123456789012345678901234e-6", 1, 123456789012345679, true}, // the nineteenth digit is the last one kept
		{"1x", 1, 0, false}, {"1e", 1, 0, false}, {"NaN", 1, 0, false},
	} {
		got, ok := Scale(c.in, c.mul)
		if ok != c.ok || ok && got != c.want {
			t.Errorf("Scale(%q, %d) = %d, %v; want %d, %v", c.in, c.mul, got, ok, c.want, c.ok)
		}
	}
}

// Scale agrees with exact rational arithmetic.
func TestScaleIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.Uint64Range(0, 1<<50).Draw(t, "whole")
		places := rapid.IntRange(1, 3).Draw(t, "places")
		fraction := rapid.IntRange(0, 999).Draw(t, "fraction") % []int{1, 10, 100, 1000}[places]
		text := fmt.Sprintf("%d.%0*d", whole, places, fraction)
		exact, _ := new(big.Rat).SetString(text)
		exact.Mul(exact, big.NewRat(1000, 1))
		got, ok := Scale(text, 1000)
		if !ok || exact.Cmp(new(big.Rat).SetInt64(got)) != 0 {
			t.Fatalf("Scale(%q, 1000) = %d, %v; want %s", text, got, ok, exact)
		}
	})
}
