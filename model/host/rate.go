package host

import (
	"math/bits"

	"gpureplay/model/hardware"
)

// horizon is the time at which a replay gives up: years of any clock. No single
// duration is longer, so a sum of some of them does not overflow.
const Horizon = never / 16

// Cycles converts a time of the host, rounding up, to horizon at most.
func Cycles(ns int64, c *hardware.Config) Time {
	if ns <= 0 {
		return 0
	}
	return quotient(uint64(ns), uint64(float64(c.Clock.CoreMHz*1000)+0.5), 1_000_000)
}

// quotient returns a x b / c, rounded up, horizon at most.
func quotient(a, b, c uint64) Time {
	hi, lo := bits.Mul64(a, b)
	if hi >= c {
		return Horizon
	}
	q, rem := bits.Div64(hi, lo, c)
	if rem > 0 && q < uint64(Horizon) {
		q++
	}
	return Time(min(q, uint64(Horizon)))
}

// rate is a bandwidth as an exact ratio: bytes per 1000 cycles of the SM clock
// in kHz.
type rate struct{ bytesPerSecond, coreHz uint64 }

// newRate rounds to whole bytes a second; a link that is not free moves at least one.
func newRate(bytesPerSecond, coreMHz float64) rate {
	r := rate{uint64(float64(bytesPerSecond) + 0.5), uint64(float64(coreMHz*1e6) + 0.5)}
	if bytesPerSecond > 0 {
		r.bytesPerSecond = max(r.bytesPerSecond, 1)
	}
	return r
}

// Cycles returns how long a transfer takes, rounding up, horizon at most; a rate
// of 0 is free.
func (r rate) Cycles(bytes uint64) Time {
	if r.bytesPerSecond == 0 || bytes == 0 {
		return 0
	}
	return quotient(bytes, r.coreHz, r.bytesPerSecond)
}
