//go:build unix

package switched

import "syscall"

// used is the time of processors so far, in microseconds.
func used() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return (u.Utime.Nano() + u.Stime.Nano()) / 1000
}
