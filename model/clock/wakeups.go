package clock

import "math/bits"

// Wakeups says which of some units act in which cycle: bits of this cycle and of
// the next, where most go, and a wheel for those behind.
type Wakeups struct {
	wheel  *Wheel
	Due    []Time   // of the units: the cycle in which each acts next
	Acting []uint64 // in this cycle
	soon   []uint64 // in cycle SoonAt, the one behind it
	SoonAt Time
	some   bool // there are such
	Now    Time
	Over   Time // the last cycle in which there were some
	busy   bool // it is in a cycle
}

// NewWakeups returns those of so many units.
func NewWakeups(units int) Wakeups {
	words := (units + 63) / 64
	a := Wakeups{wheel: NewWheel(units), Acting: make([]uint64, words), soon: make([]uint64, words), SoonAt: -1,
		Over: -1}
	a.Due = a.wheel.Due
	return a
}

// Post has a unit act at t, unless it acts before.
func (a *Wakeups) Post(unit int, t Time) {
	if due := &a.Due[unit]; t < *due {
		*due = t
		a.put(unit, t)
	}
}

func (a *Wakeups) put(unit int, t Time) {
	switch {
	case t == a.SoonAt:
		a.soon[unit>>6] |= 1 << (unit & 63)
		a.some = true
	case a.busy && t == a.Now:
		a.Acting[unit>>6] |= 1 << (unit & 63)
	default:
		a.wheel.Now = a.Now
		a.wheel.Add(min(t, a.Now+WheelSlots-1), unit)
	}
}

// Join has a unit act in this cycle, which it is in.
func (a *Wakeups) Join(unit int) {
	a.Due[unit] = a.Now
	a.Acting[unit>>6] |= 1 << (unit & 63)
}

// Follow has a unit act in the next cycle, unless it acts before.
func (a *Wakeups) Follow(unit int) {
	if due := &a.Due[unit]; a.SoonAt < *due {
		*due = a.SoonAt
		a.soon[unit>>6] |= 1 << (unit & 63)
		a.some = true
	}
}

// Next returns the next cycle with units that act.
func (a *Wakeups) Next() Time {
	if a.some {
		return a.SoonAt
	}
	return a.wheel.Next()
}

// Begin goes on to cycle t, and reports whether units act in it.
func (a *Wakeups) Begin(t Time) bool {
	a.Now, a.wheel.Now = t, t
	some := a.some && a.SoonAt == t
	if some {
		a.Acting, a.soon, a.some = a.soon, a.Acting, false
	}
	some = a.wheel.Join(t, a.Acting) || some
	if a.busy = some; some {
		a.SoonAt = t + 1
	}
	return some
}

// First takes the first unit out of a word, one of those that act, and returns its number.
func First(word *uint64, number int) int {
	unit := number<<6 + bits.TrailingZeros64(*word)
	*word &= *word - 1
	return unit
}

// Acts reports whether a unit acts in cycle t, as was noted.
func (a *Wakeups) Acts(unit int, t Time) bool {
	due := &a.Due[unit]
	if *due > t {
		return false
	}
	*due = Never
	return true
}

// Later moves a unit that an older note would wake now to its due time.
func (a *Wakeups) Later(unit int) {
	if due := a.Due[unit]; due < Never {
		a.put(unit, due)
	}
}

// End ends a cycle.
func (a *Wakeups) End() { a.busy, a.Over = false, a.Now }
