package command

import (
	"os"
	"runtime"
	"runtime/debug"
)

// collectLate has the garbage collector begin when the heap has 48 MB, not 4: a run of a small trace ends before,
// and would spend a fifth of its time there. Up to 30 MB of it are tables of caches, of whose pages few are
// touched. Later collections begin when the heap is half as large again as the live data, not twice as
// large: live data has few pointers, so that a collection costs little. The user's GOGC holds.
func collectLate() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(1200) // of 4 MB
	first := new([64]byte)
	runtime.AddCleanup(first, func(percent int) { debug.SetGCPercent(percent) }, 50)
}
