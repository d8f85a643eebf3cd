//go:build linux || darwin

package replay

import (
	"runtime"
	"syscall"
)

// systemPeakRSS asks the system for the peak resident set, in bytes.
func systemPeakRSS() uint64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return uint64(u.Maxrss)
	}
	return uint64(u.Maxrss) << 10
}
