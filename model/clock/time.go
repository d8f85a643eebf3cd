// Package clock has cycles: a queue of events in their order, which of some units act in a cycle, turns and how many
// of them a cycle has, and sums over cycles without rounding.
package clock

// Time is in cycles of the SM clock since the start of the run.
type Time = int64

// Never is later than any time of a run.
const Never Time = 1 << 62

const never = Never

// Unset marks a time that has not come.
const Unset Time = -1
