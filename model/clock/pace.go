package clock

import "math"

// Pace is how many CTAs are placed in a cycle over all SMs: kmu.ctas_per_cycle
// in thousandths. With r of them a cycle, ⌊(t+1)·r⌋ - ⌊t·r⌋ are placed in cycle t.
type Pace uint64

const paceUnit = 1000

// NewPace returns the pace of so many a cycle.
func NewPace(perCycle float64) Pace {
	return Pace(max(1, math.Round(perCycle*paceUnit)))
}

// In returns how many CTAs may be placed in cycle t.
func (p Pace) In(t Time) int {
	x := uint64(t) % paceUnit
	return int((x+1)*uint64(p)/paceUnit - x*uint64(p)/paceUnit)
}

// Next returns the first cycle from t on in which some may be placed.
func (p Pace) Next(t Time) Time {
	if p >= paceUnit {
		return t
	}
	x := uint64(t) % paceUnit
	n := x*uint64(p)/paceUnit + 1
	return t + Time((n*paceUnit+uint64(p)-1)/uint64(p)-1-x)
}

// Cycles returns how many cycles pass until n more are placed, rounded down.
func (p Pace) Cycles(n uint64) Time {
	return Time(n/uint64(p)*paceUnit + n%uint64(p)*paceUnit/uint64(p))
}

// Period is after how many cycles the pace repeats itself.
func (p Pace) Period() Time { return paceUnit / gcd(paceUnit, Time(p)) }

func gcd(a, b Time) Time {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
