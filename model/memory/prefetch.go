package memory

import "unsafe"

// bring has the host bring what lies at p into its caches while this goes on: what comes
// next waits for memory more than for anything else. Nothing is read.
func bring[T any](p *T) { prefetch(unsafe.Pointer(p)) }
