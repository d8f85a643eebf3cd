//go:build unix

package model_test

import (
	"syscall"
	"time"
)

// spent is the time of processors that this process has used. It does not depend on the load of the machine.
func spent() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
