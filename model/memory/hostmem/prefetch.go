package hostmem

import "unsafe"

// Prefetch has the host load the line at p into its caches while this goes on: the next steps
// wait for memory more than for anything else. Nothing is read.
func Prefetch[T any](p *T) { prefetch(unsafe.Pointer(p)) }
