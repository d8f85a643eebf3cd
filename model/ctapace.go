package model

import "math"

// ctaPace is how many CTAs are placed in a cycle over all SMs: kmu.ctas_per_cycle
// in thousandths. With r of them a cycle, ⌊(t+1)·r⌋ - ⌊t·r⌋ are placed in cycle t.
type ctaPace uint64

const paceUnit = 1000

func newCTAPace(perCycle float64) ctaPace {
	return ctaPace(max(1, math.Round(perCycle*paceUnit)))
}

// in returns how many CTAs may be placed in cycle t.
func (p ctaPace) in(t Time) int {
	x := uint64(t) % paceUnit
	return int((x+1)*uint64(p)/paceUnit - x*uint64(p)/paceUnit)
}

// next returns the first cycle from t on in which some may be placed.
func (p ctaPace) next(t Time) Time {
	if p >= paceUnit {
		return t
	}
	x := uint64(t) % paceUnit
	n := x*uint64(p)/paceUnit + 1
	return t + Time((n*paceUnit+uint64(p)-1)/uint64(p)-1-x)
}

// cycles returns how many cycles pass until n more are placed, rounded down.
func (p ctaPace) cycles(n uint64) Time {
	return Time(n/uint64(p)*paceUnit + n%uint64(p)*paceUnit/uint64(p))
}
