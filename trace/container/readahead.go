package container

import (
	"runtime"
	"sync"
)

// readAhead has the next block unpacked by another processor while blocks are read one after another. It unpacks
// each block once from the trace's beginning on, so that nothing is unpacked twice where cursors are far apart.
type readAhead struct {
	sync.WaitGroup        // for those that unpack
	latest         uint32 // block that was read
	last           uint32 // block that was had unpacked
}

// wants is told of each block that is read, and reports whether the one behind it is to
// be unpacked.
func (a *readAhead) wants(number uint32) bool {
	if number == a.latest {
		return false
	}
	follows := number == a.latest+1
	a.latest = number
	if number == 0 {
		a.last = 0
	}
	if !follows || number < a.last || runtime.GOMAXPROCS(0) == 1 {
		return false
	}
	a.last = number + 1
	return true
}
