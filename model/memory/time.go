package memory

// Time is in cycles of the SM clock since the start of the run.
type Time = int64

// Never is later than any time of a run.
const Never Time = 1 << 62
