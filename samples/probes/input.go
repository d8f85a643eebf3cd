package probes

// ceil divides and rounds up.
func ceil(n, by int) uint32 { return uint32((n + by - 1) / by) }
