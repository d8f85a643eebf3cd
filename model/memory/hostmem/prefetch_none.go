//go:build !(amd64 || arm64) || noasm

package hostmem

import "unsafe"

// prefetch does nothing where the processor's instruction is not written down.
func prefetch(unsafe.Pointer) {}
