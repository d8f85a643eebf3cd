package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

// collectLate has the garbage collector begin when the heap has 32 MB, not 4: a
// run of a small trace ends before, and would spend a fifth of its time there.
// From the first collection on it works as ever, so a longer run takes no more
// memory for it. What the user says by GOGC holds.
func collectLate() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(800) // of 4 MB
	first := new([64]byte)
	runtime.AddCleanup(first, func(percent int) { debug.SetGCPercent(percent) }, usual)
}
