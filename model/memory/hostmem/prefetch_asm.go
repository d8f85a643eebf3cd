//go:build (amd64 || arm64) && !noasm

package hostmem

import "unsafe"

// prefetch is the instruction of that name, which no Go stands for.
//
//go:noescape
func prefetch(p unsafe.Pointer)
