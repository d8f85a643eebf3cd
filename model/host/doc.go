// Package host runs the program of a trace: it issues operations as a mode says, waits where the program waits,
// keeps streams, events and copies, and knows their recorded times. It hands work to a [Device].
package host

import "gpureplay/model/clock"

// Time is in cycles of the SM clock since the start of the run.
type Time = clock.Time

const never = clock.Never
