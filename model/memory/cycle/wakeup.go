package cycle

import (
	"math/bits"

	"gpureplay/model/clock"
)

// wakeups says which units of the network act in which cycle: bits of this cycle and of
// the next, where most go, and a wheel for those behind.
type wakeups struct {
	wheel  *clock.Wheel
	due    []Time   // of the units: the cycle in which each acts next
	acting []uint64 // in this cycle
	soon   []uint64 // in cycle soonAt, the one behind it
	soonAt Time
	some   bool // there are such
	now    Time
	over   Time // the last cycle in which there were some
	busy   bool // it is in a cycle
}

func newWakeups(units int) wakeups {
	words := (units + 63) / 64
	a := wakeups{wheel: clock.NewWheel(units), acting: make([]uint64, words), soon: make([]uint64, words), soonAt: -1,
		over: -1}
	a.due = a.wheel.Due
	return a
}

// post has a unit act at t, unless it acts before.
func (a *wakeups) post(unit int, t Time) {
	if due := &a.due[unit]; t < *due {
		*due = t
		a.put(unit, t)
	}
}

func (a *wakeups) put(unit int, t Time) {
	switch {
	case t == a.soonAt:
		a.soon[unit>>6] |= 1 << (unit & 63)
		a.some = true
	case a.busy && t == a.now:
		a.acting[unit>>6] |= 1 << (unit & 63)
	default:
		a.wheel.Now = a.now
		a.wheel.Add(min(t, a.now+clock.WheelSlots-1), unit)
	}
}

// join has a unit act in this cycle, which it is in.
func (a *wakeups) join(unit int) {
	a.due[unit] = a.now
	a.acting[unit>>6] |= 1 << (unit & 63)
}

// follow has a unit act in the next cycle, unless it acts before.
func (a *wakeups) follow(unit int) {
	if due := &a.due[unit]; a.soonAt < *due {
		*due = a.soonAt
		a.soon[unit>>6] |= 1 << (unit & 63)
		a.some = true
	}
}

// next returns the next cycle with units that act.
func (a *wakeups) next() Time {
	if a.some {
		return a.soonAt
	}
	return a.wheel.Next()
}

// begin goes on to cycle t, and reports whether units act in it.
func (a *wakeups) begin(t Time) bool {
	a.now, a.wheel.Now = t, t
	some := a.some && a.soonAt == t
	if some {
		a.acting, a.soon, a.some = a.soon, a.acting, false
	}
	some = a.wheel.Join(t, a.acting) || some
	if a.busy = some; some {
		a.soonAt = t + 1
	}
	return some
}

// first takes the first unit out of a word, one of those that act, and returns its number.
func first(word *uint64, number int) int {
	unit := number<<6 + bits.TrailingZeros64(*word)
	*word &= *word - 1
	return unit
}

// acts reports whether a unit acts in cycle t, as was noted.
func (a *wakeups) acts(unit int, t Time) bool {
	due := &a.due[unit]
	if *due > t {
		return false
	}
	*due = Never
	return true
}

// later moves a unit that an older note would wake now to its due time.
func (a *wakeups) later(unit int) {
	if due := a.due[unit]; due < Never {
		a.put(unit, due)
	}
}

// end ends a cycle.
func (a *wakeups) end() { a.busy, a.over = false, a.now }
