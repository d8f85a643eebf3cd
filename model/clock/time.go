// Package clock has cycles: what happens in which of them and in which order, who
// waits for a turn, how many turns a cycle has, and sums over cycles without rounding.
package clock

// Time is in cycles of the SM clock since the start of the run.
type Time = int64

// Never is later than any time of a run.
const Never Time = 1 << 62

const never = Never
