package table

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
)

// Clock is a clock that cycles are counted by, to the nearest kHz.
type Clock struct{ khz uint64 }

// NewClock returns the clock of a frequency of 0.001 to 1,000,000 MHz. It returns an error for any other frequency.
func NewClock(mhz float64) (Clock, error) {
	khz := math.Round(mhz * 1000)
	if !(khz >= 1 && khz <= 1e9) {
		return Clock{}, fmt.Errorf("tables: clock of %v MHz: need 0.001 to 1000000", mhz)
	}
	return Clock{uint64(khz)}, nil
}

// ClockOf returns the clock that the table file at path keeps; without one, a cycle is a nanosecond. It returns an
// error if the file cannot be read or its clock is none.
func ClockOf(path string) (Clock, error) {
	meta, err := KeyValues(path)
	if err != nil {
		return Clock{}, err
	}
	text, ok := meta["clock_mhz"]
	if !ok {
		return NewClock(1000)
	}
	mhz, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return Clock{}, fmt.Errorf("tables: %s: clock_mhz is %q, no number", path, text)
	}
	return NewClock(mhz)
}

// Ns converts cycles to nanoseconds, rounded to the nearest, halves up; beyond
// the range of an int64 it saturates.
func (c Clock) Ns(cycles int64) int64 {
	if cycles < 0 {
		return -c.Ns(-cycles)
	}
	hi, lo := bits.Mul64(uint64(cycles), 1e6)
	lo, carry := bits.Add64(lo, c.khz/2, 0)
	hi += carry
	if hi >= c.khz {
		return math.MaxInt64
	}
	ns, _ := bits.Div64(hi, lo, c.khz)
	return int64(min(ns, math.MaxInt64))
}
