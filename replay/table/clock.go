package table

import (
	"fmt"
	"math"
	"math/bits"
)

// newScope checks the clock: 1 kHz to 1 THz, to the nearest kHz.
func newScope(clockMHz float64) (scope, error) {
	khz := math.Round(clockMHz * 1000)
	if !(khz >= 1 && khz <= 1e9) {
		return scope{}, fmt.Errorf("tables: clock of %v MHz: need 0.001 to 1000000", clockMHz)
	}
	return scope{clockKHz: uint64(khz)}, nil
}

// ns converts cycles to nanoseconds, rounded to the nearest, halves up; beyond
// the range of an int64 it saturates.
func (sc scope) ns(cycles int64) int64 {
	if cycles < 0 {
		return -sc.ns(-cycles)
	}
	hi, lo := bits.Mul64(uint64(cycles), 1e6)
	lo, carry := bits.Add64(lo, sc.clockKHz/2, 0)
	hi += carry
	if hi >= sc.clockKHz {
		return math.MaxInt64
	}
	ns, _ := bits.Div64(hi, lo, sc.clockKHz)
	return int64(min(ns, math.MaxInt64))
}
