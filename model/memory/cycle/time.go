package cycle

import "gpureplay/model/clock"

// Time is in cycles of the SM clock since the start of the run.
type Time = clock.Time

// Never is later than any time of a run.
const Never = clock.Never
