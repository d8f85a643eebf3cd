package model

// memoryTime is in cycles of the SM clock since the start of the run.
type memoryTime = int64

// memoryNever is later than any time of a run.
const memoryNever memoryTime = 1 << 62
